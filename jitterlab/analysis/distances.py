# SPDX-License-Identifier: Apache-2.0
"""How far two distributions are apart, exactly from their counts.

All three distances are integrals over the difference of the two distribution functions: its largest value
(Kolmogorov and Smirnov), its area (Wasserstein, or earth mover's, of order 1) and its square (energy
distance of Székely and Rizzo, Journal of Statistical Planning and Inference 143, 2013: here, as in SciPy, the
square root of twice the integral).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.wording import percent, quantity
from jitterlab.recording import Counts

SMALLEST_P = 0.05
_SHUFFLES = 4999
_POINTS = 199


@dataclass(frozen=True, slots=True)
class Distances:
    """How far two distributions are apart.

    Attributes:
        kolmogorov_smirnov: Largest difference of the distribution functions, 0 to 1.
        at: Value where that difference is, in `unit`.
        wasserstein: Mean distance that a sample must be moved to turn one into the other, in `unit`.
        energy: Energy distance, in the square root of `unit`.
        n_a: Samples of the first.
        n_b: Samples of the second.
        unit: Unit of the values.
    """

    kolmogorov_smirnov: float
    at: int
    wasserstein: float
    energy: float
    n_a: int
    n_b: int
    unit: str

    def sentence(self) -> str:
        """The distances in words."""
        if self.kolmogorov_smirnov == 0:
            return f"The distributions are the same (n = {self.n_a:,} and {self.n_b:,})."
        return (
            f"The distributions differ most at {quantity(self.at, self.unit)}, by "
            f"{percent(self.kolmogorov_smirnov)} of the samples (Kolmogorov-Smirnov); turning one into the "
            f"other moves a sample by {quantity(self.wasserstein, self.unit)} on average (Wasserstein; "
            f"n = {self.n_a:,} and {self.n_b:,})."
        )


def distances(a: Counts, b: Counts, unit: str) -> Distances:
    """The distances between two responses of one unit.

    Raises:
        ValueError: One of them has no samples.
    """
    if not (a.n and b.n):
        raise ValueError("a distance needs samples on both sides")
    values = np.union1d(a.values, b.values)
    difference = _cdf(a, values) - _cdf(b, values)
    widths = np.diff(values).astype(np.float64)
    widest = int(np.argmax(np.abs(difference)))
    return Distances(
        kolmogorov_smirnov=float(abs(difference[widest])),
        at=int(values[widest]),
        wasserstein=float(np.abs(difference[:-1]) @ widths),
        energy=float(np.sqrt(2 * (difference[:-1] ** 2 @ widths))),
        n_a=a.n,
        n_b=b.n,
        unit=unit,
    )


def shuffled_p(
    a: Sequence[Sequence[Counts]],
    b: Sequence[Sequence[Counts]],
    *,
    seed: int = 0,
    together: bool = False,
) -> float | None:
    """Whether the distributions differ more than runs of one side do, by shuffling runs between the sides.

    Within each cell the mean distribution functions of the sides are compared at the quantiles of all runs
    (as Cramér and von Mises have it); runs are shuffled inside their cells, so that runs are the units.

    Args:
        a: The runs of the first side, one group per cell.
        b: The runs of the second side, in the same cells.
        seed: Seed of the shuffling.
        together: Whether what stands at one place of all groups (a block) changes sides as a whole.

    Returns:
        The probability of so large a difference if the sides were one; None if there are too few runs for
        that probability ever to be below 5 %.
    """
    sizes = [(len(first), len(second)) for first, second in zip(a, b, strict=True)]
    sizes = sizes[:1] if together else sizes
    splits = prod(comb(first + second, first) for first, second in sizes)
    alike = prod(2 if first == second else 1 for first, second in sizes)
    if alike / splits > SMALLEST_P:
        return None
    rng = np.random.default_rng(seed)
    found, orders = np.zeros(_SHUFFLES + 1), [_orders(sum(size), rng) for size in sizes]
    for place, (first, second) in enumerate(zip(a, b, strict=True)):
        pooled = Counts.merge([*first, *second])
        at = np.unique(pooled.quantiles(np.arange(1, _POINTS + 1) / (_POINTS + 1)))
        functions = np.array([_cdf(run, at) for run in (*first, *second)])
        weights = np.repeat([1 / len(first), -1 / len(second)], [len(first), len(second)])
        rows = weights[orders[0 if together else place]]
        found += ((rows @ functions) ** 2).mean(axis=1)
    return float(np.mean(found >= found[0] * (1 - 1e-9)))


def _orders(size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The places of some values as they are, and then shuffled, once per row."""
    return np.vstack([np.arange(size), rng.permuted(np.tile(np.arange(size), (_SHUFFLES, 1)), axis=1)])


def _cdf(counts: Counts, at: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of samples at or below each of the ascending values."""
    cumulative = np.concatenate(([0], np.cumsum(counts.counts)))
    return np.asarray(cumulative[np.searchsorted(counts.values, at, side="right")] / counts.n)
