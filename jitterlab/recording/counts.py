# SPDX-License-Identifier: Apache-2.0
"""Exact value counts: the table (value, count) that every statistic is computed from."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_WIDEST_EXACT_SPAN = 2**53


@cache
def samples_needed(p: float, confidence: float = 0.95) -> int:
    """The smallest n whose minimum and maximum enclose the quantile p with that confidence.

    Fewer samples do not support the percentile (Wilks, Annals of Mathematical Statistics 12, 1941).

    Raises:
        ValueError: p or the confidence is not between 0 and 1.
    """
    if not (0 < p < 1 and 0 < confidence < 1):
        raise ValueError("a quantile and its confidence lie between 0 and 1")
    error = 1 - confidence
    n = max(1, ceil(log(error) / log(max(p, 1 - p))) - 1)
    while p**n + (1 - p) ** n > error:
        n += 1
    return n


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each value of a response was seen; counts of several runs can be added up exactly.

    Attributes:
        values: The values that were seen (int64, in the unit of the response), ascending, each once.
        counts: How often each was seen (int64, at least 1), as long as `values`.
    """

    values: IntArray
    counts: IntArray

    def __post_init__(self) -> None:
        for name in ("values", "counts"):
            array = np.asarray(getattr(self, name), dtype=np.int64).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.values.ndim != 1 or self.values.shape != self.counts.shape:
            raise ValueError("values and counts must be one-dimensional and of one length")
        if bool(np.any(self.values[1:] <= self.values[:-1])):
            raise ValueError("values must ascend, each once")
        if bool(np.any(self.counts < 1)):
            raise ValueError("every value must have been seen at least once")

    @classmethod
    def of(cls, samples: ArrayLike) -> "Counts":
        """The counts of samples: integers of any order and number."""
        values, counts = np.unique(np.asarray(samples, dtype=np.int64), return_counts=True)
        return cls(values, counts)

    @classmethod
    def merge(cls, parts: Iterable["Counts"]) -> "Counts":
        """The counts of all samples of several counts together; none of them may be none at all."""
        filled = [part for part in parts if len(part.values)]
        if len(filled) < 2:
            return filled[0] if filled else cls.of([])
        values = np.concatenate([part.values for part in filled])
        order = np.argsort(values, kind="stable")
        values = values[order]
        first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
        counts = np.concatenate([part.counts for part in filled])[order]
        return cls(values[first], np.add.reduceat(counts, first))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts.merge((self, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Counts(n={self.n}, distinct={len(self.values)})"

    @cached_property
    def n(self) -> int:
        """How many samples there are."""
        return int(self.counts.sum())

    @cached_property
    def mean(self) -> float:
        """The arithmetic mean; nan without samples."""
        if not self.n:
            return nan
        centre, deviations = self._deviations
        return centre + float(deviations @ self.counts) / self.n

    @cached_property
    def variance(self) -> float:
        """The variance with n - 1 degrees of freedom; nan with less than two samples.

        Two passes about the mean with the correction of Chan, Golub and LeVeque (The American Statistician
        37, 1983), so that a large common offset costs no digits.
        """
        if self.n < 2:
            return nan
        _, deviations = self._deviations
        residuals = deviations - float(deviations @ self.counts) / self.n
        error = float(residuals @ self.counts)
        return float(residuals**2 @ self.counts - error**2 / self.n) / (self.n - 1)

    @property
    def sd(self) -> float:
        """The standard deviation with n - 1 degrees of freedom; nan with less than two samples."""
        return sqrt(self.variance)

    @property
    def min(self) -> int:
        """The smallest value; ValueError without samples."""
        return self._at(0)

    @property
    def max(self) -> int:
        """The largest value; ValueError without samples."""
        return self._at(-1)

    def quantile(self, p: float) -> int:
        """The smallest value v with F(v) >= p: the inverse of the empirical distribution function.

        Always a value that was measured (definition 1 of Hyndman and Fan, American Statistician 50, 1996).

        Args:
            p: From 0 (the minimum) to 1 (the maximum).

        Raises:
            ValueError: p is outside 0 to 1, or there are no samples.
        """
        if not 0 <= p <= 1:
            raise ValueError(f"a quantile needs a probability from 0 to 1, not {p}")
        rank = max(ceil(p * self.n), 1)
        if rank > 1 and (rank - 1) / self.n >= p:  # p * n was rounded up past a whole number
            rank -= 1
        return self._at(int(np.searchsorted(self._cumulative, rank)))

    def supported_quantile(self, p: float) -> int | None:
        """The quantile of a probability between 0 and 1; None if there are too few samples for it."""
        return self.quantile(p) if self.n >= samples_needed(p) else None

    def quantiles(self, probabilities: Iterable[float]) -> IntArray:
        """The quantiles of several probabilities, as `quantile` defines them."""
        return np.array([self.quantile(p) for p in probabilities], dtype=np.int64)

    def cdf(self) -> tuple[IntArray, FloatArray]:
        """The values, and the share of samples at or below each."""
        return self.values, self._cumulative / max(self.n, 1)

    def ccdf(self) -> tuple[IntArray, FloatArray]:
        """The values, and the share of samples at or above each, so that the maximum stands at 1 / n."""
        return self.values, (self.n - self._cumulative + self.counts) / max(self.n, 1)

    def histogram(self, edges: ArrayLike) -> IntArray:
        """How many samples fall between ascending edges: from each edge to below the next, the last included.

        Samples outside the edges are not counted.
        """
        borders = np.asarray(edges)
        places = np.searchsorted(self.values, borders, side="left")
        places[-1] = np.searchsorted(self.values, borders[-1], side="right")
        return np.diff(np.concatenate(([0], self._cumulative))[places])

    def top(self, k: int) -> IntArray:
        """The k largest samples (or all if there are fewer), the largest first, each as often as seen."""
        last = self.values[-k:] if k > 0 else self.values[:0]
        seen = np.minimum(self.counts[len(self.values) - len(last) :], k)
        return np.repeat(last[::-1], seen[::-1])[:k]

    @cached_property
    def _cumulative(self) -> IntArray:
        return np.cumsum(self.counts, dtype=np.int64)

    @cached_property
    def _deviations(self) -> tuple[float, FloatArray]:
        """A value in the middle, and how far every value is from it."""
        if int(self.values[-1]) - int(self.values[0]) < _WIDEST_EXACT_SPAN:
            centre = self.values[len(self.values) // 2]
            return float(centre), (self.values - centre).astype(np.float64)
        return 0.0, self.values.astype(np.float64)

    def _at(self, index: int) -> int:
        if not self.n:
            raise ValueError("there are no samples")
        return int(self.values[index])
