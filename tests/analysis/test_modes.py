# SPDX-License-Identifier: Apache-2.0
"""Modes are found where there are some, and a clock's steps or a long tail are none."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitterlab.analysis.modes import assigned, clock_step, in_runs, modes
from jitterlab.recording import Counts

N = 10_000
Make = Callable[[np.random.Generator], "np.ndarray[tuple[int], np.dtype[np.float64]]"]

ONE_MODE: dict[str, Make] = {
    "normal": lambda rng: rng.normal(20_000, 2000, N),
    "uniform": lambda rng: rng.uniform(0, 20_000, N),
    "log-normal": lambda rng: rng.lognormal(9, 0.6, N),
    "heavy tail": lambda rng: 1000 * (1 + rng.pareto(1.2, N)),
    "whole microseconds": lambda rng: 1000 * np.round(rng.normal(20, 2, N)),
    "three clock steps": lambda rng: np.round(rng.normal(20, 0.5, N)),
    "ticks of 40 ns": lambda rng: 40 * np.round(rng.normal(500, 20, N)),
    "ticks of 41.67 ns in whole ns": lambda rng: np.floor(np.round(rng.normal(500, 20, N)) * 41.6667),
    "few samples": lambda rng: rng.normal(20_000, 1000, 150),
}


@pytest.mark.parametrize("name", ONE_MODE)
def test_one_mode_is_not_called_several(name: str) -> None:
    rng = np.random.default_rng(1)
    found = [modes(Counts.of(ONE_MODE[name](rng)), "ns", seed=i) for i in range(20)]
    assert sum(one.multimodal for one in found) <= 1
    assert all(one.modes[0].share == 1 for one in found if not one.multimodal)


def mixture(rng: np.random.Generator, *parts: tuple[int, float, float]) -> Counts:
    return Counts.of(np.concatenate([rng.normal(at, width, size) for size, at, width in parts]))


@pytest.mark.parametrize(
    "parts",
    [
        ((5000, 20_000, 1000), (5000, 26_000, 1000)),
        ((9500, 20_000, 1000), (500, 40_000, 1000)),
        ((5000, 20_000, 1000), (2500, 26_000, 1000), (2500, 60_000, 3000)),
        ((100, 20_000, 1000), (100, 30_000, 1000)),
    ],
)
def test_modes_are_found_with_place_and_share(parts: tuple[tuple[int, float, float], ...]) -> None:
    rng = np.random.default_rng(2)
    total = sum(size for size, _, _ in parts)
    for i in range(10):
        found = modes(mixture(rng, *parts), "ns", seed=i)
        assert [mode.location for mode in found.modes] == pytest.approx([at for _, at, _ in parts], rel=0.05)
        assert [m.share for m in found.modes] == pytest.approx([s / total for s, _, _ in parts], abs=0.02)


def test_modes_of_a_coarse_clock_and_a_tail_are_found() -> None:
    rng = np.random.default_rng(3)
    coarse = np.concatenate([np.round(rng.normal(20, 1, N)), np.round(rng.normal(28, 1, N))])
    assert len(modes(Counts.of(coarse), "us").modes) == 2
    tail = np.concatenate([10_000 + rng.exponential(2000, N), 30_000 + rng.exponential(4000, N)])
    assert len(modes(Counts.of(tail), "ns").modes) == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300), st.integers(0, 10))
def test_modes_share_out_all_samples(samples: list[int], seed: int) -> None:
    counts = Counts.of(samples)
    found = modes(counts, "ns", seed=seed)
    if counts.n < 100:
        assert found.refusal is not None
        return
    assert sum(mode.share for mode in found.modes) == pytest.approx(1)
    assert assigned(found, counts) == pytest.approx([mode.share for mode in found.modes])
    assert found.modes[0].low == counts.min
    assert found.modes[-1].high == counts.max
    assert all(mode.low <= mode.high for mode in found.modes)


def test_modes_of_runs_are_told_from_modes_of_samples() -> None:
    rng = np.random.default_rng(5)
    runs = [Counts.of(rng.normal(20_000 + 10_000 * (i % 2), 500, 1000)) for i in range(6)]
    found = modes(Counts.merge(runs), "ns")
    assert [assigned(found, run) for run in runs[:2]] == [(1.0, 0.0), (0.0, 1.0)]
    assert in_runs(found, runs) == (
        "Each of 6 runs stays in one of them: it is the runs that differ, not their samples."
    )
    mixed = [Counts.of([20_000] * first + [30_000] * (100 - first)) for first in (20, 50)]
    assert in_runs(found, mixed) == "Of the samples of a run, 20 % to 50 % are in the first (2 runs)."
    assert in_runs(modes(runs[0], "ns"), runs) == ""
    assert in_runs(found, runs[:1]) == ""


def test_many_samples_are_judged_by_some_of_them() -> None:
    values = np.arange(1000)
    found = modes(Counts(values, np.full(1000, 10**5)), "ns")
    assert (found.n, found.n_used) == (10**8, 10_000)
    assert not found.multimodal


@pytest.mark.parametrize(
    ("samples", "step"),
    [([7] * 10, 1), ([0, 40, 80, 80, 400], 40), ([0, 1, 1, 2, 2, 3, 90], 1), ([0, 1000], 1000)],
)
def test_the_step_of_a_clock_is_read_from_the_values(samples: list[int], step: float) -> None:
    assert clock_step(Counts.of(samples)) == step


def test_sentences() -> None:
    rng = np.random.default_rng(4)
    two = modes(mixture(rng, (5000, 20_000, 100), (5000, 40_000, 100)), "ns")
    assert "There are 2 modes, at 20 µs (50 %) and 40 µs (50 %)" in two.sentence()
    assert "dip test p ≤ 0.001, 10,000 values of 10,000" in two.sentence()
    assert "There is one mode, at 7" in modes(Counts.of([7] * 200), "us").sentence()
    assert "takes at least 100 samples, there are 3" in modes(Counts.of([1, 2, 3]), "ns").sentence()


def test_a_large_common_offset_hides_no_mode() -> None:
    """Times since 1970 in nanoseconds, where a float knows no steps below 256."""
    rng = np.random.default_rng(4)
    near = mixture(rng, (5000, 20_000, 100), (5000, 40_000, 100))
    far = modes(Counts(near.values + 1_790_000_000 * 10**9, near.counts), "ns")
    assert [(mode.low - 1_790_000_000 * 10**9, mode.share) for mode in far.modes] == [
        (mode.low, mode.share) for mode in modes(near, "ns").modes
    ]
