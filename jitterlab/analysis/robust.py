# SPDX-License-Identifier: Apache-2.0
"""Tests that allow every cell its own variance, from n, mean and variance per cell."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from jitterlab.analysis.anovatable import p_text
from jitterlab.analysis.designmatrix import Array, Names, columns
from jitterlab.analysis.formula import Formula, parse
from jitterlab.analysis.grouped import Groups, grouped
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Correction = Literal["hc2", "hc3"]

_NEGLIGIBLE = 1e-24
"""Share of the sum of squares between cells below which scatter is rounding error."""


@dataclass(frozen=True, slots=True)
class RobustTest:
    """A test that does not need equal variances.

    Attributes:
        term: What is tested.
        df: Degrees of freedom of the term.
        error_df: Those of the error; a fraction for Welch's test.
        F: The statistic.
        p: Probability of an F at least as large if the term had no effect.
        method: `welch`, `hc2` or `hc3`.
    """

    term: str
    df: int
    error_df: float
    F: float
    p: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """All fields and `p_text`, ready for JSON."""
        return {**asdict(self), "p_text": p_text(self.p)}


def welch(groups: "pd.DataFrame", factor: str) -> RobustTest:
    """Compare the levels of one factor.

    Source: Welch, "On the comparison of several mean values: an alternative approach", Biometrika 38 (1951).

    Raises:
        InputError: A level has fewer than two values, or no scatter.
    """
    from scipy.special import fdtrc

    cells = grouped(groups, (factor,))
    _need_scatter(cells, factor)
    weights = cells.n * (cells.n - 1) / cells.sum_sq
    k = len(weights)
    mean = float(weights @ cells.mean) / float(weights.sum())
    tail = float(((1 - weights / weights.sum()) ** 2 / (cells.n - 1)).sum()) / (k**2 - 1)
    F = float(weights @ (cells.mean - mean) ** 2) / (k - 1) / (1 + 2 * (k - 2) * tail)
    error_df = 1 / (3 * tail)
    return RobustTest(factor, k - 1, error_df, F, float(fdtrc(k - 1, error_df, F)), "welch")


def wald(
    groups: "pd.DataFrame", formula: str | Formula, correction: Correction = "hc3"
) -> tuple[RobustTest, ...]:
    """Test every term with a covariance that is consistent under unequal variances.

    Type 3 hypotheses with sum-to-zero contrasts, Wald statistics with the HC2 or HC3 covariance of MacKinnon
    and White, "Some heteroskedasticity-consistent covariance matrix estimators" (1985).

    Raises:
        InputError: A term cannot be estimated, or a value determines its own prediction (a cell with one
            value that only its own parameter fits).
    """
    model = parse(formula) if isinstance(formula, str) else formula
    cells = grouped(groups, model.factors)
    blocks = columns(model.terms, cells.factors)
    design = np.hstack([np.ones((len(cells.n), 1)), *blocks.values()])
    n, width = int(cells.n.sum()), design.shape[1]
    if int(np.linalg.matrix_rank(design)) < width:
        raise InputError(
            "the measured combinations cannot tell all terms apart",
            "leave out interactions, or measure the rest",
        )
    try:
        estimates, covariance = _estimate(cells, design, 1 if correction == "hc2" else 2)
        return tuple(_tests(blocks, estimates, covariance, n - width, correction))
    except np.linalg.LinAlgError as error:
        raise InputError(
            "the combinations differ so much in n or scatter that the test cannot be computed",
            "look for wrong numbers, or leave out a combination",
        ) from error


def _tests(
    blocks: dict[Names, Array], estimates: Array, covariance: Array, error_df: int, correction: Correction
) -> Iterator[RobustTest]:
    from scipy.special import fdtrc

    start = 1
    for term, block in blocks.items():
        df = block.shape[1]
        part = slice(start, start + df)
        start = part.stop
        effect = estimates[part]
        F = float(effect @ np.linalg.solve(covariance[part, part], effect)) / df
        if not 0 <= F < float("inf"):
            raise np.linalg.LinAlgError
        yield RobustTest(":".join(term), df, error_df, F, float(fdtrc(df, error_df, F)), correction)


def _estimate(cells: Groups, design: Array, power: int) -> tuple[Array, Array]:
    """Estimates and their covariance; residuals are weighted by (1 - leverage) ** -power."""
    centre = float(cells.n @ cells.mean) / float(cells.n.sum())
    bread = np.linalg.inv(design.T @ (cells.n[:, None] * design))
    estimates = bread @ (design.T @ (cells.n * (cells.mean - centre)))
    leverage = np.einsum("ij,jk,ik->i", design, bread, design)
    free = 1 - leverage
    if free.min() < 1e-9:
        raise InputError(
            "a combination with a single value leaves nothing to estimate its variance from",
            "measure every combination at least twice",
        )
    misfit = cells.mean - centre - design @ estimates
    squares = (cells.sum_sq + cells.n * misfit**2) / free**power
    if squares.sum() <= _NEGLIGIBLE * float(cells.n @ (cells.mean - centre) ** 2):
        raise InputError("all values of a combination are equal", "there is no scatter to test against")
    return estimates, bread @ (design.T @ (squares[:, None] * design)) @ bread


def _need_scatter(cells: Groups, factor: str) -> None:
    for level, n, sum_sq in zip(cells.factors[factor].levels, cells.n, cells.sum_sq, strict=True):
        if n < 2 or sum_sq <= 0:
            raise InputError(
                f"level '{level}' of '{factor}' has no scatter ({n:.0f} values)", "measure it at least twice"
            )
