# SPDX-License-Identifier: Apache-2.0
"""Factorial analysis of variance from count, mean and variance per cell: what decides how late things are.

Everything comes from weighted least squares on the cell means plus the pure error inside the cells, which
equals the analysis of the raw values: Searle, "Linear Models for Unbalanced Data" (1987), chapters 4 and 8.
"""

from typing import TYPE_CHECKING

import numpy as np

from jitterlab.analysis import scatter
from jitterlab.analysis.anovatable import Anova, ErrorPart, Row, Term, Type, Unit, p_text, table
from jitterlab.analysis.designmatrix import columns
from jitterlab.analysis.formula import Formula, parse
from jitterlab.analysis.grouped import Groups, grouped
from jitterlab.analysis.leastsquares import Decomposition, decompose
from jitterlab.analysis.wording import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Anova", "ErrorPart", "Term", "Type", "Unit", "anova", "lack_of_fit", "p_text", "unestimable"]

_WELL_KNOWN = 30
"""Values per combination from which its standard deviation can be compared with others."""


def anova(
    groups: "pd.DataFrame",
    formula: str | Formula,
    type: Type = 2,  # noqa: A002 (the word of the field)
    *,
    unit_of_analysis: Unit = "sample",
    blocks: tuple[str, ...] = ("block",),
) -> Anova:
    """Analyse the variance of grouped values.

    Args:
        groups: One row per group: the factors of the formula, `n`, `mean` and `variance` (n - 1 in the
            denominator; ignored where n is 1). Rows with the same levels are put together. A run is a group
            with n = 1.
        formula: The model; the response on its left is only a name here.
        type: Type of the sums of squares.
        unit_of_analysis: What one of the n is.
        blocks: Terms that are nuisance factors of the design: they get a row of the kind `block`.

    Raises:
        InputError: A factor is not there or has one level, or the groups are not usable.
    """
    model = parse(formula) if isinstance(formula, str) else formula
    cells = grouped(groups, model.factors)
    design = columns(model.terms, cells.factors)
    parts = decompose(design, cells.n, cells.mean, type)
    error = Row(
        "Residual", parts.lack_of_fit + cells.pure_sum_sq, parts.lack_of_fit_df + cells.pure_df, "error"
    )
    total = parts.total + cells.pure_sum_sq
    rows = [
        Row(":".join(term), share.sum_sq, share.df, "block" if set(term) <= set(blocks) else "effect", error)
        for term, share in parts.shares.items()
    ]
    return Anova(
        terms=table([*rows, error], total),
        formula=str(model),
        response=model.left,
        type=type,
        unit_of_analysis=unit_of_analysis,
        n=int(cells.n.sum()),
        total_sum_sq=total,
        r_squared=1 - error.sum_sq / total if total > 0 else None,
        pure_error=ErrorPart(cells.pure_sum_sq, cells.pure_df),
        lack_of_fit=lack_of_fit(parts, cells),
        notes=_remarks(parts, cells.empty(blocks), type, error) + _scatter(cells, unit_of_analysis),
    )


def lack_of_fit(parts: Decomposition, cells: Groups) -> ErrorPart:
    """What the cell means have beyond the model, tested against the scatter inside the cells."""
    part = Row("lack of fit", parts.lack_of_fit, parts.lack_of_fit_df, "effect", pure := _pure(cells))
    tested = table([part, pure], part.sum_sq + pure.sum_sq)[0]
    return ErrorPart(tested.sum_sq, tested.df, tested.F, tested.p)


def _pure(cells: Groups) -> Row:
    return Row("pure error", cells.pure_sum_sq, cells.pure_df, "error")


def _remarks(parts: Decomposition, empty: int, type_: Type, error: Row) -> tuple[str, ...]:
    """What a reader must know about the design and the error."""
    notes = []
    if empty:
        has = "has" if empty == 1 else "have"
        notes.append(f"{number(empty, 'combination')} of levels {has} no data.")
    gaps = unestimable(parts)
    if gaps and type_ == 3:
        notes.append("With such gaps type 3 tests depend on the coding of the levels: prefer type 2.")
    if error.df == 0:
        notes.append(
            "Nothing is left to estimate the error with: no F and p. Measure replicates or drop terms."
        )
    elif error.sum_sq == 0:
        notes.append("The model leaves no scatter: there is no error to test against, so no F and p.")
    return gaps + tuple(notes)


def _scatter(cells: Groups, unit_of_analysis: Unit) -> tuple[str, ...]:
    """A warning if well-known standard deviations differ."""
    if unit_of_analysis == "run" or cells.n.min() < _WELL_KNOWN:
        return ()
    found = scatter.warning(np.sqrt(cells.sum_sq / (cells.n - 1)).tolist())
    return (found,) if found else ()


def unestimable(parts: Decomposition) -> tuple[str, ...]:
    """Which terms the measured combinations cannot tell apart from others, as sentences."""
    return tuple(
        f"Of {':'.join(term)} {share.df} of {share.full_df} degrees of freedom can be estimated: "
        "the rest cannot be told apart from other terms in the combinations that were measured."
        for term, share in parts.shares.items()
        if share.df < share.full_df
    )
