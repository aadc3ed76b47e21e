# SPDX-License-Identifier: Apache-2.0
"""How the sentences of the analysis write numbers: three digits that mean something, and a unit."""

from collections.abc import Sequence
from math import floor, isfinite, log10

_TIME = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def _three_digits(value: float) -> str:
    if value == 0 or not isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - floor(log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(value: float, unit: str) -> str:
    """A value with its unit; nanoseconds in the unit that suits their size: 12345 ns is "12.3 µs"."""
    if unit != "ns":
        return f"{_three_digits(value)} {unit}".rstrip()
    scale, name = next((entry for entry in _TIME if abs(value) >= 0.9995 * entry[0]), _TIME[-1])
    return f"{_three_digits(value / scale)} {name}"


def between(low: float | None, high: float | None, unit: str) -> str:
    """An interval in words: "12.3 µs to 14 µs"; a side that is None is open."""
    if low is None or high is None:
        bound = low if high is None else high
        side = "at least" if high is None else "at most"
        return "not bounded" if bound is None else f"{side} {quantity(bound, unit)}"
    return f"{quantity(low, unit)} to {quantity(high, unit)}"


def percent(share: float) -> str:
    """A share as a percentage with at most three digits: 0.1234 is "12.3 %"."""
    return f"{_three_digits(100 * share)} %"


def probability(p: float) -> str:
    """A p-value for a sentence: "p = 0.03", or "p ≤ 0.001"."""
    return "p ≤ 0.001" if p <= 0.001 else f"p = {p:.2g}"


def percentile(p: float) -> str:
    """The name of a quantile: 0.5 is "median", 0.999 is "p99.9"."""
    return "median" if p == 0.5 else f"p{100 * p:.10g}"


def number(count: int, singular: str) -> str:
    """A count with its noun: "1 run", "1,000 runs"."""
    return f"{count:,} {singular}" if count == 1 else f"{count:,} {singular}s"


def listing(items: Sequence[str]) -> str:
    """Items in words: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
