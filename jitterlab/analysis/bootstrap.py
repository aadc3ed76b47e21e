# SPDX-License-Identifier: Apache-2.0
"""Intervals by resampling: blocks of samples inside a run, or whole runs.

Inside a run, samples depend on each other, so blocks of random length are drawn (the stationary bootstrap of
Politis and Romano, JASA 89, 1994, with the block length of Politis and White, Econometric Reviews 23, 2004,
as corrected in 2009). A run that is too long for that is cut into sections whose statistics give a Student
interval (sectioning: Asmussen and Glynn, Stochastic Simulation, 2007, section III.5).

Over runs, percentile intervals of few values are too narrow; they are widened to what Student's t would have
(the expanded percentile interval of Hesterberg, The American Statistician 69, 2015).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from jitterlab.analysis.wording import between, number, percent, quantity

FEWEST_RUNS = 5
LONGEST_RESAMPLED = 50_000
SECTIONS = 30

FloatArray = NDArray[np.float64]
Statistic = Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval.

    Attributes:
        estimate: The statistic of the data, in `unit`.
        low: Lower end, in `unit`; None if refused.
        high: Upper end, in `unit`; None if refused.
        standard_error: Standard error of the estimate, in `unit`; None if refused.
        df: Degrees of freedom of the standard error; infinite for a bootstrap inside a run.
        confidence: Wanted coverage.
        method: How the interval was made, in words.
        n: How many were resampled.
        counted: What was resampled: "sample" or "run".
        unit: Unit of the values.
    """

    estimate: float
    low: float | None
    high: float | None
    standard_error: float | None
    df: float
    confidence: float
    method: str
    n: int
    counted: str
    unit: str

    @property
    def refusal(self) -> str | None:
        """Why there is no interval, as a sentence; None if there is one."""
        if self.low is not None:
            return None
        return f"An interval over runs needs at least {FEWEST_RUNS} runs, there are {self.n}."

    def sentence(self) -> str:
        """The estimate with its interval, or why there is none."""
        estimate = quantity(self.estimate, self.unit)
        if self.refusal is not None:
            return f"The estimate is {estimate}. {self.refusal}"
        return (
            f"The estimate is {estimate} ({percent(self.confidence)} interval "
            f"{between(self.low, self.high, self.unit)}, {self.method} of {number(self.n, self.counted)})."
        )


def within_run(
    series: ArrayLike,
    statistic: Statistic,
    unit: str,
    *,
    seed: int,
    confidence: float = 0.95,
    resamples: int = 1000,
) -> Interval:
    """A statistic of one run with an interval that knows of the dependence between its samples.

    It knows nothing of how much other runs of the same settings would differ.

    Args:
        series: The samples in order of time.
        statistic: Takes samples, gives a number in the same unit.
        unit: Unit of the values.
        seed: Seed of the resampling.
        confidence: Wanted coverage.
        resamples: Number of resamples.

    Raises:
        ValueError: There are fewer than 8 samples.
    """
    values = np.asarray(series, dtype=np.float64)
    if len(values) < 8:
        raise ValueError(f"a block bootstrap needs at least 8 samples, not {len(values)}")
    if len(values) > LONGEST_RESAMPLED:
        return _sections(values, statistic, unit, confidence)
    from arch.bootstrap import StationaryBootstrap

    blocks = StationaryBootstrap(_block_length(values), values, seed=np.random.default_rng(seed))
    drawn = np.asarray(blocks.apply(lambda drawn: np.array([statistic(drawn)]), resamples)).ravel()
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(
        float(statistic(values)),
        float(low),
        float(high),
        float(drawn.std(ddof=1)),
        np.inf,
        confidence,
        "stationary bootstrap",
        len(values),
        "sample",
        unit,
    )


def over_runs(
    values: ArrayLike,
    unit: str,
    *,
    seed: int,
    statistic: Callable[..., FloatArray] = np.mean,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Interval:
    """A statistic of run-level values with an interval over runs; refused for fewer than 5 runs.

    Args:
        values: One value per run.
        unit: Unit of the values.
        seed: Seed of the resampling.
        statistic: Takes an array and `axis`, as `numpy.mean` and `numpy.median` do.
        confidence: Wanted coverage.
        resamples: Number of resamples.
    """
    runs = np.asarray(values, dtype=np.float64)
    n = len(runs)
    estimate = float(statistic(runs, axis=0)) if n else nan
    if n < FEWEST_RUNS:
        return Interval(estimate, None, None, None, n - 1, confidence, "bootstrap", n, "run", unit)
    rng = np.random.default_rng(seed)
    drawn = statistic(runs[rng.integers(0, n, (resamples, n))], axis=1)
    low, high = _expanded(drawn, n, confidence)
    error = float(drawn.std(ddof=1)) * sqrt(n / (n - 1))
    return Interval(estimate, low, high, error, n - 1, confidence, "bootstrap", n, "run", unit)


def contrast_over_runs(
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    seed: int,
    confidence: float = 0.95,
    resamples: int = 5000,
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Intervals of the difference b - a and the ratio b / a of averages of group means, over runs.

    Args:
        a: Run-level values of the first side, one array per group (cell).
        b: Run-level values of the second side, in the same groups.
        seed: Seed of the resampling.
        confidence: Wanted coverage.
        resamples: Number of resamples.

    Raises:
        ValueError: A group has fewer than 5 runs.
    """
    sizes = [len(np.asarray(group)) for group in (*a, *b)]
    if min(sizes) < FEWEST_RUNS:
        raise ValueError(f"a bootstrap over runs needs at least {FEWEST_RUNS} runs per group")
    rng = np.random.default_rng(seed)
    first, second = _resampled(a, rng, resamples), _resampled(b, rng, resamples)
    n = min(sizes)
    return _expanded(second - first, n, confidence), _expanded(second / first, n, confidence)


def _resampled(groups: Sequence[ArrayLike], rng: np.random.Generator, resamples: int) -> FloatArray:
    """The average of the groups' means, once per resample of the runs inside each group."""
    total = np.zeros(resamples)
    for group in groups:
        values = np.asarray(group, dtype=np.float64)
        total += values[rng.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
    return np.asarray(total / len(groups))


def _expanded(drawn: FloatArray, n: int, confidence: float) -> tuple[float, float]:
    """The percentile interval, widened so that for a mean of n normal values it is Student's interval."""
    reach = sqrt(n / (n - 1)) * float(stats.t.ppf((1 + confidence) / 2, n - 1))
    tail = float(stats.norm.sf(reach))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _block_length(values: FloatArray) -> int:
    """The mean length of blocks that fits the dependence of the series; 1 if it is constant."""
    if np.ptp(values) == 0:
        return 1
    from arch.bootstrap import optimal_block_length

    length = float(optimal_block_length(values)["stationary"].iloc[0])
    return round(min(max(length, 1.0), len(values) / 8))


def _sections(values: FloatArray, statistic: Statistic, unit: str, confidence: float) -> Interval:
    """The interval of a long series from the statistics of its sections."""
    parts = np.array([statistic(part) for part in np.array_split(values, SECTIONS)])
    error = float(parts.std(ddof=1)) / sqrt(SECTIONS)
    estimate = float(statistic(values))
    half = error * float(stats.t.ppf((1 + confidence) / 2, SECTIONS - 1))
    method = f"{SECTIONS} sections"
    return Interval(
        estimate,
        estimate - half,
        estimate + half,
        error,
        SECTIONS - 1,
        confidence,
        method,
        len(values),
        "sample",
        unit,
    )
