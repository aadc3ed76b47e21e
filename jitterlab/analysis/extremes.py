# SPDX-License-Identifier: Apache-2.0
"""What lies beyond the largest sample: an extrapolation of the tail where the run allows one; no guarantee.

Peaks over a threshold follow a generalised Pareto distribution if samples are independent and identically
distributed and the threshold is high enough (Coles, An Introduction to Statistical Modeling of Extreme
Values, 2001, chapters 4 and 5). So nothing is extrapolated before it is checked that

- the level of the run is stable, and both halves of it exceed the threshold alike (one distribution),
- a sample beyond the threshold does not make the next ones more likely to be (independence),
- the shape does not depend on the threshold (three thresholds), and the fit describes the exceedances.

What a machine has never done in the run (another load, a system management interrupt once a day) no
extrapolation knows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from jitterlab.analysis import drift
from jitterlab.analysis.paretotail import CONFIDENCE, fit, level_interval, shape_interval
from jitterlab.analysis.wording import between, number, percent, probability, quantity

SIGNIFICANCE = 0.01
FEWEST_EXCEEDANCES = 50
MOST_EXCEEDANCES = 5000
_THRESHOLDS = (0.9, 0.95, 0.98)
_BEYOND = (10, 100)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Check:
    """One condition for an extrapolation: its name, whether it holds, and what was seen."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ReturnLevel:
    """A level that is expected to be exceeded once in a number of samples.

    Attributes:
        samples: That number.
        value: The level, in the unit of the response.
        low: Lower end of its interval.
        high: Upper end of its interval.
    """

    samples: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Extremes:
    """An extrapolated tail, or why there is none.

    Attributes:
        threshold: Where the tail begins, in `unit`; None if refused before.
        exceedances: Number of samples beyond it that were fitted.
        shape: Shape of the tail: below 0 it has an end, 0 is exponential, above 0 heavy; None if refused.
        shape_low: Lower end of its interval.
        shape_high: Upper end of its interval.
        scale: Scale of the tail, in `unit`; None if refused.
        levels: Levels expected once in 10 and 100 times as many samples as were measured; empty if refused.
        checks: What was checked.
        confidence: Coverage of the intervals.
        n: Number of samples.
        unit: Unit of the values.
        refusal: Why nothing is extrapolated, as a sentence; None if something is.
    """

    threshold: float | None
    exceedances: int
    shape: float | None
    shape_low: float | None
    shape_high: float | None
    scale: float | None
    levels: tuple[ReturnLevel, ...]
    checks: tuple[Check, ...]
    confidence: float
    n: int
    unit: str
    refusal: str | None = None

    def sentence(self) -> str:
        """The extrapolation, or why there is none."""
        if self.refusal is not None or self.shape is None or self.threshold is None:
            return str(self.refusal)
        levels = "; ".join(
            f"{quantity(level.value, self.unit)} once in {level.samples:,} samples "
            f"({percent(self.confidence)} interval {between(level.low, level.high, self.unit)})"
            for level in self.levels
        )
        return (
            f"Extrapolated, not guaranteed: {levels}. From {quantity(self.threshold, self.unit)} on the tail "
            f"has the shape {self.shape:.2f} ({self.shape_low:.2f} to {self.shape_high:.2f}, "
            f"{number(self.exceedances, 'exceedance')})."
        )


def extremes(series: ArrayLike, unit: str, *, seed: int = 0) -> Extremes:
    """Extrapolate the tail of a run, if it allows that.

    Args:
        series: The samples of one CPU in order of time, at most some millions.
        unit: Their unit.
        seed: Seed of the spreading of each value over the clock's step.
    """
    values = np.asarray(series, dtype=np.float64)
    n = len(values)
    needed = round(FEWEST_EXCEEDANCES / (1 - max(_THRESHOLDS)))
    if n < needed:
        return _refusal(n, unit, (), f"that takes at least {needed:,} samples, there are {n:,}")
    level = max(1 - MOST_EXCEEDANCES / n, _THRESHOLDS[1])
    threshold = float(np.quantile(values, level))
    checks = [_stable(values, unit), _alike(values, threshold), _independent(values, threshold)]
    spread = values + np.random.default_rng(seed).uniform(-0.5, 0.5, n) * _step(values)
    beyond = _beyond(spread, threshold)
    if len(beyond) < FEWEST_EXCEEDANCES:
        return _refusal(n, unit, tuple(checks), f"only {len(beyond)} samples are beyond the threshold")
    shape, scale = fit(beyond)
    checks += [_threshold_stable(spread, n), _fits(beyond, shape, scale)]
    failed = [check for check in checks if not check.passed]
    if failed:
        return _refusal(n, unit, tuple(checks), "; ".join(check.detail for check in failed))
    low, high = shape_interval(beyond)
    levels = tuple(_return_level(beyond, factor * n, factor * len(beyond), threshold) for factor in _BEYOND)
    return Extremes(
        threshold, len(beyond), shape, low, high, scale, levels, tuple(checks), CONFIDENCE, n, unit
    )


