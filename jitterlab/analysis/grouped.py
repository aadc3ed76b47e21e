# SPDX-License-Identifier: Apache-2.0
"""Groups of values by the factors of a model: what an analysis of variance is computed from."""

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.designmatrix import Array, Factor
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 2000


@dataclass(frozen=True)
class Groups:
    """The moments of every combination of levels that occurs.

    Attributes:
        factors: The factors, coded per cell.
        n: Values per cell.
        mean: Their mean.
        sum_sq: Sum of squared deviations from it.
    """

    factors: dict[str, Factor]
    n: NDArray[np.float64]
    mean: Array
    sum_sq: Array

    @property
    def pure_sum_sq(self) -> float:
        """Sum of squares inside the cells."""
        return float(self.sum_sq.sum())

    @property
    def pure_df(self) -> int:
        """Degrees of freedom inside the cells."""
        return int(self.n.sum()) - len(self.n)

    def empty(self, but: tuple[str, ...] = ()) -> int:
        """How many combinations of levels do not occur, of all factors but some."""
        factors = [factor for name, factor in self.factors.items() if name not in but]
        if not factors:
            return 0
        found = len(set(zip(*(factor.codes.tolist() for factor in factors), strict=True)))
        return prod(len(factor.levels) for factor in factors) - found


def grouped(groups: "pd.DataFrame", factors: tuple[str, ...]) -> Groups:
    """Put the rows with the same levels of the factors together.

    Args:
        groups: Rows with the factors, `n`, `mean` and `variance`.
        factors: The factors of the model; others are pooled.

    Raises:
        InputError: A factor is missing or has only one level, or a row holds no usable numbers.
    """
    _check(groups, factors)
    coded = {name: _factor(groups[name].astype(str).to_numpy()) for name in factors}
    keys, cell = np.unique(np.stack([factor.codes for factor in coded.values()]), axis=1, return_inverse=True)
    if keys.shape[1] > MOST_CELLS:
        raise InputError(
            f"the factors have {keys.shape[1]} combinations of levels, more than {MOST_CELLS}",
            "leave out a factor, or one with a level per row",
        )
    cell = cell.reshape(-1)
    n, mean = groups["n"].to_numpy(float), groups["mean"].to_numpy(float)
    variance = np.where(n > 1, groups["variance"].to_numpy(float), 0.0)
    total = _sums(cell, n)
    origin = mean[np.unique(cell, return_index=True)[1]]
    centre = origin + _sums(cell, n * (mean - origin[cell])) / total
    inside = _sums(cell, (n - 1) * variance + n * (mean - centre[cell]) ** 2)
    reduced = {name: Factor(factor.levels, keys[place]) for place, (name, factor) in enumerate(coded.items())}
    return Groups(reduced, total, centre, inside)


def _sums(cell: NDArray[np.intp], values: Array) -> Array:
    return np.bincount(cell, values).astype(np.float64)


def _factor(values: "NDArray[np.object_]") -> Factor:
    levels, codes = np.unique(values, return_inverse=True)
    return Factor(tuple(str(level) for level in levels), codes.astype(np.int64))


def _check(groups: "pd.DataFrame", factors: tuple[str, ...]) -> None:
    known = [name for name in groups.columns if name not in ("n", "mean", "variance")]
    for name in factors:
        if name not in known:
            raise InputError(
                f"there is no factor '{name}'{_hint(name, known)}", f"choose from: {', '.join(known)}"
            )
        if groups[name].nunique() < 2:
            level = groups[name].iloc[0] if len(groups) else "none"
            raise InputError(
                f"factor '{name}' has only one level ({level})",
                "leave it out of the formula or measure a second level",
            )
    numbers = groups[["n", "mean", "variance"]].to_numpy(float)
    usable = np.isfinite(numbers[:, :2]).all(axis=1) & (numbers[:, 0] >= 1)
    usable &= (numbers[:, 0] == 1) | (np.isfinite(numbers[:, 2]) & (numbers[:, 2] >= 0))
    if not usable.all():
        place = int(np.flatnonzero(~usable)[0])
        raise InputError(
            f"row {place + 1} has no usable n, mean and variance: {numbers[place].tolist()}",
            "give n of at least 1, a finite mean, and a variance of at least 0",
        )


def _hint(name: str, known: list[str]) -> str:
    similar = next((other for other in known if other.casefold() == name.casefold()), None)
    return f" (but '{similar}': capital letters count)" if similar else ""
