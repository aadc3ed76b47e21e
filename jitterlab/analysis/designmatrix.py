# SPDX-License-Identifier: Apache-2.0
"""The design matrix of a factorial model: sum-to-zero contrasts, one block of columns per term."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Factor:
    """The levels of a factor in every cell.

    Attributes:
        levels: The levels that occur.
        codes: Per cell the index of its level.
    """

    levels: tuple[str, ...]
    codes: NDArray[np.int64]


def columns(terms: tuple[Names, ...], factors: dict[str, Factor]) -> dict[Names, Array]:
    """The columns of every term, one row per cell; the constant is not among them.

    A factor stands in a term with sum-to-zero contrasts if the model also has the term without it, else with
    one indicator per level (the rule of R's `terms.formula`), so that `a + a:b` nests b in a.
    """
    present: set[frozenset[str]] = {frozenset(term) for term in terms} | {frozenset()}
    return {term: _interaction(term, factors, present) for term in terms}


def _interaction(term: Names, factors: dict[str, Factor], present: set[frozenset[str]]) -> Array:
    product = np.ones((len(factors[term[0]].codes), 1))
    for name in term:
        factor = factors[name]
        full_coding = frozenset(term) - {name} not in present
        coding = np.eye(len(factor.levels)) if full_coding else sum_contrasts(len(factor.levels))
        part = coding[factor.codes]
        product = (product[:, :, None] * part[:, None, :]).reshape(len(part), -1)
    return product


def sum_contrasts(levels: int) -> Array:
    """Deviation coding: every level against the mean of all, the last as minus the sum of the others."""
    return np.vstack([np.eye(levels - 1), -np.ones((1, levels - 1))])
