# SPDX-License-Identifier: Apache-2.0
"""Warm-up and drift: whether the level of a run, or of a whole session, changes on the way.

Change points are searched with the exact algorithm PELT (Killick, Fearnhead and Eckley, JASA 107, 2012, from
ruptures) on ranks, so that outliers, quantised clocks and units do not matter. Detectors of change points
fire on series that are merely autocorrelated, therefore

- a run is first cut into batches of at least ten autocorrelation times, and their mean ranks are searched;
- the price of a change is what only 1 % of shuffled series would pay for one;
- what is left between the changes must look independent (Ljung and Box); if it does not, the level
  wanders, and no change point is claimed.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import ceil

import numpy as np
import ruptures
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from jitterlab.analysis.autocorrelation import LONGEST, acf, integrated_time
from jitterlab.analysis.wording import between, listing, number, percent, quantity

FALSE_ALARMS = 0.01
FEWEST_BATCHES = 20
MOST_BATCHES = 400
_TIMES_PER_BATCH = 10
_SECTIONS = 10
_SHUFFLES = 2000
_LAGS = 5

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Level:
    """A stretch without change.

    Attributes:
        first: Index of its first sample or run, from 0.
        last: Index of its last.
        median: Median of its values (of a session: median ratio to the cell's own level).
    """

    first: int
    last: int
    median: float


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether a level changes on the way.

    Attributes:
        levels: The stretches between changes, in order of time; one if nothing changes; none if refused.
        wanders: Whether the level wanders, so that single changes cannot be told.
        swing: Between which medians nine tenths of the batches are (of a session: ratios of the runs to their
            cells); None if refused.
        false_alarms: Probability of finding a change where there is none.
        batches: Number of batches that were searched.
        n: Number of samples or runs.
        counted: What n counts: "sample" or "run".
        unit: Unit of the medians.
        refusal: Why nothing can be said, as a sentence; None if something can.
    """

    levels: tuple[Level, ...]
    wanders: bool
    swing: tuple[float, float] | None
    false_alarms: float
    batches: int
    n: int
    counted: str
    unit: str
    refusal: str | None = None

    @property
    def stable(self) -> bool:
        """Whether something could be said, and it is that nothing changes."""
        return self.refusal is None and not self.wanders and len(self.levels) == 1

    @property
    def warmup(self) -> int:
        """Length of a first level that is left for good and no longer than a third of the whole; else 0."""
        if len(self.levels) < 2 or self.levels[0].last + 1 > self.n / 3:
            return 0
        return self.levels[0].last + 1

    def sentence(self) -> str:
        """What happens to the level, in words."""
        if self.refusal is not None:
            return self.refusal
        whole = number(self.n, self.counted)
        whole += "" if self.counted == "run" else f" in {self.batches:,} batches"
        if self.wanders and self.swing is not None:
            low, high = self.swing
            swing = f"{100 * (low - 1):+.3g} % to {100 * (high - 1):+.3g} % of the cell's own"
            if self.counted == "sample":
                swing = f"medians of batches from {between(low, high, self.unit)}"
            return f"The level wanders ({whole}; {swing}): no single change can be named."
        if len(self.levels) == 1:
            return f"No warm-up or drift is seen ({whole}; {percent(self.false_alarms)} false alarms)."
        if self.counted == "run":
            steps = [f"{100 * (step.median - 1):+.1f} % from run {step.first + 1}" for step in self.levels]
            return f"The level drifts over the session ({whole}): {listing(steps)} against the cell's own."
        if self.warmup:
            before, after = self.levels[:2]
            return (
                f"The first {number(self.warmup, self.counted)} differ from what follows: median "
                f"{quantity(before.median, self.unit)}, then {quantity(after.median, self.unit)} ({whole})."
            )
        steps = [f"{quantity(step.median, self.unit)} from {step.first + 1:,}" for step in self.levels]
        return f"The level changes during the run ({whole}): median {listing(steps)}."


def within_run(series: ArrayLike, unit: str) -> Drift:
    """Whether the level of a run changes: warm-up that was not cut off, steps, drift.

    Of more than a million samples every second, third, … is looked at.

    Args:
        series: The samples of one CPU in order of time.
        unit: Unit of the values.
    """
    n = len(np.asarray(series))
    stride = ceil(n / LONGEST) if n else 1
    values = np.asarray(np.asarray(series)[::stride], dtype=np.float64)
    ranks = stats.rankdata(values)
    time = _local_time(ranks) if len(ranks) >= _SECTIONS * FEWEST_BATCHES else 1.0
    batches = min(MOST_BATCHES, len(values) // ceil(_TIMES_PER_BATCH * time))
    if batches < FEWEST_BATCHES:
        needed = FEWEST_BATCHES * ceil(_TIMES_PER_BATCH * time) * stride
        reason = f"Drift is not judged: that takes about {needed:,} samples here, there are {n:,}."
        return Drift((), False, None, FALSE_ALARMS, batches, n, "sample", unit, reason)
    starts = np.cumsum([0, *(len(part) for part in np.array_split(ranks, batches))]) * stride
    means = np.array([part.mean() for part in np.array_split(ranks, batches)])
    changes, wanders = _changes(means, 1.0)
    borders = [0, *(int(starts[change]) for change in changes), n]
    levels = tuple(
        Level(first, after - 1, float(np.median(values[first // stride : ceil(after / stride)])))
        for first, after in pairwise(borders)
    )
    medians = [np.median(part) for part in np.array_split(values, batches)]
    return Drift(levels, wanders, _swing(np.array(medians)), FALSE_ALARMS, batches, n, "sample", unit)


def over_session(values: ArrayLike, cells: ArrayLike) -> Drift:
    """Whether the machine drifts over a session, beyond what the factors do.

    Args:
        values: One positive value per run (its median, for example) in order of time.
        cells: The cell of each run; every run is compared with the others of its cell.
    """
    runs, members = np.asarray(values, dtype=np.float64), np.unique(np.asarray(cells), return_inverse=True)[1]
    n, groups = len(runs), len(np.unique(members))
    spare = n - groups
    reason = None
    if n < FEWEST_BATCHES // 2 or spare < n / 2:
        few = f"{number(n, 'run')} of {number(groups, 'cell')} are too few"
        reason = f"Drift over the session is not judged: {few}."
    elif runs.min() <= 0:
        reason = "Drift over the session is not judged: a run's value is not positive."
    if reason is not None:
        return Drift((), False, None, FALSE_ALARMS, n, n, "run", "", reason)
    logs = np.log(runs)
    residuals = logs - (np.bincount(members, logs) / np.bincount(members))[members]
    changes, wanders = _changes(residuals, n / spare)
    borders = [0, *changes, n]
    levels = tuple(
        Level(first, after - 1, float(np.exp(np.median(residuals[first:after]))))
        for first, after in pairwise(borders)
    )
    return Drift(levels, wanders, _swing(np.exp(residuals)), FALSE_ALARMS, n, n, "run", "")


def _swing(values: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(values, [0.05, 0.95])
    return float(low), float(high)


def _local_time(ranks: FloatArray) -> float:
    """The autocorrelation time typical of a tenth of the run, so that a step does not count as memory."""
    sections = [part for part in np.array_split(ranks, _SECTIONS) if np.ptp(part)]
    return float(np.median([integrated_time(part) for part in sections])) if sections else 1.0


def _changes(values: FloatArray, price: float) -> tuple[list[int], bool]:
    """Where the level of independent values changes, and whether it wanders instead.

    Args:
        values: In order of time.
        price: Factor on the price of a change, for values with fewer degrees of freedom than their number.
    """
    n = len(values)
    scores = stats.norm.ppf(stats.rankdata(values) / (n + 1))
    spread = scores.std()
    if spread == 0:
        return [], False
    scores = scores / spread
    search = ruptures.KernelCPD(kernel="linear", min_size=2).fit(scores)
    changes = [int(end) for end in search.predict(pen=price * _penalty(n))[:-1]]
    rest = np.concatenate([part - part.mean() for part in np.split(scores, changes)])
    if _correlated(rest, len(changes)):
        return [], True
    return changes, False


def _correlated(rest: FloatArray, changes: int) -> bool:
    """Whether what is left between changes still depends on its neighbours."""
    n = len(rest)
    correlations = acf(rest, _LAGS)[1:]
    box = n * (n + 2) * np.sum(correlations**2 / (n - np.arange(1, _LAGS + 1)))
    forward = correlations[0] > 0
    return bool(forward and stats.chi2.sf(box, _LAGS) < FALSE_ALARMS) or changes > n / FEWEST_BATCHES + 2


@cache
def _penalty(n: int) -> float:
    """What a single change gains in 1 % of series of n values without one, by shuffling normal scores."""
    rng = np.random.default_rng(n)
    scores = stats.norm.ppf(np.arange(1, n + 1) / (n + 1))
    shuffled = rng.permuted(np.tile(scores / scores.std(), (_SHUFFLES, 1)), axis=1)
    sizes = np.arange(2, n - 1)
    sums = np.cumsum(shuffled, axis=1)[:, sizes - 1]
    gains = sums**2 * n / (sizes * (n - sizes))
    return float(np.quantile(gains.max(axis=1), 1 - FALSE_ALARMS))
