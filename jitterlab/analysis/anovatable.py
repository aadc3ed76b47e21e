# SPDX-License-Identifier: Apache-2.0
"""The table of an analysis of variance: its rows with tests and effect sizes."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Type = Literal[1, 2, 3]
Unit = Literal["sample", "run"]
Kind = Literal["effect", "block", "error"]
SMALLEST_P = 1e-300


@dataclass(frozen=True, slots=True)
class Term:
    """One row of an analysis of variance table.

    Attributes:
        term: Name: `network`, `network:size`, `Residual`.
        sum_sq: Sum of squares, in the square of the response's unit.
        df: Degrees of freedom that the data can estimate.
        F: Mean square over the mean square of its error; None for error rows or without an error.
        p: Probability of an F at least as large if the term had no effect; None where F is None.
        eta_sq: sum_sq over the total sum of squares.
        partial_eta_sq: sum_sq over the sum of it and its error; None for error rows.
        omega_sq: Share of the variance that the term explains, corrected for chance, cut off at 0; None where
            F is None.
        share: sum_sq over the sum of all rows, so that the shares of a table add up to 1 (equals eta_sq in a
            balanced design).
        kind: `effect`, `block` or `error`.
        error: The name of the row that it is tested against; None for error rows.
    """

    term: str
    sum_sq: float
    df: int
    F: float | None
    p: float | None
    eta_sq: float | None
    partial_eta_sq: float | None
    omega_sq: float | None
    share: float | None
    kind: Kind = "effect"
    error: str | None = None

    @property
    def p_text(self) -> str:
        """The p value as people read it; empty where there is none."""
        return p_text(self.p)

    def to_dict(self) -> dict[str, Any]:
        """All fields and `p_text`, ready for JSON."""
        return {**asdict(self), "p_text": self.p_text}


@dataclass(frozen=True, slots=True)
class ErrorPart:
    """A part of the residual: pure error inside cells, or lack of fit of the model to the cell means."""

    sum_sq: float
    df: int
    F: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Anova:
    """An analysis of variance.

    Attributes:
        terms: The rows: effects in the order of the model, then `Residual` (split-plot: each stratum's
            error after its effects, `Residual` last).
        formula: The model.
        response: What was analysed, with its statistic: `latency`, `p99 of latency`, `log(latency)`.
        type: Of the sums of squares: 1 sequential, 2 each term after all that do not contain it, 3 each term
            after all others, with sum-to-zero contrasts.
        unit_of_analysis: `sample` or `run`: what is taken as independent.
        n: How many of these units.
        total_sum_sq: Sum of squares around the grand mean.
        r_squared: Share of total_sum_sq that the model explains.
        pure_error: Scatter inside the cells.
        lack_of_fit: What the cell means have beyond the model, tested against the pure error.
        notes: What a reader must know to judge the table, as sentences.
    """

    terms: tuple[Term, ...]
    formula: str
    response: str
    type: Type
    unit_of_analysis: Unit
    n: int
    total_sum_sq: float
    r_squared: float | None
    pure_error: ErrorPart
    lack_of_fit: ErrorPart
    notes: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[Term, ...]:
        """The rows that are no error and no block."""
        return tuple(term for term in self.terms if term.kind == "effect")

    @property
    def residual(self) -> Term:
        """The last row."""
        return self.terms[-1]

    def __getitem__(self, name: str) -> Term:
        return {term.term: term for term in self.terms}[name]

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return {**asdict(self), "terms": [term.to_dict() for term in self.terms]}


def p_text(p: float | None) -> str:
    """A p value in three digits, `< 1e-300` where it is smaller than that, empty for None."""
    if p is None:
        return ""
    return f"{p:.3g}" if p >= SMALLEST_P else "< 1e-300"


@dataclass(frozen=True, slots=True)
class Row:
    """A row before it is tested; `error` is the row that it is tested against."""

    term: str
    sum_sq: float
    df: int
    kind: Kind
    error: "Row | None" = None


def table(rows: Iterable[Row], total: float) -> tuple[Term, ...]:
    """Test every row against its error, and add the effect sizes.

    Omega squared: (SS - df MSE) / (SS total + MSE), cut off at 0: Hays, "Statistics" (1963).

    Args:
        rows: In the order in which they are shown, errors among them.
        total: Sum of squares around the grand mean.
    """
    from scipy.special import fdtrc

    known = tuple(rows)
    everything = sum(row.sum_sq for row in known)
    terms = []
    for row in known:
        F = p = partial = omega = None
        error = row.error
        if error is not None and row.sum_sq + error.sum_sq > 0:
            partial = row.sum_sq / (row.sum_sq + error.sum_sq)
        if error is not None and row.df and error.df and error.sum_sq > 0:
            noise = error.sum_sq / error.df
            F = row.sum_sq / row.df / noise
            p = float(fdtrc(row.df, error.df, F))
            omega = max((row.sum_sq - row.df * noise) / (total + noise), 0.0)
        terms.append(
            Term(
                row.term,
                row.sum_sq,
                row.df,
                F,
                p,
                eta_sq=row.sum_sq / total if total > 0 else None,
                partial_eta_sq=partial,
                omega_sq=omega,
                share=row.sum_sq / everything if everything > 0 else None,
                kind=row.kind,
                error=error.term if error is not None else None,
            )
        )
    return tuple(terms)
