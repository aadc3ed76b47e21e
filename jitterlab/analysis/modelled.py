# SPDX-License-Identifier: Apache-2.0
"""Levels compared by a model, where no combination of the other factors tells them apart by itself.

In screening designs no two runs differ in one factor only, and in small studies every combination is measured
once. The model of the analysis of variance then says what each level has on average over all combinations of
the others (least-squares means: Searle, Speed and Milliken, "Population marginal means in the linear model",
The American Statistician 34, 1980), with one variance for all runs.
"""

from typing import TYPE_CHECKING

import numpy as np

from jitterlab.analysis.designmatrix import Array, Factor, Names, columns, sum_contrasts
from jitterlab.analysis.estimates import Estimates
from jitterlab.analysis.leastsquares import rank_of

if TYPE_CHECKING:
    import pandas as pd

BLOCK = "block"
_NOTHING = 1e-9


def by_model(
    units: "pd.DataFrame", terms: tuple[Names, ...], factor: str, a: str, b: str
) -> Estimates | None:
    """What a model says about two levels; None if it cannot tell them, or leaves nothing for the error.

    Of the model with and without blocks and interactions, the fullest that can tell is taken.

    Args:
        units: One row per unit: `block`, the factors of the terms, and `mean`.
        terms: The model, with all main effects.
        factor: The factor.
        a: Its first level.
        b: Its second level.
    """
    main = tuple(term for term in terms if len(term) == 1)
    blocks = units[BLOCK].nunique()
    with_block = 1 < blocks < len(units)
    for model in dict.fromkeys((terms, main)):
        for tried in ((BLOCK,), *model) if with_block else model, model:
            found = _fitted(units, tried, factor, a, b)
            if found is not None:
                return found
    return None


def _fitted(units: "pd.DataFrame", terms: tuple[Names, ...], factor: str, a: str, b: str) -> Estimates | None:
    names = dict.fromkeys(name for term in terms for name in term)
    factors = {name: _factor(units, name) for name in names}
    parts = columns(terms, factors)
    design = np.hstack([np.ones((len(units), 1)), *parts.values()])
    df = len(units) - rank_of(design)
    wanted = np.array([_mean_of(parts, factor, factors[factor], level) for level in (a, b)])
    inverse = np.linalg.pinv(design.T @ design)
    told = np.abs(wanted @ inverse @ (design.T @ design) - wanted).max() < _NOTHING
    if not (told and df > 0):
        return None
    values = units["mean"].to_numpy(float)
    centre = values.mean()
    estimates = inverse @ (design.T @ (values - centre))
    rest = values - centre - design @ estimates
    means = wanted @ estimates + centre
    covariance = wanted @ inverse @ wanted.T * float(rest @ rest) / df
    return Estimates(
        float(means[0]),
        float(means[1]),
        float(covariance[0, 0]),
        float(covariance[1, 1]),
        float(covariance[0, 1]),
        df,
    )


def _factor(units: "pd.DataFrame", name: str) -> Factor:
    levels, codes = np.unique(units[name].astype(str).to_numpy(), return_inverse=True)
    return Factor(tuple(str(level) for level in levels), codes.astype(np.int64))


def _mean_of(parts: dict[Names, Array], factor: str, levels: Factor, level: str) -> Array:
    """What the mean of a level over all combinations of the others is made of: all else sums to zero."""
    row = [np.ones(1)]
    for term, part in parts.items():
        contrasts = sum_contrasts(len(levels.levels))[levels.levels.index(level)]
        row.append(contrasts if term == (factor,) else np.zeros(part.shape[1]))
    return np.concatenate(row)
