# SPDX-License-Identifier: Apache-2.0
"""Modes: whether a response has several typical values, where they are, and how often each comes.

A distribution with two modes (a core that sleeps or not, a cache that is warm or not) is not described by its
mean. Modes are found by recursion with the dip test (Maurus and Plant, "Skinny-dip", KDD 2016): where a part
has more than one mode, the modal interval is searched, then what is left and right of it. Neighbours that one
mode would explain as well (the flank of a mode looks like a mode where it is cut) are put together.

A clock's steps look like modes to that test, so every value is first spread evenly over one quantum. The test
looks at up to 10,000 values, drawn evenly from the counts: modes of less than about 3 % of the samples may
stay unseen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.dip import dip
from jitterlab.analysis.wording import listing, number, percent, probability, quantity
from jitterlab.recording import Counts

SIGNIFICANCE = 0.01
FEWEST = 100
MOST = 10_000
_MOST_MODES = 10
_ALMOST_ALL = 0.9

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mode:
    """One typical value.

    Attributes:
        location: Where the mode is densest, in `unit`.
        low: Smallest value that belongs to it, in `unit`.
        high: Largest value that belongs to it, in `unit`.
        share: Share of all samples between `low` and `high`, 0 to 1.
    """

    location: float
    low: int
    high: int
    share: float


@dataclass(frozen=True, slots=True)
class Modes:
    """The modes of a response.

    Attributes:
        modes: In ascending order; one if nothing speaks for several; none if refused.
        dip: Dip statistic of the whole; None if refused.
        p: Probability of so large a dip with one mode: 0.001 stands for at most that; None if refused.
        quantum: Step of the clock over which values were spread, in `unit`.
        n: Number of samples.
        n_used: Number of values that the test looked at.
        unit: Unit of the values.
        refusal: Why nothing can be said, as a sentence; None if something can.
    """

    modes: tuple[Mode, ...]
    dip: float | None
    p: float | None
    quantum: float
    n: int
    n_used: int
    unit: str
    refusal: str | None = None

    @property
    def multimodal(self) -> bool:
        """Whether there are several modes."""
        return len(self.modes) > 1

    def sentence(self) -> str:
        """The modes in words."""
        if self.refusal is not None or self.p is None:
            return str(self.refusal)
        tested = f"dip test {probability(self.p)}, {number(self.n_used, 'value')} of {self.n:,}"
        if not self.multimodal:
            return f"There is one mode, at {quantity(self.modes[0].location, self.unit)} ({tested})."
        places = [f"{quantity(mode.location, self.unit)} ({percent(mode.share)})" for mode in self.modes]
        return f"There are {len(self.modes)} modes, at {listing(places)}; a mean hides them ({tested})."


def modes(counts: Counts, unit: str, *, quantum: float | None = None, seed: int = 0) -> Modes:
    """The modes of a response.

    Args:
        counts: Exact counts of the samples, best of one run or one cell.
        unit: Unit of the values.
        quantum: Step of the clock, in `unit`; by default it is read from the values.
        seed: Seed of the spreading.
    """
    step = clock_step(counts) if quantum is None else quantum
    if counts.n < FEWEST:
        reason = f"Modes are not judged: that takes at least {FEWEST} samples, there are {counts.n}."
        return Modes((), None, None, step, counts.n, 0, unit, reason)
    origin = int(counts.values[0])
    near = Counts(counts.values - origin, counts.counts)  # a large common offset costs no digits
    values = _spread(near, step, np.random.default_rng(seed))
    whole = dip(values)
    intervals = _merged(values, _modal_intervals(values, modal=False))[:_MOST_MODES]
    borders = [_valley(values, left[1], right[0]) for left, right in pairwise(intervals)]
    found = tuple(_mode(near, values, low, high) for low, high in pairwise([-np.inf, *borders, np.inf]))
    found = tuple(
        Mode(mode.location + origin, mode.low + origin, mode.high + origin, mode.share) for mode in found
    )
    return Modes(found, whole.dip, whole.p, step, counts.n, len(values), unit)


def assigned(found: Modes, counts: Counts) -> tuple[float, ...]:
    """The share of samples (of a run, for example) that falls to each mode that was found."""
    borders = np.searchsorted(counts.values, [mode.low for mode in found.modes[1:]])
    cumulative = np.concatenate(([0], np.cumsum(counts.counts)))
    return tuple((np.diff(cumulative[[0, *borders, len(counts.values)]]) / max(counts.n, 1)).tolist())


def in_runs(found: Modes, runs: Sequence[Counts]) -> str:
    """Whether runs have the modes alike or differ in them, in words; empty for one mode or one run."""
    if not found.multimodal or len(runs) < 2:
        return ""
    shares = np.array([assigned(found, run) for run in runs])
    if shares.max(axis=1).min() >= _ALMOST_ALL:
        return (
            f"Each of {len(runs)} runs stays in one of them: it is the runs that differ, not their samples."
        )
    low, high = float(shares[:, 0].min()), float(shares[:, 0].max())
    return f"Of the samples of a run, {percent(low)} to {percent(high)} are in the first ({len(runs)} runs)."


def clock_step(counts: Counts) -> float:
    """The step between neighbouring values where most samples are: the quantum of the clock, or finer detail.

    At least the greatest common divisor of all steps; 1 if there is one value only.
    """
    steps = np.diff(counts.values)
    if not len(steps):
        return 1.0
    weights = np.minimum(counts.counts[1:], counts.counts[:-1])
    order = np.argsort(steps)
    cumulative = np.cumsum(weights[order])
    typical = steps[order][np.searchsorted(cumulative, cumulative[-1] / 2)]
    return float(max(typical, gcd(*steps.tolist())))


def _spread(counts: Counts, step: float, rng: np.random.Generator) -> FloatArray:
    """At most MOST values, drawn evenly from the ordered samples and spread over one step; ascending."""
    size = min(counts.n, MOST)
    ranks = (np.arange(size) + (rng.random(size) if size < counts.n else 0)) * (counts.n / size)
    drawn = counts.values[np.searchsorted(np.cumsum(counts.counts), ranks.astype(np.int64), side="right")]
    return np.sort(drawn + rng.uniform(-step / 2, step / 2, size))


def _modal_intervals(values: FloatArray, *, modal: bool) -> list[tuple[float, float]]:
    """The stretches of ordered values that each hold one mode."""
    if len(values) < 4:
        return []
    test = dip(values)
    low, high = values[test.low], values[test.high]
    if test.p > SIGNIFICANCE or (test.low == 0 and test.high == len(values) - 1):
        return [(values[0], values[-1])] if modal else [(low, high)]
    inner = _modal_intervals(values[test.low : test.high + 1], modal=True) or [(low, high)]
    found = list(inner)
    if dip(values[values <= inner[0][1]]).p <= SIGNIFICANCE:
        found = _modal_intervals(values[: test.low], modal=False) + found
    if dip(values[values >= inner[-1][0]]).p <= SIGNIFICANCE:
        found = found + _modal_intervals(values[test.high + 1 :], modal=False)
    return found


def _merged(values: FloatArray, intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The stretches, after putting neighbours together that are no more than one mode."""
    found = intervals or [(values[0], values[-1])]
    while len(found) > 1:
        tests = [dip(values[(values >= left[0]) & (values <= right[1])]) for left, right in pairwise(found)]
        weakest = int(np.argmin([np.sqrt(test.n) * test.dip for test in tests]))
        if tests[weakest].p <= SIGNIFICANCE:
            break
        found[weakest : weakest + 2] = [(found[weakest][0], found[weakest + 1][1])]
    return found


def _valley(values: FloatArray, left: float, right: float) -> float:
    """Where values are rarest between two modes: the middle of the widest step over a few values."""
    first, last = np.searchsorted(values, left, side="right") - 1, np.searchsorted(values, right)
    between = values[first : last + 1]
    reach = max(1, int(np.sqrt(len(between)) / 2))
    gaps = between[reach:] - between[:-reach]
    widest = int(np.argmax(gaps))
    return float((between[widest] + between[widest + reach]) / 2)


def _mode(counts: Counts, values: FloatArray, low: float, high: float) -> Mode:
    """The mode between two borders: exact share and ends from the counts, location from the spread values."""
    first, last = np.searchsorted(counts.values, [low, high])
    inside = counts.counts[first:last]
    spread = values[(values >= low) & (values < high)]
    half = max(1, len(spread) // 2)
    start = int(np.argmin(spread[half:] - spread[: len(spread) - half])) if len(spread) > half else 0
    location = float(np.median(spread[start : start + half + 1]))
    return Mode(
        location, int(counts.values[first]), int(counts.values[last - 1]), float(inside.sum()) / counts.n
    )
