# SPDX-License-Identifier: Apache-2.0
"""Quantiles and tails from exact counts, with intervals that assume no distribution.

The interval of a quantile lies between two order statistics whose ranks come from the binomial
distribution (David and Nagaraja, Order Statistics, 3rd edition 2003, section 7.1). The largest sample
bounds the quantile p from above only with probability 1 - p^n, so n samples support a percentile only if
p^n + (1 - p)^n is at most one minus the confidence: at 95 % that takes 299, 2,995 and 29,956 samples for
p99, p99.9 and p99.99 (the rule of Wilks, Annals of Mathematical Statistics 12, 1941). A percentile that n
does not support is refused, with the n that would do.

The intervals hold for independent samples. Samples inside a run rarely are: intervals that know this come
from runs (`jitterlab.analysis.compare`) or from blocks (`jitterlab.analysis.bootstrap`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from jitterlab.analysis.wording import between, number, percent, percentile, quantity
from jitterlab.recording import Counts, samples_needed

CONFIDENCE = 0.95
USUAL = (0.5, 0.9, 0.99, 0.999, 0.9999)


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile of a response.

    Attributes:
        p: The probability: 0.99 for p99.
        value: The smallest measured value v with F(v) >= p, in `unit`; None if n does not support it.
        low: Lower end of the interval, in `unit`; None if refused.
        high: Upper end of the interval, in `unit`; None if refused.
        confidence: Probability with which the interval covers the true quantile, at least.
        n: Number of samples.
        n_needed: The smallest n that supports this quantile with this confidence.
        unit: Unit of the values.
    """

    p: float
    value: int | None
    low: int | None
    high: int | None
    confidence: float
    n: int
    n_needed: int
    unit: str

    @property
    def name(self) -> str:
        """How the quantile is called: "median", "p99.9"."""
        return percentile(self.p)

    @property
    def refusal(self) -> str | None:
        """Why there is no value, as a sentence; None if there is one."""
        if self.value is not None:
            return None
        return (
            f"{self.name} needs at least {self.n_needed:,} samples for {percent(self.confidence)} "
            f"confidence, there are {self.n:,}."
        )

    def sentence(self) -> str:
        """The quantile with its interval, or why it is refused."""
        if self.value is None:
            return str(self.refusal)
        return (
            f"{self.name} is {quantity(self.value, self.unit)} ({percent(self.confidence)} interval "
            f"{between(self.low, self.high, self.unit)}, n = {self.n:,}, samples taken as independent)."
        )


@dataclass(frozen=True, slots=True)
class Ccdf:
    """How often a response reaches a value: the complementary distribution with pointwise limits.

    Attributes:
        values: Measured values, ascending, in `unit`.
        share: Share of the samples at or above each value; the last is that of the maximum.
        low: Lower pointwise confidence limit of each share (Clopper and Pearson, Biometrika 26, 1934).
        high: Upper pointwise confidence limit of each share.
        confidence: Confidence of the limits at one value.
        n: Number of samples.
        unit: Unit of the values.
    """

    values: tuple[int, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence: float
    n: int
    unit: str

    def sentence(self) -> str:
        """The far end of the tail in words."""
        if not self.n:
            return "There are no samples."
        return (
            f"The largest of {number(self.n, 'sample')} is {quantity(self.values[-1], self.unit)}; one so "
            f"large comes at most {percent(self.high[-1])} of the time ({percent(self.confidence)} limit)."
        )


def _ranks(n: int, p: float, confidence: float) -> tuple[int, int]:
    """Ranks (1-based) of the two order statistics around the quantile; n must support it."""
    error = 1 - confidence
    last, first = p**n, (1 - p) ** n
    above, below = max(error / 2, last), max(error / 2, first)
    if last > error / 2:
        below = error - last
    if first > error / 2:
        above = error - first
    low = int(stats.binom.ppf(below, n, p))
    high = int(stats.binom.isf(above, n, p)) + 1
    return max(low, 1), min(high, n)


def quantile(counts: Counts, p: float, unit: str, confidence: float = CONFIDENCE) -> Quantile:
    """A quantile with its order-statistic interval, or its refusal.

    Args:
        counts: Exact counts of the samples.
        p: Probability between 0 and 1.
        unit: Unit of the values.
        confidence: Wanted coverage of the interval, between 0 and 1.

    Raises:
        ValueError: p or the confidence is not between 0 and 1.
    """
    n, needed = counts.n, samples_needed(p, confidence)
    if n < needed:
        return Quantile(p, None, None, None, confidence, n, needed, unit)
    ends = np.searchsorted(np.cumsum(counts.counts), _ranks(n, p, confidence))
    low, high = (int(value) for value in counts.values[ends])
    return Quantile(p, counts.quantile(p), low, high, confidence, n, needed, unit)


def quantiles(
    counts: Counts, unit: str, probabilities: Iterable[float] = USUAL, confidence: float = CONFIDENCE
) -> tuple[Quantile, ...]:
    """Several quantiles, each with its own interval or refusal."""
    return tuple(quantile(counts, p, unit, confidence) for p in probabilities)


def ccdf(counts: Counts, unit: str, confidence: float = CONFIDENCE, points: int = 2000) -> Ccdf:
    """The complementary distribution with limits, at most `points` values.

    The tail is kept whole: values are thinned by their share on a logarithmic scale, never the largest.
    """
    values, share = counts.ccdf()
    if len(values) > points:
        wanted = np.geomspace(share[-1], 1, points)
        kept = np.unique(len(share) - 1 - np.searchsorted(share[::-1], wanted))
        values, share = values[kept], share[kept]
    reached = np.rint(share * counts.n)
    half = (1 - confidence) / 2
    below = np.maximum(counts.n - reached, 1e-9)
    low = np.asarray(stats.beta.ppf(half, reached, counts.n - reached + 1))
    high = np.where(share >= 1, 1.0, stats.beta.isf(half, reached + 1, below))
    return Ccdf(
        tuple(values.tolist()),
        tuple(share.tolist()),
        tuple(low.tolist()),
        tuple(high.tolist()),
        confidence,
        counts.n,
        unit,
    )
