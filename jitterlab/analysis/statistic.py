# SPDX-License-Identifier: Apache-2.0
"""What stands for a run when runs are the units of analysis: its mean, median, p99, standard deviation."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, log

from jitterlab.analysis import moments as mo
from jitterlab.errors import InputError
from jitterlab.recording import Counts

_PERCENTILE = re.compile(r"p(?P<percent>\d{1,2}(?:\.\d+)?)")


def _log_sd(counts: Counts) -> float:
    return log(counts.variance) / 2 if counts.variance > 0 else float("-inf")


_NAMED: dict[str, Callable[[Counts], float]] = {
    "mean": lambda counts: counts.mean,
    "median": lambda counts: mo.median(counts.values.astype(float), counts.counts),
    "sd": lambda counts: counts.sd,
    "log_sd": _log_sd,
    "mad": lambda counts: mo.around_median(counts).mean,
    "min": lambda counts: float(counts.min),
    "max": lambda counts: float(counts.max),
}


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of the values of one run.

    Attributes:
        name: `mean`, `median`, `sd`, `log_sd` (logarithm of the standard deviation: effects on it are ratios
            of jitters), `mad` (mean distance from the median), `min`, `max`, or a percentile such as `p99.9`.
        probability: Of a percentile, from 0 to 1; else None.
    """

    name: str
    probability: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Statistic":
        """The statistic of that name.

        Raises:
            InputError: There is none.
        """
        if text in _NAMED:
            return cls(text)
        match = _PERCENTILE.fullmatch(text)
        if match is None or float(match["percent"]) == 0:
            raise InputError(
                f"there is no statistic '{text}'", f"use {', '.join(_NAMED)} or a percentile like p99.9"
            )
        return cls(text, round(float(match["percent"]) / 100, 12))

    @property
    def needs(self) -> int:
        """The fewest samples that support it: for a percentile, one sample must be expected beyond it."""
        if self.probability is None:
            return 2 if "sd" in self.name else 1
        return round(1 / min(self.probability, 1 - self.probability))

    def unit(self, unit: str) -> str:
        """Its unit, from the unit of the response."""
        return f"log {unit}" if self.name == "log_sd" else unit

    def of(self, counts: Counts, transform: str | None = None, where: str = "a run") -> float:
        """The statistic of counts; with a transformation, of transformed values (mean) or itself transformed.

        Raises:
            InputError: There are too few samples, or the result is no number.
        """
        if counts.n < self.needs:
            raise InputError(
                f"{where} has {counts.n} samples, but {self.name} needs at least {self.needs}",
                "choose a lower percentile or measure more samples per run",
            )
        value = self._value(counts)
        if transform is not None and self.name == "mean":
            value = mo.of_counts(counts, transform).mean
        elif transform is not None:
            value = float(mo.FUNCTIONS[transform](value)) if value > 0 else float("-inf")
        if not isfinite(value):
            raise InputError(
                f"{self.name} of {where} is no number", "choose another statistic or no transformation"
            )
        return value

    def _value(self, counts: Counts) -> float:
        if self.probability is not None:
            return float(counts.quantile(self.probability))
        return float(_NAMED[self.name](counts))
