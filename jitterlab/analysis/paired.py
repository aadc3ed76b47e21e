# SPDX-License-Identifier: Apache-2.0
"""Two levels over the combinations of the other factors that both have, inside blocks that are complete.

Every combination weighs the same and has its own variance. What blocks differ in is taken out if all of them
hold the same runs; where boots are the blocks, if all boots with the same settings do.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from jitterlab.analysis.contrast import Contrast, contrast
from jitterlab.analysis.designmatrix import Array
from jitterlab.analysis.estimates import over_groups, resample

if TYPE_CHECKING:
    import pandas as pd


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
    centred: tuple[tuple[Array, ...], tuple[Array, ...]] | None
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
    pair = units[units[factor].isin([a, b])]
    shared = sorted(set(pair.loc[pair[factor] == a, "cell"]) & set(pair.loc[pair[factor] == b, "cell"]))
    if not shared:
        return None
    pair = pair[pair["cell"].isin(shared)].sort_values("block", kind="stable")
    keys = [pair["cell"], pair[factor]]
    blocks = pair.groupby(["plot", "block"])["mean"]
    width, plots = int(blocks.size().iloc[0]), pair["plot"].nunique()
    centred = None
    if width > 1 and blocks.ngroups > plots and _complete(pair, factor):
        rest = pair["mean"] - blocks.transform("mean") + pair.groupby("plot")["mean"].transform("mean")
        cell_mean = rest.groupby(keys).transform("mean")
        centred = _by_side(cell_mean + (rest - cell_mean) * sqrt(width / (width - 1)), keys, shared, a, b)
    df = len(pair) - 2 * len(shared) - blocks.ngroups + plots
    return Levels(*_by_side(pair["mean"], keys, shared, a, b), centred, df)


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


def _complete(pair: "pd.DataFrame", factor: str) -> bool:
    """Whether every block of a plot holds the same runs, and all blocks equally many."""
    sizes = pair.pivot_table(
        index=["plot", "block"], columns=["cell", factor], values="mean", aggfunc="size", fill_value=0
    )
    alike = (sizes == sizes.groupby("plot").transform("first")).to_numpy().all()
    totals = sizes.sum(axis=1)
    return bool(alike) and bool((totals == totals.iloc[0]).all())


def _by_side(
    values: "pd.Series[float]", keys: "list[pd.Series[str]]", shared: list[str], a: str, b: str
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """The values of both levels, one array per combination."""
    found = {key: np.asarray(group, dtype=np.float64) for key, group in values.groupby(keys)}
    return tuple(found[cell, a] for cell in shared), tuple(found[cell, b] for cell in shared)