def _refusal(n: int, unit: str, checks: tuple[Check, ...], why: str) -> Extremes:
    reason = f"The tail is not extrapolated: {why}."
    return Extremes(None, 0, None, None, None, None, (), checks, CONFIDENCE, n, unit, reason)


def _return_level(beyond: FloatArray, samples: int, often: float, threshold: float) -> ReturnLevel:
    best, (low, high) = level_interval(beyond, often)
    return ReturnLevel(samples, threshold + best, threshold + low, threshold + high)


def _step(values: FloatArray) -> float:
    """The smallest step between values: the quantum over which they are spread."""
    steps = np.diff(np.unique(values[: 1 << 20]))
    return float(steps.min()) if len(steps) else 0.0


def _beyond(values: FloatArray, threshold: float) -> FloatArray:
    return values[values > threshold] - threshold


def _stable(values: FloatArray, unit: str) -> Check:
    found = drift.within_run(values, unit)
    detail = found.sentence().rstrip(".")
    return Check("stable level", found.stable, detail[0].lower() + detail[1:])


def _alike(values: FloatArray, threshold: float) -> Check:
    """Whether both halves exceed the threshold equally often and equally far."""
    halves = [_beyond(half, threshold) for half in np.array_split(values, 2)]
    counts = [len(half) for half in halves]
    p = float(stats.binomtest(counts[0], sum(counts)).pvalue) if sum(counts) else 1.0
    if min(counts):
        p = min(1.0, 2 * min(p, float(stats.ks_2samp(halves[0], halves[1]).pvalue)))
    detail = f"the halves of the run have {counts[0]} and {counts[1]} exceedances ({probability(p)})"
    return Check("identical distribution", p > SIGNIFICANCE, detail)


def _independent(values: FloatArray, threshold: float) -> Check:
    """Whether one sample beyond the threshold makes the next few more likely to be."""
    over = values > threshold
    rate, reach = over.mean(), 10
    pairs = sum(int(np.sum(over[lag:] & over[:-lag])) for lag in range(1, reach + 1))
    expected = sum((len(over) - lag) * rate**2 for lag in range(1, reach + 1))
    p = float(stats.poisson.sf(pairs - 1, expected))
    near = f"{number(pairs, 'pair')} of exceedances within {reach} samples"
    detail = f"{near}, {expected:.0f} by chance ({probability(p)})"
    return Check("independence", p > SIGNIFICANCE, detail)


def _threshold_stable(spread: FloatArray, n: int) -> Check:
    """Whether the shapes at three thresholds agree."""
    base = max(0.0, 1 - MOST_EXCEEDANCES / n / (1 - _THRESHOLDS[1]))
    levels = [base + (1 - base) * level for level in _THRESHOLDS]
    tails = [_beyond(spread, float(np.quantile(spread, level))) for level in levels]
    intervals = [shape_interval(tail) for tail in tails]
    agree = max(low for low, _ in intervals) <= min(high for _, high in intervals)
    shapes = ", ".join(f"{fit(tail)[0]:.2f}" for tail in tails)
    return Check("threshold stability", agree, f"the shape is {shapes} at rising thresholds")


def _fits(beyond: FloatArray, shape: float, scale: float) -> Check:
    """Whether the fit describes the exceedances (the p-value is generous: the parameters were fitted)."""
    p = float(stats.kstest(beyond, stats.genpareto(shape, scale=scale).cdf).pvalue)
    return Check(
        "goodness of fit", p > 0.05, f"the fitted tail describes the exceedances with {probability(p)}"
    )
