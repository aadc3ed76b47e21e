# SPDX-License-Identifier: Apache-2.0
"""Designs are balanced, ordered as they should be, and decided by their seed."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jitterlab import design
from jitterlab.study.model import Study, StudyFactor
from jitterlab.study.screening import cell_count, problem


def study(*factors: StudyFactor, **changes: object) -> Study:
    plain = Study(
        title="t",
        workload="wakeup",
        replicates=3,
        samples=1,
        warmup=0,
        seed=1,
        order="blocks",
        design="full",
        control=False,
        parameters={},
        factors=factors,
        text="",
        path=Path("x.toml"),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def factor(name: str, levels: int, *, between_boots: bool = False) -> StudyFactor:
    return StudyFactor(name, tuple(f"{name}{level}" for level in range(levels)), between_boots)


@st.composite
def studies(draw: st.DrawFn) -> Study:
    names = draw(st.lists(st.sampled_from("abcde"), unique=True, max_size=4))
    factors = [factor(name, draw(st.integers(2, 4)), between_boots=draw(st.booleans())) for name in names]
    return study(
        *factors,
        replicates=draw(st.integers(1, 4)),
        seed=draw(st.integers(0, 2**63 - 1)),
        order=draw(st.sampled_from(["blocks", "random", "listed"])),
        control=draw(st.booleans()),
    )


@settings(deadline=None)
@given(studies())
def test_every_block_holds_every_cell_once(asked: Study) -> None:
    runs = design.plan(asked)
    cells = len(design.cells(asked)) + asked.control
    assert [run.run for run in runs] == list(range(1, len(runs) + 1))
    assert Counter((run.block, run.cell) for run in runs) == {
        (block, cell): 1 for block in range(1, asked.replicates + 1) for cell in range(1, cells + 1)
    }
    assert len({tuple(sorted(run.levels.items())) for run in runs}) == cells - asked.control
    assert all(list(run.levels) == [factor.name for factor in asked.factors] for run in runs)


@settings(deadline=None)
@given(studies())
def test_the_same_seed_gives_the_same_plan(asked: Study) -> None:
    assert design.plan(asked) == design.plan(replace(asked, title="another"))


@settings(deadline=None)
@given(studies())
def test_blocks_come_one_after_another(asked: Study) -> None:
    blocks = [run.block for run in design.plan(replace(asked, order="blocks"))]
    assert blocks == sorted(blocks)


@settings(deadline=None)
@given(studies())
def test_a_block_boots_each_combination_once(asked: Study) -> None:
    boots = [factor.name for factor in asked.factors if factor.between_boots]
    assume(boots)
    booted = [(run.block, *(run.levels[name] for name in boots)) for run in design.plan(asked)]
    changes = 1 + sum(before != after for before, after in pairwise(booted))
    assert changes == len(set(booted))


def test_orders_differ_as_their_names_say() -> None:
    asked = study(factor("a", 4), factor("b", 4))
    listed = [run.cell for run in design.plan(replace(asked, order="listed"))]
    blocks = design.plan(asked)
    anywhere = design.plan(replace(asked, order="random"))
    assert listed == [*range(1, 17)] * 3
    assert [run.cell for run in blocks][:16] != listed[:16]
    assert [run.cell for run in blocks][:16] != [run.cell for run in blocks][16:32]
    assert [run.block for run in anywhere] != sorted(run.block for run in anywhere)
    assert design.plan(asked) != design.plan(replace(asked, seed=2))


def test_every_cell_comes_first_equally_often() -> None:
    first = Counter(design.plan(study(factor("a", 4), seed=seed))[0].cell for seed in range(2000))
    assert all(420 < count < 580 for count in first.values()), first


def test_the_control_repeats_the_first_cell_under_the_next_number() -> None:
    runs = design.plan(study(factor("a", 2), factor("b", 2), control=True))
    control = [run for run in runs if run.cell == 5]
    assert len(control) == 3
    assert all(run.levels == {"a": "a0", "b": "b0"} for run in control)


def test_without_factors_there_is_one_cell() -> None:
    assert [(run.cell, run.levels) for run in design.plan(study())] == [(1, {})] * 3


def contrasts(asked: Study) -> np.ndarray:
    return np.array(
        [[2 * f.levels.index(levels[f.name]) - 1 for f in asked.factors] for levels in design.cells(asked)]
    )


@pytest.mark.parametrize("factors", [1, 3, 7, 8, 11, 15, 19, 23])
def test_plackett_burman_designs_are_orthogonal(factors: int) -> None:
    asked = study(*(factor(chr(97 + index), 2) for index in range(factors)), design="plackett-burman")
    matrix = contrasts(asked)
    assert len(matrix) == cell_count(asked.design, [2] * factors)
    assert np.array_equal(matrix.T @ matrix, len(matrix) * np.eye(factors, dtype=int))


def test_a_fractional_design_has_the_generators_it_was_given() -> None:
    asked = study(*(factor(name, 2) for name in "pqrs"), design="fractional:a b c -abc")
    matrix = contrasts(asked)
    assert len(matrix) == 8 == cell_count(asked.design, [2] * 4)
    assert np.array_equal(matrix[:, 3], -matrix[:, 0] * matrix[:, 1] * matrix[:, 2])
    assert all(matrix[:, one] @ matrix[:, other] == 0 for one, other in combinations(range(4), 2))


@pytest.mark.parametrize(
    ("asked", "levels"),
    [
        ("fractional:", [2, 2]),
        ("fractional:a", [2, 2]),
        ("fractional:a a", [2, 2]),
        ("fractional:a c", [2, 2]),
        ("fractional:a b ad", [2, 2, 2]),
        ("fractional:a b ab ba", [2, 2, 2, 2]),
        ("fractional:a b aab", [2, 2, 2]),
        ("fractional:ab", [2]),
        ("fractional:a __import__('os')", [2, 2]),
        ("fractional:a b", [2, 3]),
        ("plackett-burman", [2, 3]),
        ("plackett-burman", []),
        ("plackett-burman", [2] * 24),
        ("fulll", [2]),
    ],
)
def test_designs_that_cannot_be_made_are_refused(asked: str, levels: list[int]) -> None:
    assert problem(asked, levels)
