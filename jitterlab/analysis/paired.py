# SPDX-License-Identifier: Apache-2.0
"""Two levels over the combinations of the other factors that both have, inside blocks that are complete.

Every combination weighs the same and has its own variance. What blocks differ in is taken out if all of them
hold the same runs; where boots are the blocks, if all boots with the same settings do.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.contrast import Contrast, contrast
from jitterlab.analysis.designmatrix import Array
from jitterlab.analysis.estimates import over_groups, resample

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]
Sides = tuple[tuple[Array, ...], tuple[Array, ...]]


@dataclass(frozen=True, slots=True)
class Levels:
    """The values of two levels, one array per combination that both have.

    Attributes:
        a: Of the reference.
        b: Of the level.
        centred: The same without what blocks differ in, scaled so that their variances are unbiased; None
            unless blocks hold the same combinations, equally often.
        df: Degrees of freedom that are left in `centred`.
    """

    a: tuple[Array, ...]
    b: tuple[Array, ...]
    centred: Sides | None
    df: int


def levels_of(units: "pd.DataFrame", factor: str, a: str, b: str) -> Levels | None:
    """The values of two levels in the combinations that both have; None if there is none.

    Args:
        units: One row per unit: `block`, `plot` (what is the same for all runs of a block by design), `cell`
            (the combination of the other factors), the factor, and `mean`.
        factor: The factor.
        a: The reference.
        b: The level.
    """
    frame = units[units[factor].isin([a, b])].sort_values("block", kind="stable")
    cells, is_b = frame["cell"].to_numpy(dtype=object), (frame[factor] == b).to_numpy()
    shared = sorted(set(cells[is_b]) & set(cells[~is_b]))
    if not shared:
        return None
    kept = frame["cell"].isin(shared).to_numpy()
    plots = frame["plot"].to_numpy(dtype=object)[kept]
    plot = _codes(plots)
    block = _codes(zip(plots, frame["block"].to_numpy()[kept], strict=True))
    # Group 2k is combination k with level a, group 2k + 1 the same with level b.
    group = 2 * np.searchsorted(shared, cells[kept]) + is_b[kept]
    values = frame["mean"].to_numpy(dtype=np.float64)[kept]
    df = len(values) - 2 * len(shared) - (block.max() - plot.max())
    return Levels(*_by_side(values, group), _centred(values, group, block, plot), int(df))


def paired(levels: Levels, statistic: str, unit: str, seed: int) -> Contrast:
    """The contrast of two levels that have two units in each combination.

    Args:
        levels: Their values.
        statistic: Its name.
        unit: Its unit.
        seed: Of the resampling.
    """
    estimates = over_groups(levels.a, levels.b)
    if levels.centred is None:
        return contrast(statistic, unit, estimates, "runs", resampled=resample(levels.a, levels.b, seed))
    inside = over_groups(*levels.centred)
    covariance = (estimates.variance_a + estimates.variance_b - inside.standard_error**2) / 2
    known = replace(estimates, covariance=covariance, df=min(inside.df, levels.df))
    return contrast(statistic, unit, known, "runs in blocks", resampled=resample(*levels.centred, seed))


def _codes(keys: Iterable[Hashable]) -> IntArray:
    """The number of each key, from 0, in the order in which they first come."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _centred(values: Array, group: IntArray, block: IntArray, plot: IntArray) -> Sides | None:
    """The values without what blocks differ in; None unless all blocks of a plot hold the same runs."""
    sizes = np.zeros((block.max() + 1, group.max() + 1), dtype=np.int64)
    np.add.at(sizes, (block, group), 1)
    first_of_block = np.unique(block, return_index=True)[1]
    first_of_plot = block[np.unique(plot, return_index=True)[1]]
    alike = bool((sizes == sizes[first_of_plot[plot[first_of_block]]]).all())
    widths = sizes.sum(axis=1)
    width = int(widths[0])
    if not alike or (widths != width).any() or width < 2 or block.max() == plot.max():
        return None
    rest = values - _means(values, block) + _means(values, plot)
    cell_mean = _means(rest, group)
    return _by_side(cell_mean + (rest - cell_mean) * sqrt(width / (width - 1)), group)


def _means(values: Array, code: IntArray) -> Array:
    """For each value the mean of those with the same code."""
    return (np.bincount(code, values) / np.maximum(np.bincount(code), 1))[code]


def _by_side(values: Array, group: IntArray) -> Sides:
    """The values of both levels, one array per combination."""
    found = [values[group == number] for number in range(group.max() + 1)]
    return tuple(found[0::2]), tuple(found[1::2])
