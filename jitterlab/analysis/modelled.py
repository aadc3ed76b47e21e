# SPDX-License-Identifier: Apache-2.0
"""Levels compared by a model, where no combination of the other factors tells them apart by itself.

In screening designs no two runs differ in one factor only, and in small studies every combination is measured
once. The model of the analysis of variance then says what each level has on average over all combinations of
the others (least-squares means: Searle, Speed and Milliken, "Population marginal means in the linear model",
The American Statistician 34, 1980), with one variance for all runs.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from jitterlab.analysis.designmatrix import Array, Factor, Names, columns, sum_contrasts
from jitterlab.analysis.estimates import Estimates
from jitterlab.analysis.leastsquares import rank_of

if TYPE_CHECKING:
    import pandas as pd

BLOCK = "block"
_NOTHING = 1e-9


class Models:
    """The models of a set of units, each fitted once for all pairs of levels that are compared.

    Args:
        units: One row per unit: `block`, the factors of the terms, and `mean`.
        terms: The model, with all main effects.
    """

    def __init__(self, units: "pd.DataFrame", terms: tuple[Names, ...]) -> None:
        self._units, self._terms = units, terms

    @cached_property
    def _fitted(self) -> "tuple[_Model, ...]":
        """With and without interactions and blocks, the fullest first."""
        main = tuple(term for term in self._terms if len(term) == 1)
        blocks = self._units[BLOCK].nunique()
        with_block = 1 < blocks < len(self._units)
        tried = [
            model
            for terms in dict.fromkeys((self._terms, main))
            for model in ([((BLOCK,), *terms), terms] if with_block else [terms])
        ]
        return tuple(_fit(self._units, terms) for terms in tried)

    def compare(self, factor: str, a: str, b: str) -> Estimates | None:
        """What the fullest model that can tell says about two levels; None if none can, or has no error."""
        for model in self._fitted:
            found = model.compare(factor, a, b)
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class _Model:
    """A model that was fitted by least squares.

    Attributes:
        parts: The columns of each term.
        factors: The factors of the terms.
        normal: The normal equations' matrix.
        inverse: Its pseudo-inverse.
        estimates: The coefficients of the values without their centre.
        centre: The mean of all values.
        df: Degrees of freedom of the error.
        variance: Of the error; 0 where it has no degrees of freedom.
    """

    parts: dict[Names, Array]
    factors: dict[str, Factor]
    normal: Array
    inverse: Array
    estimates: Array
    centre: float
    df: int
    variance: float

    def compare(self, factor: str, a: str, b: str) -> Estimates | None:
        if self.df <= 0:
            return None
        wanted = np.array([_mean_of(self.parts, factor, self.factors[factor], level) for level in (a, b)])
        if np.abs(wanted @ self.inverse @ self.normal - wanted).max() >= _NOTHING:
            return None
        means = wanted @ self.estimates + self.centre
        covariance = wanted @ self.inverse @ wanted.T * self.variance
        return Estimates(
            float(means[0]),
            float(means[1]),
            float(covariance[0, 0]),
            float(covariance[1, 1]),
            float(covariance[0, 1]),
            self.df,
        )


def _fit(units: "pd.DataFrame", terms: tuple[Names, ...]) -> _Model:
    names = dict.fromkeys(name for term in terms for name in term)
    factors = {name: _factor(units, name) for name in names}
    parts = columns(terms, factors)
    design = np.hstack([np.ones((len(units), 1)), *parts.values()])
    df = len(units) - rank_of(design)
    normal = design.T @ design
    inverse = np.linalg.pinv(normal)
    values = units["mean"].to_numpy(float)
    centre = float(values.mean())
    estimates = inverse @ (design.T @ (values - centre))
    rest = values - centre - design @ estimates
    variance = float(rest @ rest) / df if df > 0 else 0.0
    return _Model(parts, factors, normal, inverse, estimates, centre, df, variance)


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
