# SPDX-License-Identifier: Apache-2.0
"""Count, mean and variance: all that an analysis of variance needs to know about a cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jitterlab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jitterlab.recording import Counts

_NOTHING = ("there are no values to take moments of", "measure at least one sample per cell")
FUNCTIONS = {"log": np.log, "log10": np.log10, "sqrt": np.sqrt}


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments of a group of values.

    Attributes:
        n: How many values.
        mean: Their mean, in the unit of the values.
        variance: Their variance with n - 1 in the denominator, in the square of that unit; 0 if n is 1.
    """

    n: int
    mean: float
    variance: float

    @property
    def sum_sq(self) -> float:
        """Sum of squared deviations from the mean."""
        return (self.n - 1) * self.variance


def merge(parts: Iterable[Moments]) -> Moments:
    """The moments of all values of the parts together, without loss.

    Pairwise update of Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983).

    Raises:
        InputError: There is no part.
    """
    groups = list(parts)
    if not groups:
        raise InputError(*_NOTHING)
    n = sum(group.n for group in groups)
    origin = groups[0].mean
    mean = origin + sum(group.n * (group.mean - origin) for group in groups) / n
    sum_sq = sum(group.sum_sq + group.n * (group.mean - mean) ** 2 for group in groups)
    return Moments(n, mean, sum_sq / (n - 1) if n > 1 else 0.0)


def of_values(values: "NDArray[np.float64]", counts: "NDArray[np.int64]") -> Moments:
    """The moments of values that occurred `counts` times each (two passes, shifted by the first value).

    Args:
        values: Distinct values, one-dimensional.
        counts: How often each occurred, of the same length.
    """
    n = int(counts.sum())
    weights = counts.astype(np.float64)
    shifted = values - values[0]
    centre = float(weights @ shifted) / n
    deviations = shifted - centre
    sum_sq = float(weights @ deviations**2) - float(weights @ deviations) ** 2 / n
    return Moments(n, float(values[0]) + centre, sum_sq / (n - 1) if n > 1 else 0.0)


def of_counts(counts: "Counts", transform: str | None = None) -> Moments:
    """The exact moments of a response, or of its logarithm or square root.

    Raises:
        InputError: There are no values, or the transformation is not defined for one that occurred.
    """
    if not counts.n:
        raise InputError(*_NOTHING)
    if transform is None:
        return Moments(counts.n, counts.mean, counts.variance if counts.n > 1 else 0.0)
    values = counts.values.astype(np.float64)
    if values[0] < 0 or (values[0] == 0 and transform != "sqrt"):
        raise InputError(
            f"{transform} is not defined for the smallest value, {counts.values[0]}",
            "analyse the response without the transformation",
        )
    return of_values(FUNCTIONS[transform](values), counts.counts)


def around_median(counts: "Counts") -> Moments:
    """The exact moments of |x - median|, the response of the Brown-Forsythe test of dispersion.

    The median is the mean of the two middle values when n is even. Source: Brown and Forsythe, "Robust tests
    for the equality of variances", JASA 69 (1974).
    """
    values = counts.values.astype(np.float64)
    distances = np.abs(values - median(values, counts.counts))
    order = np.argsort(distances)
    return of_values(distances[order], counts.counts[order])


def median(values: "NDArray[np.float64]", counts: "NDArray[np.int64]") -> float:
    """The median of ascending values with counts: the mean of the two middle ones when n is even."""
    reached = np.cumsum(counts)
    n = int(reached[-1])
    low, high = np.searchsorted(reached, [(n - 1) // 2, n // 2], side="right")
    return float(values[low] + values[high]) / 2
