# SPDX-License-Identifier: Apache-2.0
"""Two sides in one statistic: what the units are, and where their error comes from.

Runs are the units where both sides were measured in turn. What all runs of a block share (a boot, the hour of
a session) does not cancel where they belong to one side: the blocks are then the units, as boots are in a
split-plot design (Cochran and Cox, "Experimental Designs", 1957, chapter 7).
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis import bootstrap
from jitterlab.analysis.contrast import Contrast, contrast, refused
from jitterlab.analysis.estimates import (
    Estimates,
    of_blocks,
    over_blocks,
    over_groups,
    over_pairs,
    over_plots,
    resample,
)
from jitterlab.analysis.sides import Matched
from jitterlab.analysis.statistic import Statistic
from jitterlab.errors import InputError
from jitterlab.recording import Counts

FEWEST_SAMPLES = 100
_NO_SERIES = "There is one run on a side, without the order of its samples."
_EXTREME = "How much extremes of other runs would differ cannot be seen inside single runs: repeat them."

FloatArray = NDArray[np.float64]


def contrast_of(
    statistic: Statistic,
    matched_runs: Matched,
    unit: str,
    margin: float,
    seed: int,
    *,
    interleaved: bool,
    boots: Sequence[str],
) -> Contrast:
    """The contrast in one statistic over runs, blocks, cells or samples, or its refusal.

    Args:
        statistic: What stands for a run.
        matched_runs: The runs of both sides.
        unit: Unit of the response.
        margin: Relative difference that does not matter.
        seed: Seed of the resampling.
        interleaved: Whether the runs of both sides were taken in turn, in one session.
        boots: The factors that are set by a boot.
    """
    own, (pairs, _) = statistic.unit(unit), matched_runs.supporting(statistic)
    try:
        a, b = (
            [np.array([statistic.of(run.counts, where=f"run {run.run}") for run in group]) for group in side]
            for side in (pairs.a, pairs.b)
        )
    except InputError as error:
        return refused(statistic.name, own, f"{error}.")
    told = partial(contrast, statistic.name, own, margin=margin)
    if pairs.units_of_analysis == "runs":
        return _over_runs(told, a, b, pairs, seed, interleaved=interleaved, boots=boots)
    means = [np.array([group.mean() for group in side]) for side in (a, b)]
    if pairs.units_of_analysis == "cells":
        return told(over_pairs(*means), "pairs of cells")
    both = (float(means[0].mean()), float(means[1].mean()))
    extreme = statistic.name in {"min", "max"}  # a resample never exceeds the largest sample
    estimates = None if extreme else _inside_runs(statistic, pairs, both, seed)
    if estimates is None:
        return refused(statistic.name, own, _EXTREME if extreme else _NO_SERIES, both)
    return told(estimates, "blocks of samples inside the runs")


def _over_runs(
    told: Callable[..., Contrast],
    a: list[FloatArray],
    b: list[FloatArray],
    pairs: Matched,
    seed: int,
    *,
    interleaved: bool,
    boots: Sequence[str],
) -> Contrast:
    """The contrast of sides with repeated runs.

    Where all runs of a block belong to one side, what they share (a boot, the hour of a session) does not
    cancel: the blocks are then the units.
    """
    booted = pairs.booted(boots)
    if not booted and interleaved and pairs.in_blocks:
        parts = [over_blocks([a[i] for i in plot], [b[i] for i in plot]) for plot in pairs.plots(boots)]
        return told(over_plots(parts), "runs in blocks")
    counted = "runs"
    if booted or not interleaved:
        first, second = (of_blocks(side, at) for side, at in zip((a, b), pairs.blocks(), strict=True))
        if first is not None and second is not None:
            if interleaved and pairs.in_blocks:
                return told(over_pairs(first, second), "pairs of blocks")
            a, b, counted = [first], [second], "blocks"
    again = resample(a, b, seed)
    how = f"Welch and Fieller over {counted}" if again is None else f"bootstrap over {counted}"
    return told(over_groups(a, b), how, resampled=again)


def _inside_runs(
    statistic: Statistic, pairs: Matched, both: tuple[float, float], seed: int
) -> Estimates | None:
    """Both sides with errors from the samples of single runs; None if the samples are not there."""
    variances: list[float] = []
    for side, groups in zip(pairs.sides, (pairs.a, pairs.b), strict=True):
        errors: list[float] = []
        for run in (run for group in groups for run in group):
            samples = side.series(run.run)
            if samples is None or len(samples) < FEWEST_SAMPLES:
                return None
            part = bootstrap.within_run(samples, partial(_of_samples, statistic), "", seed=seed + run.run)
            errors.append(part.standard_error or 0.0)
        variances.append(sum(error**2 for error in errors) / len(errors) ** 2)
    return Estimates(*both, variances[0], variances[1], df=bootstrap.SECTIONS - 1)


def _of_samples(statistic: Statistic, samples: FloatArray) -> float:
    """The statistic of samples, as `Statistic.of` has it for counts."""
    if statistic.probability is not None:
        return float(np.quantile(samples, statistic.probability, method="inverted_cdf"))
    return statistic.of(Counts.of(samples))
