# SPDX-License-Identifier: Apache-2.0
"""Sums of squares of nested models on weighted cell means, with the degrees of freedom that the cells allow.

A term's sum of squares is the squared length of the cell means projected on what the term's columns add to
the columns it is adjusted for, so that small effects keep their digits beside large ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from jitterlab.analysis.designmatrix import Array, Names

_NOTHING = 1e-9
"""Length of a column beside the longest one below which it adds nothing."""

_NEGLIGIBLE = 1e-24
"""Share of the between-cell sum of squares below which a projection is rounding error."""

_ROUNDING = 2 * float(np.finfo(float).eps)
"""Error of a mean relative to the largest one: a misfit of less was made by rounding."""


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
    with threadpool_limits(1, "blas"):  # on small matrices threads cost more than they bring
        return _decompose(columns, sizes, means, type_)


def _decompose(columns: dict[Names, Array], sizes: Array, means: Array, type_: int) -> Decomposition:
    weights = np.sqrt(sizes)
    grand = float(sizes @ (means - means[0])) / float(sizes.sum()) + means[0]
    target = weights * (means - grand)
    total = float(target @ target)
    constant = np.ones((len(sizes), 1))
    whole = np.hstack([constant, *columns.values()])
    rank = rank_of(whole)
    regular = rank == whole.shape[1]
    shares = {}
    for term, adjusted_for in adjustments(tuple(columns), type_):
        base = np.hstack([constant, *(columns[other] for other in adjusted_for)])
        df = columns[term].shape[1] if regular else rank_of(np.hstack([base, columns[term]])) - rank_of(base)
        added = (
            _regular(base, columns[term], weights) if regular else _added(base, columns[term], weights, df)
        )
        effect = added.T @ target
        sum_sq = float(effect @ effect)
        shares[term] = Share(sum_sq if sum_sq > _NEGLIGIBLE * total else 0.0, df, columns[term].shape[1])
    lack = 0.0
    if len(sizes) > rank:
        space = _span(weights[:, None] * whole, rank)
        left = target - space @ (space.T @ target)
        rounding = float(sizes.sum()) * (_ROUNDING * float(np.abs(means).max())) ** 2
        lack = float(left @ left)
        lack = lack if lack > max(_NEGLIGIBLE * total, rounding) else 0.0
    return Decomposition(shares, lack, len(sizes) - rank, total)


def adjustments(terms: tuple[Names, ...], type_: int) -> Iterator[tuple[Names, tuple[Names, ...]]]:
    """Each term with the terms that its sum of squares is adjusted for."""
    for position, term in enumerate(terms):
        if type_ == 1:
            yield term, terms[:position]
        elif type_ == 2:
            yield term, tuple(other for other in terms if not set(term) <= set(other))
        else:
            yield term, tuple(other for other in terms if other != term)


def _regular(base: Array, extra: Array, weights: Array) -> Array:
    """Orthonormal columns of what `extra` adds to `base`, if all columns are independent."""
    return np.linalg.qr(weights[:, None] * np.hstack([base, extra])).Q[:, base.shape[1] :]


def _added(base: Array, extra: Array, weights: Array, df: int) -> Array:
    """Orthonormal columns of what `extra` adds to `base`, `df` of them."""
    space = _span(weights[:, None] * base, rank_of(base))
    rest = weights[:, None] * extra
    for _ in range(2):  # a second pass removes what rounding left of the base
        rest = rest - space @ (space.T @ rest)
    return _span(rest, df)


def rank_of(columns: Array) -> int:
    """The rank of unweighted columns, which are small whole numbers; weights leave the rank as it is."""
    from scipy.linalg import qr

    (triangle, *_) = qr(columns, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    return int((diagonal > _NOTHING * diagonal[0]).sum())


def _span(matrix: Array, rank: int) -> Array:
    """Orthonormal columns that span a matrix of known rank."""
    from scipy.linalg import qr

    (left, *_) = qr(matrix, mode="economic", pivoting=True)
    return np.asarray(left[:, :rank])
