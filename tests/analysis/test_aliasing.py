# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from itertools import product

import numpy as np
import pydoe
import pytest
from numpy.typing import NDArray

from jitterlab.analysis import aliasing
from jitterlab.analysis.cells import Cells, RunSummary, group
from jitterlab.analysis.factorial import analyse, default_formula
from jitterlab.recording import Counts


def screened(matrix: "NDArray[np.float64]", replicates: int = 3) -> Cells:
    """Two-level factors a, b, … by the signs of a design; `a` adds 1000 ns, the rest is noise of 50 ns."""
    names = "abcdefghijk"[: matrix.shape[1]]
    rng = np.random.default_rng(7)
    runs: list[RunSummary] = []
    for block, (cell, signs) in product(range(1, replicates + 1), enumerate(matrix, 1)):
        levels = {name: "high" if sign > 0 else "low" for name, sign in zip(names, signs, strict=True)}
        runs.append(RunSummary(len(runs) + 1, block, cell, levels, Counts.of(_samples(levels, rng))))
    return Cells(dict.fromkeys(names, ("low", "high")), "latency", "ns", group(runs))


def _samples(levels: Mapping[str, str], rng: np.random.Generator) -> "NDArray[np.int64]":
    centre = 10_000 + 1000 * (levels["a"] == "high") + rng.normal(0, 50)
    return np.rint(rng.normal(centre, 20, 30)).astype(np.int64)


@pytest.mark.parametrize(
    ("generators", "interactions", "said"),
    [
        ("a b ab", 0, "a is mixed with b:c; b is mixed with a:c; c is mixed with a:b"),
        ("a b c abc", 0, "cannot tell interactions of two factors apart"),
        ("a b c d abcd", 10, ""),
        ("a b ab c ac bc abc", 0, "a, b, c, d, e, f and g are mixed with interactions of two factors"),
    ],
)
def test_fractions_keep_the_interactions_that_they_can_tell(
    generators: str, interactions: int, said: str
) -> None:
    """Resolution III, IV, V, and a saturated design: what decides is found, what hides in it is named."""
    cells = screened(pydoe.fracfact(generators))
    assert sum(len(term) == 2 for term in default_formula(cells).terms) == interactions
    found = analyse(cells)
    assert found.runs is not None
    assert (found.runs["a"].p or 1) < 1e-6
    assert found.runs["a"].df == 1
    assert said in found.aliasing
    assert bool(said) == bool(found.aliasing)
    assert not said or found.aliasing in found.runs.notes


def test_plackett_burman_mixes_every_main_effect_in_part() -> None:
    """Twelve runs for eleven factors; the effect of one of them is found."""
    found = analyse(screened(pydoe.pbdesign(11))).runs
    assert found is not None
    assert [term.term for term in found.effects] == list("abcdefghijk")
    assert (found["a"].p or 1) < 1e-6
    assert "2,036 combinations of levels have no data" in found.notes[0]


def test_the_alias_of_a_lost_combination_is_its_interaction() -> None:
    cells = screened(np.array([[-1.0, -1], [1, -1], [-1, 1]]))
    assert default_formula(cells).terms == (("a",), ("b",))
    assert "a is mixed with a:b; b is mixed with a:b" in aliasing.note(cells, (("a",), ("b",)))


def test_complete_designs_hide_nothing() -> None:
    cells = screened(np.array(list(product([-1.0, 1], repeat=3))))
    assert aliasing.note(cells, (("a",), ("b",), ("c",))) == ""
    assert len(default_formula(cells).terms) == 7
