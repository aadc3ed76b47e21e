# SPDX-License-Identifier: Apache-2.0
"""Two sides are compared by runs inside matching cells; what cannot be known is said."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from jitterlab.analysis.cells import RunSummary
from jitterlab.analysis.compare import compare
from jitterlab.analysis.estimates import of_blocks
from jitterlab.analysis.sides import Side
from jitterlab.errors import InputError
from jitterlab.recording import Counts
from tests.analysis.autoregressive import ar1

Samples = NDArray[np.float64]


def side(
    label: str,
    runs: int,
    factor: float = 1.0,
    *,
    loads: tuple[str, ...] = ("none",),
    seed: int = 0,
    n: int = 500,
    series: bool = False,
) -> Side:
    """Runs that differ by 3 % from each other, in cells that differ a lot; samples depend on each other."""
    rng = np.random.default_rng(seed)
    found: list[RunSummary] = []
    kept: dict[int, Samples] = {}
    for cell, load in enumerate(loads):
        for block in range(1, runs + 1):
            level = factor * 20_000 * 3**cell * (1 + 0.03 * rng.normal())
            samples = np.rint(level * np.exp(0.1 * ar1(0.8, n, rng)))
            run = len(found) + 1
            found.append(RunSummary(run, block, cell + 1, {"load": load}, Counts.of(samples)))
            kept[run] = samples
    empty: Callable[[int], Samples | None] = lambda _: None  # noqa: E731 - a side without series
    return Side(label, tuple(found), kept.get if series else empty)


def test_a_worse_side_is_called_worse_in_every_statistic() -> None:
    found = compare(side("A", 5), side("B", 5, 1.3, seed=1), "latency", "ns")
    assert found.verdict == "worse"
    assert found.units_of_analysis == "runs"
    assert (found.runs_a, found.runs_b, found.cells) == (5, 5, 1)
    assert [one.statistic for one in found.contrasts if one.refusal is None] == [
        "mean",
        "median",
        "p99",
        "sd",
    ]
    assert found.sentence().endswith("(latency; 5 runs of B against 5 runs of A).")
    assert found.decisive.ratio == pytest.approx(1.3, rel=0.1)
    assert found.distances.wasserstein == pytest.approx(6000, rel=0.2)


def test_a_percentile_that_a_run_does_not_support_is_refused_alone() -> None:
    found = compare(side("A", 3), side("B", 3, seed=1), "latency", "ns")
    refused = next(one for one in found.contrasts if one.statistic == "p99.9")
    assert refused.a is None
    assert refused.sentence() == (
        "The p99.9 is not compared. run 1 has 500 samples, but p99.9 needs at least 1000."
    )


@pytest.mark.parametrize("extreme", ["min", "max"])
def test_extremes_of_single_runs_have_no_interval(extreme: str) -> None:
    sides = side("A", 1, series=True), side("B", 1, 1.5, seed=1, series=True)
    found = compare(*sides, "latency", "ns", primary=extreme)
    assert found.units_of_analysis == "samples"
    assert found.decisive.difference_interval is None
    assert "cannot be seen inside single runs" in found.sentence()


def test_a_run_that_was_cut_short_is_left_out_of_a_percentile_and_named() -> None:
    whole = side("A", 4)
    first = replace(whole.runs[0], counts=Counts.of([20_000, 21_000]))
    short = replace(whole, runs=(first, *whole.runs[1:]))
    found = compare(short, side("B", 4, seed=1), "latency", "ns", primary="p99")
    assert found.decisive.refusal is None
    assert found.notes[0] == "p99: 1 run with less than 100 samples left out."


def test_the_same_side_cannot_be_told_from_itself() -> None:
    alarms = 0
    for seed in range(100):
        found = compare(
            side("A", 4, seed=2 * seed, n=60), side("B", 4, seed=2 * seed + 1, n=60), "latency", "ns",
            statistics=("median",),
        )  # fmt: skip
        alarms += found.verdict != "cannot tell"
    assert alarms <= 11


def test_matching_cells_see_what_mixed_cells_hide() -> None:
    a, b = side("A", 3, loads=("none", "all")), side("B", 3, 1.2, loads=("none", "all"), seed=1)
    matched, mixed = compare(a, b, "latency", "ns", match=["load"]), compare(a, b, "latency", "ns")
    assert matched.verdict == "worse"
    assert matched.cells == 2
    assert matched.notes == ()
    assert mixed.verdict == "cannot tell"
    assert mixed.notes[0] == "A mixes levels of load, which widens the intervals."


def test_one_run_per_cell_is_compared_in_pairs() -> None:
    loads = ("a", "b", "c", "d", "e")
    found = compare(
        side("A", 1, loads=loads, n=2000), side("B", 1, 1.5, loads=loads, seed=1, n=2000), "latency", "ns",
        match=["load"], primary="mean",
    )  # fmt: skip
    assert found.units_of_analysis == "cells"
    assert found.decisive.method == "pairs of cells"
    assert (found.runs_a, found.cells) == (5, 5)
    assert found.decisive.p is not None
    assert found.decisive.p < 0.2


def test_single_runs_are_compared_by_blocks_and_it_says_so() -> None:
    a, b = side("A", 1, n=3000, series=True), side("B", 1, 1.3, seed=1, n=3000, series=True)
    found = compare(a, b, "latency", "ns")
    assert found.units_of_analysis == "samples"
    assert found.verdict == "worse"
    assert "true of these runs, not of their settings" in found.sentence()
    assert "There is only one run on each side" in found.notes[-1]
    naive = a.runs[0].counts.sd / np.sqrt(3000)
    mean = next(one for one in found.contrasts if one.statistic == "mean")
    assert mean.difference_interval is not None
    width = mean.difference_interval[1] - mean.difference_interval[0]
    assert width > 2 * (2 * 1.96 * np.sqrt(2) * naive)


def test_single_runs_without_order_have_no_interval() -> None:
    found = compare(side("A", 1), side("B", 1, 1.3, seed=1), "latency", "ns")
    assert found.verdict == "cannot tell"
    assert found.decisive.difference is not None
    assert found.decisive.difference_interval is None
    assert "without the order of its samples" in found.sentence()
    assert "true of these runs" not in found.sentence()


def test_cells_of_one_side_only_and_cells_with_single_runs_are_left_out_and_named() -> None:
    a = side("A", 3, loads=("none", "all", "some"))
    b = side("B", 3, loads=("none", "all"), seed=1)
    b = Side("B", b.runs[:4], b.series)
    found = compare(a, b, "latency", "ns", match=["load"])
    assert (found.cells, found.runs_a, found.runs_b) == (1, 3, 3)
    assert found.notes == (
        "1 cell of only one side left out.",
        "1 cell with a single run on a side left out.",
    )


def test_sides_recorded_apart_say_so_and_whether_they_drift() -> None:
    a, b = side("A", 20), side("B", 20, seed=1)
    steady = compare(a, b, "latency", "ns", interleaved=False)
    assert len(steady.notes) == 1
    assert "recorded at different times" in steady.notes[0]
    drifting = tuple(
        RunSummary(
            run.run,
            run.block,
            run.cell,
            run.levels,
            Counts(run.counts.values * (1 + run.run // 10), run.counts.counts),
        )
        for run in a.runs
    )
    found = compare(Side("A", drifting, a.series), b, "latency", "ns", interleaved=False)
    assert found.notes[0].startswith("A: The level drifts over the session (20 runs)")
    assert found.notes[0].endswith("So its runs depend on each other.")


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000), st.floats(0, 0.5))
def test_swapping_the_sides_turns_the_comparison_around(a: int, b: int, seed: int, margin: float) -> None:
    first, second = side("A", a, seed=seed, n=50), side("B", b, 1.05, seed=seed + 1, n=50)
    forth = compare(first, second, "latency", "ns", statistics=("median",))
    back = compare(second, first, "latency", "ns", statistics=("median",), margin=margin)
    assert forth.decisive.difference == pytest.approx(-(back.decisive.difference or 0.0))
    assert forth.distances.wasserstein == pytest.approx(back.distances.wasserstein)
    opposite = {"better": "worse", "worse": "better", "cannot tell": "cannot tell"}
    if margin == 0:
        assert back.verdict == opposite[forth.verdict]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(2, 5), st.integers(0, 1000), st.integers(2, 1000), st.booleans())
def test_another_unit_changes_values_and_nothing_else(
    a: int, b: int, seed: int, scale: int, interleaved: bool
) -> None:
    def scaled(of: Side) -> Side:
        runs = tuple(
            replace(run, counts=Counts(run.counts.values * scale, run.counts.counts)) for run in of.runs
        )
        return Side(of.label, runs, of.series)

    first, second = side("A", a, seed=seed, n=50), side("B", b, 1.05, seed=seed + 1, n=50)
    plain = compare(first, second, "latency", "ns", margin=0.02, interleaved=interleaved)
    larger = compare(scaled(first), scaled(second), "latency", "ps", margin=0.02, interleaved=interleaved)
    assert [one.verdict for one in larger.contrasts] == [one.verdict for one in plain.contrasts]
    assert larger.decisive.ratio == pytest.approx(plain.decisive.ratio)
    assert larger.decisive.p == pytest.approx(plain.decisive.p)
    assert larger.distances_p == plain.distances_p
    assert larger.distances.wasserstein == pytest.approx(scale * plain.distances.wasserstein)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(8)), st.integers(0, 1000))
def test_the_order_in_which_runs_are_listed_does_not_matter(order: list[int], seed: int) -> None:
    a, b = side("A", 4, loads=("none", "all"), seed=seed, n=50), side("B", 4, loads=("none", "all"), n=50)
    shuffled = Side("A", tuple(a.runs[i] for i in order), a.series)
    found = [compare(one, b, "latency", "ns", match=["load"]) for one in (a, shuffled)]
    assert found[0].decisive.p == pytest.approx(found[1].decisive.p)
    assert found[0].decisive.ratio_interval == pytest.approx(found[1].decisive.ratio_interval)
    assert found[0].decisive.method == "runs in blocks"


def test_the_margin_decides_what_matters() -> None:
    a, b = side("A", 8), side("B", 8, 1.1, seed=1)
    assert compare(a, b, "latency", "ns").verdict == "worse"
    assert compare(a, b, "latency", "ns", margin=0.3).verdict == "equivalent"


@pytest.mark.parametrize("margin", [-0.1, 1.0, float("nan")])
def test_a_margin_must_be_a_share(margin: float) -> None:
    with pytest.raises(InputError, match="not from 0 to 1"):
        compare(side("A", 2), side("B", 2), "latency", "ns", margin=margin)


def test_what_has_nothing_in_common_is_not_compared() -> None:
    with pytest.raises(InputError, match="no runs with the same levels of load"):
        compare(side("A", 2), side("B", 2, loads=("all",)), "latency", "ns", match=["load"])
    with pytest.raises(InputError, match="no statistic 'best'"):
        compare(side("A", 2), side("B", 2), "latency", "ns", primary="best")


def sides_of_blocks(seed: int, shared: float) -> tuple[Side, Side]:
    """Two sides of the same settings, 4 cells in 4 blocks; a block of one side shares its luck."""
    rng = np.random.default_rng(seed)
    sides = []
    for label in "AB":
        luck = rng.normal(0, shared, 4)
        runs = [
            RunSummary(
                4 * block + cell,
                block,
                cell,
                {"load": str(cell), "kernel": label},
                Counts.of([value - 1, value, value + 1]),
            )
            for block in range(4)
            for cell in range(4)
            for value in [round(20_000 + luck[block] + rng.normal(0, 100))]
        ]
        sides.append(Side(label, tuple(runs), lambda _: None))
    return sides[0], sides[1]


@pytest.mark.parametrize(("interleaved", "booted"), [(False, False), (True, True)])
@pytest.mark.parametrize("shared", [0.0, 200.0])
def test_what_the_runs_of_a_block_share_is_no_difference(
    interleaved: bool, booted: bool, shared: float
) -> None:
    """With runs as units, a third of such comparisons of equal sides would find a difference."""
    alarms = shapes = 0
    for seed in range(100):
        found = compare(
            *sides_of_blocks(seed, shared), "latency", "ns",
            match=["load"], statistics=("mean",), primary="mean", interleaved=interleaved,
            boots=["kernel"] if booted else [],
        )  # fmt: skip
        alarms += found.verdict != "cannot tell"
        shapes += found.distances_p is not None and found.distances_p <= 0.05
        assert found.decisive.method == ("pairs of blocks" if booted else "Welch and Fieller over blocks")
    assert alarms <= 12
    assert shapes <= 12


def test_a_run_that_a_block_lacks_is_filled_in_from_the_others() -> None:
    """Without cell 4 in one block, that block is not taken for a faster one."""
    groups = [np.array([10.0, 11, 12]), np.array([20.0, 21, 22]), np.array([31.0, 32])]
    found = of_blocks(groups, [[1, 2, 3], [1, 2, 3], [2, 3]])
    assert found == pytest.approx([20, 21, 22])
    assert of_blocks(groups, [[1, 2, 3], [4, 5, 6], [7, 8]]) is None
    assert of_blocks([np.array([1.0, 2])], [[1, 1]]) is None


def test_levels_inside_boots_are_compared_inside_boots() -> None:
    """Boots differ by 1000 ns, runs inside them by 10: what boots differ in is taken out."""
    rng = np.random.default_rng(5)
    luck = {(block, kernel): rng.normal(0, 1000) for block in range(4) for kernel in "gr"}
    sides = []
    for label, more in (("none", 0), ("cpu", 100)):
        runs = [
            RunSummary(
                2 * block + cell, block, cell, {"kernel": kernel}, Counts.of([round(value), round(value)])
            )
            for block in range(4)
            for cell, kernel in enumerate("gr")
            for value in [20_000 + luck[block, kernel] + more + rng.normal(0, 10)]
        ]
        sides.append(Side(label, tuple(runs), lambda _: None))
    none, cpu = sides
    found = compare(
        none, cpu, "latency", "ns", match=["kernel"], statistics=("mean",), primary="mean", boots=["kernel"]
    )
    assert found.decisive.difference_interval == pytest.approx((100, 100), abs=30)
