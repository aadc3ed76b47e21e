# SPDX-License-Identifier: Apache-2.0
"""The dip equals its definition: the closest unimodal distribution, found by linear programming."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from jitterlab.analysis.dip import dip


class Program:
    """A linear program: the smallest distance (the last unknown) under demands on the other unknowns."""

    def __init__(self, unknowns: int) -> None:
        self.unknowns = unknowns
        self.rows: list[NDArray[np.float64]] = []
        self.limits: list[float] = []

    def demand(self, coefficients: dict[int, float], limit: float = 0.0) -> None:
        row = np.zeros(self.unknowns + 1)
        row[list(coefficients)] = list(coefficients.values())
        self.rows.append(row)
        self.limits.append(limit)

    def near(self, place: int, height: float) -> None:
        self.demand({place: 1, self.unknowns: -1}, height)
        self.demand({place: -1, self.unknowns: -1}, -height)

    def curved(self, first: int, sign: int, knots: NDArray[np.float64]) -> None:
        """Rising, and convex (1) or concave (-1)."""
        for i, (before, after) in enumerate(pairwise(np.diff(knots)), first):
            self.demand({i: -sign / before, i + 1: sign / before + sign / after, i + 2: -sign / after})
        for i in range(first, first + len(knots) - 1):
            self.demand({i: 1, i + 1: -1})

    def solved(self) -> float:
        goal = np.zeros(self.unknowns + 1)
        goal[-1] = 1
        found = linprog(goal, A_ub=np.array(self.rows), b_ub=self.limits, bounds=(0, 1))
        return 1.0 if found.fun is None else float(found.fun)


def distance_to_mode_at(x: NDArray[np.float64], mode: int) -> float:
    """The smallest largest distance to a distribution that is convex before a value and concave behind it.

    Unknowns: the distribution at x[0] … x[mode] (from the left), at x[mode] … (from the right).
    """
    n, left = len(x), mode + 1
    program = Program(n + 1)
    for i in range(left):
        program.near(i, i / n)
        if i < mode:
            program.near(i, (i + 1) / n)
    for i in range(mode, n):
        program.near(i + 1, (i + 1) / n)
        if i > mode:
            program.near(i + 1, i / n)
    program.curved(0, 1, x[:left])
    program.curved(left, -1, x[mode:])
    program.demand({mode: 1, left: -1})
    return program.solved()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=3, max_size=11, unique=True))
def test_the_dip_is_the_distance_to_the_closest_unimodal_distribution(values: list[int]) -> None:
    x = np.sort(np.array(values, dtype=np.float64))
    closest = min(distance_to_mode_at(x, mode) for mode in range(len(x)))
    assert dip(x).dip == pytest.approx(max(closest, 1 / (2 * len(x))), abs=1e-7)


def test_evenly_spaced_values_have_the_smallest_dip() -> None:
    for n in (4, 10, 101):
        assert dip(np.arange(n, dtype=np.float64)).dip == pytest.approx(1 / (2 * n))


def test_two_far_points_have_the_largest_dip() -> None:
    values = np.concatenate([np.linspace(0, 1e-9, 1000), np.linspace(1, 1 + 1e-9, 1000)])
    assert dip(values).dip == pytest.approx(0.25, abs=0.001)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=200, unique=True))
def test_the_dip_does_not_change_with_scale_and_direction(values: list[int]) -> None:
    x = np.sort(np.array(values, dtype=np.float64))
    found = dip(x)
    assert dip(3 * x + 7).dip == pytest.approx(found.dip)
    assert dip(-x[::-1]).dip == pytest.approx(found.dip)
    assert 1 / (2 * len(x)) <= found.dip <= 0.25 + 1e-12
    assert 0 <= found.low <= found.high < len(x)


@pytest.mark.parametrize(("n", "published"), [(100, 0.0511), (200, 0.0370)])
def test_the_critical_values_are_those_of_hartigan_and_hartigan(n: int, published: float) -> None:
    """Their table 1 has the 95 % quantile of the dip of uniform samples."""
    rng = np.random.default_rng(1)
    simulated = np.quantile([dip(np.sort(rng.random(n))).dip for _ in range(1500)], 0.95)
    assert simulated == pytest.approx(published, rel=0.04)


def test_p_is_uniform_or_larger_for_uniform_samples() -> None:
    rng = np.random.default_rng(2)
    p = np.array([dip(np.sort(rng.random(500))).p for _ in range(1000)])
    assert np.mean(p <= 0.05) <= 0.07
    assert np.mean(p <= 0.05) >= 0.02
    assert np.mean(p <= 0.01) <= 0.02
    assert p.max() <= 0.5
    assert dip(np.concatenate([np.linspace(0, 1, 500), np.linspace(9, 10, 500)])).p == pytest.approx(0.001)


def test_no_values_have_no_dip() -> None:
    with pytest.raises(ValueError, match="needs values"):
        dip(np.array([]))
