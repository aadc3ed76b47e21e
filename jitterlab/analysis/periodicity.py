# SPDX-License-Identifier: Apache-2.0
"""Whether the worst samples of a run come back at a regular spacing, which points to what causes them.

The times of the worst samples are looked at as a point process: its periodogram has the mean 1 at every
frequency if they come at random, and a line at every multiple of 1 / T if they come every T (Bartlett, "The
spectral analysis of point processes", JRSS B 25, 1963). Samples in a row count once; a line is measured
against the frequencies around it (bursts and drift lift all of them) and judged against all frequencies
that were searched, so that a run without period raises a false alarm at most about once in a hundred. The
period is the longest one that has most of its first five multiples.
"""

from dataclasses import dataclass
from math import ceil, exp, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from jitterlab.analysis.wording import number, percent, quantity

FALSE_ALARMS = 0.01
FEWEST_CYCLES = 8
LONGEST = 1 << 22
_WORST = (20, 60, 200, 600)
_LARGEST_SHARE = 0.05
_CANDIDATES = 50
_NEAR, _FAR = 4, 64
_HARMONICS = 5
_ALIKE = 0.5
_LEAST = 6.0
_REFINED = 401
_MOST_DIVISORS = 2000
_TOLERANCE = 0.02
_KNOWN = (
    (1e9, "real-time throttling (sched_rt_period_us) has this period"),
    (1e7, "the timer tick of a kernel with HZ=100 has this period"),
    (4e6, "the timer tick of a kernel with HZ=250 has this period"),
    (1e6, "the timer tick of a kernel with HZ=1000 has this period"),
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Periodicity:
    """Whether the worst samples of a run come back regularly.

    Attributes:
        period_ns: Spacing, in ns; None if none was found.
        share: Share of the worst samples that keep to it, beyond chance, 0 to 1; None if none was found.
        p: Probability that samples at random look so regular, after all that was tried; None if refused.
        worst: Number of worst samples that were looked at (those in a row count once).
        threshold: Smallest of them, in `unit`; None if refused.
        hint: What is known to have this period; None if nothing.
        n: Number of samples in the run.
        unit: Unit of the values.
        refusal: Why nothing can be said, as a sentence; None if something can.
    """

    period_ns: float | None
    share: float | None
    p: float | None
    worst: int
    threshold: float | None
    hint: str | None
    n: int
    unit: str
    refusal: str | None = None

    def sentence(self) -> str:
        """What was found, in words."""
        if self.refusal is not None:
            return self.refusal
        if self.period_ns is None or self.share is None or self.threshold is None:
            return f"The worst samples come at no regular spacing (n = {self.n:,})."
        hint = f": {self.hint}" if self.hint else ""
        return (
            f"{percent(self.share)} of the worst {number(self.worst, 'sample')} (from "
            f"{quantity(self.threshold, self.unit)}) come back every {quantity(self.period_ns, 'ns')}{hint}."
        )


def periodicity(due_ns: ArrayLike, values: ArrayLike, unit: str) -> Periodicity:
    """Whether the worst samples of a run come back regularly.

    Periods from four sampling intervals (two in very long runs) to an eighth of the run can be found.

    Args:
        due_ns: When the samples of one CPU were due, ascending, in ns.
        values: The samples.
        unit: Their unit.
    """
    due, latencies = np.asarray(due_ns, dtype=np.int64), np.asarray(values, dtype=np.float64)
    n = len(due)
    sizes = [size for size in _WORST if size <= n * _LARGEST_SHARE]
    if not sizes or np.ptp(latencies) == 0:
        few = ceil(_WORST[0] / _LARGEST_SHARE)
        reason = f"Regular spacing is not judged: that takes {few} samples that vary, there are {n:,}."
        return Periodicity(None, None, None, 0, None, None, n, unit, reason)
    interval = float(np.median(np.diff(due)))
    bins = 1 + round(float(due[-1] - due[0]) / interval)
    coarse = ceil(bins / LONGEST)
    places = np.rint((due - due[0]) / interval).astype(np.int64) // coarse
    order = np.argsort(latencies, kind="stable")[::-1]
    lines = [_strongest(places[order[:size]], ceil(bins / coarse), len(sizes)) for size in sizes]
    best = min(range(len(lines)), key=lambda i: lines[i].p)
    line, threshold = lines[best], float(latencies[order[sizes[best] - 1]])
    if line.p > FALSE_ALARMS:
        return Periodicity(None, None, line.p, len(line.events), threshold, None, n, unit)
    frequency = _fundamental(line.events, line.frequency, FEWEST_CYCLES * coarse / bins)
    share = float(np.sqrt(_power(line.events, np.array([frequency]))[0] / len(line.events)))
    period = interval * coarse / frequency
    return Periodicity(period, share, line.p, len(line.events), threshold, _hint(period), n, unit)


@dataclass(frozen=True, slots=True)
class _Line:
    """The strongest line in the periodogram of some events, in cycles per bin."""

    frequency: float
    p: float
    events: NDArray[np.int64]


def _strongest(places: NDArray[np.int64], bins: int, tries: int) -> _Line:
    """The strongest line of events at some of the bins."""
    events = np.sort(places)
    events = events[np.diff(events, prepend=-2) > 1]
    length = fft.next_fast_len(2 * bins, real=True)
    series = np.zeros(length)
    series[events] = 1.0
    power = np.abs(np.asarray(fft.rfft(series))) ** 2 / len(events)
    # Frequencies come as k / length: from FEWEST_CYCLES in the run to four bins per period.
    first, last = ceil(FEWEST_CYCLES * length / bins), length // 4
    if len(events) < _WORST[0] // 2 or last - first < _CANDIDATES:
        return _Line(0.0, 1.0, events)
    overall = max(float(np.median(power[first : last + 1])) / log(2), 1.0)
    strongest = first + np.argpartition(power[first : last + 1], -_CANDIDATES)[-_CANDIDATES:]
    heights = [power[k] / max(overall, *_floors(power, int(k))) for k in strongest]
    at = int(np.argmax(heights))
    # Neighbouring frequencies of the padded periodogram are nearly the same: count them all, to be safe.
    p = min(1.0, tries * (last - first) * exp(-heights[at]))
    return _Line(float(strongest[at]) / length, p, events)


def _floors(power: FloatArray, k: int) -> tuple[float, float]:
    """The mean of the periodogram below and above a frequency, from the medians beside it."""
    below, above = power[max(k - _FAR, 1) : max(k - _NEAR, 2)], power[k + _NEAR : k + _FAR]
    return float(np.median(below)) / log(2), float(np.median(above)) / log(2)


def _fundamental(events: NDArray[np.int64], frequency: float, lowest: float) -> float:
    """The lowest frequency that has the given one as a multiple, and power at most of its first multiples."""
    divisors = np.arange(1, max(1, min(_MOST_DIVISORS, int(frequency / lowest))) + 1)
    harmonics = np.arange(1, _HARMONICS + 1)
    combs = np.array([np.median(_power(events, frequency / m * harmonics)) for m in divisors])
    alike = np.flatnonzero(combs >= max(_ALIKE * combs[0], _LEAST))
    rough = frequency / divisors[alike[-1]] if len(alike) else frequency
    near = rough + np.linspace(-1, 1, _REFINED) / (events[-1] - events[0])
    return float(near[np.argmax([_power(events, f * harmonics).sum() for f in near])])


def _power(events: NDArray[np.int64], frequencies: FloatArray) -> FloatArray:
    """The periodogram of events at some frequencies, in cycles per bin."""
    waves = np.exp(2j * np.pi * np.outer(frequencies, events)).sum(axis=1)
    return np.asarray(np.abs(waves) ** 2 / len(events))


def _hint(period_ns: float) -> str | None:
    """What is known to have this period."""
    return next((text for known, text in _KNOWN if abs(period_ns / known - 1) < _TOLERANCE), None)
