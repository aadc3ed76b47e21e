# SPDX-License-Identifier: Apache-2.0
"""The contrast of two sides in one statistic: difference and ratio, a verdict, and what could be seen at all.

The difference has Welch's interval (Biometrika 34, 1947), the ratio that of Fieller (JRSS B 16, 1954), both
with Satterthwaite's degrees of freedom. With ten runs or more in every group both come from a bootstrap over
runs. The smallest effect that could have been seen is the one that such a comparison finds 4 times out of 5.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

from scipy import stats

from jitterlab.analysis.estimates import Estimates, Range
from jitterlab.analysis.wording import between, percent, quantity

CONFIDENCE = 0.95
POWER = 0.8
_ROUNDING = 1e-15
"""Standard error relative to the values below which it was made by rounding."""
_NO_SCATTER = "Runs of the same settings agree to the last digit: nothing tells how much others would differ."

Verdict = Literal["better", "worse", "equivalent", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """How the second side differs from the first in one statistic; lower values are better.

    Attributes:
        statistic: Its name: "median", "p99".
        a: Value of the first side, in `unit`; None if refused.
        b: Value of the second side, in `unit`; None if refused.
        difference: b - a, in `unit`.
        difference_interval: Its interval; None if there is none.
        ratio: b / a; None if a is 0.
        ratio_interval: Its interval; None if there is none (a may be 0 or less).
        p: Probability of so large a difference if there were none; None without an interval.
        detectable: The smallest difference that such a comparison sees 4 times out of 5, in `unit`.
        verdict: "better", "worse", "equivalent" (within the margin), or "cannot tell".
        margin: Relative difference that does not matter, 0 to 1.
        confidence: Coverage of the intervals.
        method: How the intervals were made.
        unit: Unit of the statistic.
        refusal: Why there is no value or no interval, as a sentence; None if there are both.
    """

    statistic: str
    a: float | None
    b: float | None
    difference: float | None
    difference_interval: Range | None
    ratio: float | None
    ratio_interval: Range | None
    p: float | None
    detectable: float | None
    verdict: Verdict
    margin: float
    confidence: float
    method: str
    unit: str
    refusal: str | None = None

    def sentence(self) -> str:
        """The contrast in words."""
        if self.a is None or self.b is None or self.difference is None:
            return f"The {self.statistic} is not compared. {self.refusal}"
        values = (
            f"the {self.statistic} is {quantity(self.b, self.unit)} against {quantity(self.a, self.unit)}"
        )
        if self.refusal is not None or self.difference_interval is None:
            return f"Cannot tell: {values}, but there is no interval. {self.refusal}"
        words = {"better": "Better", "worse": "Worse", "equivalent": "No difference that matters"}
        return f"{words.get(self.verdict, 'Cannot tell')}: {values}, {self._change()}{self._limit()}."

    def _change(self) -> str:
        assert self.difference is not None
        assert self.difference_interval is not None
        sure = f"{percent(self.confidence)} interval"
        if self.ratio is not None and self.ratio_interval is not None:
            low, high = (100 * (end - 1) for end in self.ratio_interval)
            return f"{100 * (self.ratio - 1):+.3g} % ({sure} {low:+.3g} % to {high:+.3g} %)"
        return f"a difference of {quantity(self.difference, self.unit)} ({sure} {self._ends()})"

    def _ends(self) -> str:
        assert self.difference_interval is not None
        return between(*self.difference_interval, self.unit)

    def _limit(self) -> str:
        if self.verdict != "cannot tell" or self.detectable is None or not self.a:
            return ""
        relative = percent(self.detectable / abs(self.a))
        return f"; only {quantity(self.detectable, self.unit)} ({relative}) or more would have been seen"


def refused(statistic: str, unit: str, reason: str, values: Range | None = None) -> Contrast:
    """A contrast without an interval, and the reason why; `values` are those of both sides if known."""
    a, b = values or (None, None)
    return Contrast(
        statistic=statistic,
        a=a,
        b=b,
        difference=None if a is None or b is None else b - a,
        difference_interval=None,
        ratio=b / a if a and b is not None else None,
        ratio_interval=None,
        p=None,
        detectable=None,
        verdict="cannot tell",
        margin=0.0,
        confidence=CONFIDENCE,
        method="none",
        unit=unit,
        refusal=reason,
    )


def contrast(
    statistic: str,
    unit: str,
    estimates: Estimates,
    method: str,
    *,
    margin: float = 0.0,
    resampled: tuple[Range, Range] | None = None,
) -> Contrast:
    """The contrast of two sides.

    Args:
        statistic: Its name.
        unit: Its unit.
        estimates: What is known about both sides.
        method: What the standard errors come from, in words.
        margin: Relative difference that does not matter.
        resampled: Intervals of difference and ratio from a bootstrap over runs, to take instead.
    """
    a, b, error = estimates.a, estimates.b, estimates.standard_error
    if error <= _ROUNDING * max(abs(a), abs(b)):
        return refused(statistic, unit, _NO_SCATTER, (a, b))
    critical = float(stats.t.ppf((1 + CONFIDENCE) / 2, estimates.df))
    difference = b - a
    p = float(2 * stats.t.sf(abs(difference) / error, estimates.df))
    ends = (difference - critical * error, difference + critical * error)
    ratios = _fieller(estimates, critical)
    if resampled is not None:
        ends, ratios = resampled[0], resampled[1] if ratios is not None else None
    detectable = (critical + float(stats.t.ppf(POWER, estimates.df))) * error
    relative = ratios if ratios is not None else _relative(ends, a)
    return Contrast(
        statistic=statistic,
        a=a,
        b=b,
        difference=difference,
        difference_interval=ends,
        ratio=b / a if a else None,
        ratio_interval=ratios,
        p=p,
        detectable=detectable,
        verdict=_verdict(ends, relative, margin),
        margin=margin,
        confidence=CONFIDENCE,
        method=method,
        unit=unit,
    )


def _fieller(estimates: Estimates, critical: float) -> Range | None:
    """The interval of b / a; None if a may be 0, or one of them is negative.

    A covariance that was itself estimated may exceed what the variances allow; it is cut to that. What has
    ratios cannot be negative, so that the interval is cut at 0.
    """
    a, b, t = estimates.a, estimates.b, critical**2
    square = a**2 - t * estimates.variance_a
    if square <= 0 or a < 0 or b < 0:
        return None
    most = sqrt(estimates.variance_a * estimates.variance_b)
    middle = a * b - t * min(max(estimates.covariance, -most), most)
    root = sqrt(max(middle**2 - square * (b**2 - t * estimates.variance_b), 0.0))
    return (max((middle - root) / square, 0.0), (middle + root) / square)


def _relative(ends: Range, a: float) -> Range:
    """The interval of 1 + (b - a) / |a|, with a taken as known."""
    return (1 + ends[0] / abs(a), 1 + ends[1] / abs(a)) if a else (-inf, inf)


def _verdict(ends: Range, ratios: Range, margin: float) -> Verdict:
    if margin > 0 and 1 - margin <= ratios[0] and ratios[1] <= 1 + margin:
        return "equivalent"
    better, worse = ends[1] < 0, ends[0] > 0
    if margin > 0:
        better, worse = ratios[1] < 1 - margin, ratios[0] > 1 + margin
    return "better" if better else "worse" if worse else "cannot tell"
