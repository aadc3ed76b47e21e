# SPDX-License-Identifier: Apache-2.0
"""What is known about one statistic on two sides, from the values of their runs.

Cells weigh the same; every cell has its own variance, and Satterthwaite's degrees of freedom (Biometrics
Bulletin 2, 1946) say how well their sum is known. Where blocks hold all runs alike, what blocks differ in (a
machine that drifts) is taken out: the analysis of a randomised block design.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.bootstrap import contrast_over_runs

ENOUGH_TO_RESAMPLE = 10

Range = tuple[float, float]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimates:
    """What is known about one statistic on both sides.

    Attributes:
        a: Estimate of the first side.
        b: Estimate of the second side.
        variance_a: Squared standard error of `a`.
        variance_b: Squared standard error of `b`.
        covariance: Of the two estimates, if they are paired.
        df: Degrees of freedom of the standard error of b - a.
    """

    a: float
    b: float
    variance_a: float = nan
    variance_b: float = nan
    covariance: float = 0.0
    df: float = nan

    @property
    def standard_error(self) -> float:
        """Standard error of b - a."""
        return sqrt(max(self.variance_a + self.variance_b - 2 * self.covariance, 0.0))


def over_groups(a: Sequence[FloatArray], b: Sequence[FloatArray]) -> Estimates:
    """Both sides from run-level values in matching groups of at least two runs; groups weigh the same."""
    parts = [[(float(g.mean()), float(g.var(ddof=1)) / len(g), len(g) - 1) for g in side] for side in (a, b)]
    count = len(a)
    variances = [sum(variance for _, variance, _ in side) / count**2 for side in parts]
    weights = sum((variance / count**2) ** 2 / df for side in parts for _, variance, df in side)
    df = sum(variances) ** 2 / weights if weights else float(sum(df for side in parts for _, _, df in side))
    means = [sum(mean for mean, _, _ in side) / count for side in parts]
    return Estimates(means[0], means[1], variances[0], variances[1], 0.0, df)


def over_blocks(a: Sequence[FloatArray], b: Sequence[FloatArray]) -> Estimates:
    """Both sides from run-level values in matching groups, each with one run per block in the same order."""
    values = np.array([*a, *b])
    width, blocks = values.shape
    rest = values - values.mean(axis=0) + values.mean()
    means = rest.mean(axis=1, keepdims=True)
    centred = list(means + (rest - means) * sqrt(width / (width - 1)))
    inside = over_groups(centred[: len(a)], centred[len(a) :])
    plain = over_groups(a, b)
    covariance = (plain.variance_a + plain.variance_b - inside.standard_error**2) / 2
    return replace(plain, covariance=covariance, df=min(inside.df, (width - 1) * (blocks - 1)))


def over_plots(parts: Sequence[Estimates]) -> Estimates:
    """Both sides from what is known in several plots, which weigh the same."""
    count, squares = len(parts), [part.standard_error**2 for part in parts]
    weights = sum(square**2 / part.df for square, part in zip(squares, parts, strict=True))
    return Estimates(
        sum(part.a for part in parts) / count,
        sum(part.b for part in parts) / count,
        sum(part.variance_a for part in parts) / count**2,
        sum(part.variance_b for part in parts) / count**2,
        sum(part.covariance for part in parts) / count**2,
        sum(squares) ** 2 / weights if weights else sum(part.df for part in parts),
    )


def of_blocks(groups: Sequence[FloatArray], blocks: Sequence[Sequence[int]]) -> FloatArray | None:
    """One value per block, for what its runs share (a boot, an hour): its mean over the groups.

    For a group that a block lacks, least squares fill in what the others say.

    Args:
        groups: Run-level values of one side, one array per group (cell).
        blocks: The block of each of them.

    Returns:
        The values in the order of the blocks; None if there is one block, or they do not hold several groups.
    """
    values = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(part) for part in groups])
    names, block = np.unique(np.concatenate(blocks), return_inverse=True)
    design = np.hstack([np.eye(len(groups))[group], np.eye(len(names))[block]])
    if len(names) < 2 or np.linalg.matrix_rank(design) < design.shape[1] - 1:
        return None
    centre = values.mean()
    parts = np.linalg.lstsq(design, values - centre)[0]
    return np.asarray(centre + parts[: len(groups)].mean() + parts[len(groups) :])


def over_pairs(a: FloatArray, b: FloatArray) -> Estimates:
    """Both sides from one value per matching cell or block: the differences inside them are the units."""
    n = len(a)
    matrix = np.cov(a, b) / n
    return Estimates(
        float(a.mean()), float(b.mean()), float(matrix[0, 0]), float(matrix[1, 1]), float(matrix[0, 1]), n - 1
    )


def resample(a: Sequence[FloatArray], b: Sequence[FloatArray], seed: int) -> tuple[Range, Range] | None:
    """Intervals of difference and ratio from a bootstrap over runs; None if a group has too few runs."""
    if min(len(group) for group in (*a, *b)) < ENOUGH_TO_RESAMPLE or min(g.min() for g in a) <= 0:
        return None
    return contrast_over_runs(a, b, seed=seed)
