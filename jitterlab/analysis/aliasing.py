# SPDX-License-Identifier: Apache-2.0
"""Aliasing: which interactions the measured combinations cannot tell from other terms, and what they hide in.

Screening designs measure a part of the combinations, so that main effects are those of their factors only
if certain interactions are nil: Box, Hunter and Hunter, "Statistics for Experimenters" (2nd ed. 2005),
chapters 6 and 7. What an omitted term adds to the estimate of another is an entry of the alias matrix of Box
and Wilson, "On the experimental attainment of optimum conditions", JRSS B 13 (1951).
"""

from itertools import combinations

import numpy as np

from jitterlab.analysis.cells import Cells
from jitterlab.analysis.designmatrix import Array, Factor, Names, columns
from jitterlab.analysis.leastsquares import rank_of
from jitterlab.analysis.wording import listing

_NOTHING = 1e-9
_MOST_NAMED = 12
"""Pairs of an effect and an interaction up to which each is named."""


def inseparable(cells: Cells, terms: tuple[Names, ...]) -> tuple[Names, ...]:
    """The interactions among the terms of which nothing is left beside all other terms.

    Args:
        cells: The cells that were measured.
        terms: A model with the terms in question.
    """
    parts = _columns(cells, terms)
    if parts is None:
        return ()
    whole = rank_of(_design(parts))
    return tuple(
        term
        for term in terms
        if len(term) > 1
        and rank_of(_design({other: part for other, part in parts.items() if other != term})) == whole
    )


def note(cells: Cells, terms: tuple[Names, ...]) -> str:
    """Which interactions of two a model leaves out because of the combinations; empty if there are none.

    Args:
        cells: The cells that were measured.
        terms: The model that is analysed.
    """
    factors = tuple(dict.fromkeys(name for term in terms for name in term))
    pairs = [pair for pair in combinations(factors, 2) if not any(set(pair) == set(term) for term in terms)]
    hidden = [term for term in inseparable(cells, (*terms, *pairs)) if term not in terms]
    if not hidden:
        return ""
    mixed = _mixed(cells, terms, hidden)
    if not mixed:
        return "The measured combinations cannot tell interactions of two factors apart: they are left out."
    named = [f"{':'.join(term)} is mixed with {_names(others)}" for term, others in mixed.items()]
    if sum(map(len, mixed.values())) > _MOST_NAMED:
        named = [f"{listing([':'.join(term) for term in mixed])} are mixed with interactions of two factors"]
    said = "; ".join(named)
    return f"In the measured combinations {said}: an effect is its factor's alone only if those are nil."


def _names(terms: list[Names]) -> str:
    return listing([":".join(term) for term in terms])


def _mixed(cells: Cells, terms: tuple[Names, ...], hidden: list[Names]) -> dict[Names, list[Names]]:
    """Per term of the model, the left out interactions that are in its estimate."""
    parts = _columns(cells, (*terms, *hidden)) or {}
    model = {term: parts[term] for term in terms}
    found: dict[Names, list[Names]] = {}
    for other in hidden:
        aliases = np.linalg.lstsq(_design(model), parts[other])[0]
        start = 1
        for term, part in model.items():
            rows = aliases[start : start + part.shape[1]]
            start += part.shape[1]
            if np.abs(rows).max() > _NOTHING:
                found.setdefault(term, []).append(other)
    return {term: found[term] for term in terms if term in found}


def _columns(cells: Cells, terms: tuple[Names, ...]) -> dict[Names, Array] | None:
    """The columns of the terms, one row per measured combination; None if no combination is missing."""
    names = tuple(dict.fromkeys(name for term in terms for name in term))
    if not set(names) <= set(cells.varied):
        return None
    measured = sorted({tuple(cell.levels[name] for name in names) for cell in cells.cells})
    factors = {}
    for place, name in enumerate(names):
        levels, codes = np.unique([levels[place] for levels in measured], return_inverse=True)
        factors[name] = Factor(tuple(levels.tolist()), codes.astype(np.int64))
    possible = np.prod([float(len(factor.levels)) for factor in factors.values()])
    return columns(terms, factors) if len(measured) < possible else None


def _design(parts: dict[Names, Array]) -> Array:
    rows = len(next(iter(parts.values())))
    return np.hstack([np.ones((rows, 1)), *parts.values()])
