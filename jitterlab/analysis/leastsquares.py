# SPDX-License-Identifier: Apache-2.0
"""Sums of squares of nested models on weighted cell means, with the degrees of freedom that the cells allow.

A term's sum of squares is the squared length of the cell means projected on what the term's columns add to
the columns it is adjusted for, so that small effects keep their digits beside large ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jitterlab.analysis.designmatrix import Array, Names

_NEGLIGIBLE = 1e-24
"""Share of the between-cell sum of squares below which a projection is rounding error."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a term explains: sum of squares, estimable degrees of freedom, and those of a full design."""

    sum_sq: float
    df: int
    full_df: int


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The between-cell sum of squares, taken apart.

    Attributes:
        shares: Per term.
        lack_of_fit: Sum of squares that the whole model leaves between the cells.
        lack_of_fit_df: Its degrees of freedom.
        total: Sum of squares of the cell means around the grand mean.
    """

    shares: dict[Names, Share]
    lack_of_fit: float
    lack_of_fit_df: int
    total: float


def decompose(columns: dict[Names, Array], sizes: Array, means: Array, type_: int) -> Decomposition:
    """Take the sum of squares between cells apart.

    Args:
        columns: The design matrix by term, without the constant.
        sizes: n of each cell.
        means: Mean of each cell.
        type_: Type of the sums of squares: 1, 2 or 3.
    """
    weights = np.sqrt(sizes)
    grand = float(sizes @ (means - means[0])) / float(sizes.sum()) + means[0]
    target = weights * (means - grand)
    total = float(target @ target)
    constant = np.ones((len(sizes), 1))
    shares = {}
    for term, adjusted_for in adjustments(tuple(columns), type_):
        base = np.hstack([constant, *(columns[other] for other in adjusted_for)])
        sum_sq, df = _added(base, columns[term], weights, target)
        shares[term] = Share(sum_sq if sum_sq > _NEGLIGIBLE * total else 0.0, df, columns[term].shape[1])
    explained, df = _added(constant, np.hstack(list(columns.values())), weights, target)
    lack_df = len(sizes) - 1 - df
    lack = max(total - explained, 0.0) if lack_df else 0.0
    return Decomposition(shares, lack, lack_df, total)


def adjustments(terms: tuple[Names, ...], type_: int) -> Iterator[tuple[Names, tuple[Names, ...]]]:
    """Each term with the terms that its sum of squares is adjusted for."""
    for position, term in enumerate(terms):
        if type_ == 1:
            yield term, terms[:position]
        elif type_ == 2:
            yield term, tuple(other for other in terms if not set(term) <= set(other))
        else:
            yield term, tuple(other for other in terms if other != term)


def _added(base: Array, extra: Array, weights: Array, target: Array) -> tuple[float, int]:
    """Sum of squares and rank that `extra` adds to `base`; ranks come from the unweighted columns."""
    base_rank = int(np.linalg.matrix_rank(base))
    df = int(np.linalg.matrix_rank(np.hstack([base, extra]))) - base_rank
    if df == 0:
        return 0.0, 0
    base_space = _span(weights[:, None] * base, base_rank)
    rest = weights[:, None] * extra
    for _ in range(2):  # a second pass removes what rounding left of the base
        rest = rest - base_space @ (base_space.T @ rest)
    effect = _span(rest, df).T @ (target - base_space @ (base_space.T @ target))
    return float(effect @ effect), df


def _span(matrix: Array, rank: int) -> Array:
    """Orthonormal columns that span a matrix of known rank."""
    left, _, _ = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left[:, :rank])
