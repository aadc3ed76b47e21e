# SPDX-License-Identifier: Apache-2.0
"""Intervals, verdicts and the smallest effect that can be seen keep their promises in simulations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jitterlab.analysis.contrast import Contrast, contrast, refused
from jitterlab.analysis.estimates import Estimates, over_blocks, over_groups, over_pairs, resample

VALUES = st.lists(st.floats(1000, 100_000), min_size=2, max_size=12)


@given(VALUES, VALUES)
def test_one_cell_is_welch_as_scipy_has_it(a: list[float], b: list[float]) -> None:
    first, second = np.array(a), np.array(b)
    if np.ptp(first) < 1 or np.ptp(second) < 1:
        return
    found = contrast("mean", "ns", over_groups([first], [second]), "runs")
    reference = stats.ttest_ind(second, first, equal_var=False)
    interval = reference.confidence_interval(0.95)
    assert found.p == pytest.approx(reference.pvalue, rel=1e-6, abs=1e-12)
    assert found.difference_interval == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-3)


def test_pairs_are_the_paired_t_test_as_scipy_has_it() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(20_000, 5000, 8)
    b = a + rng.normal(500, 300, 8)
    found = contrast("mean", "ns", over_pairs(a, b), "pairs")
    reference = stats.ttest_rel(b, a)
    interval = reference.confidence_interval(0.95)
    assert found.p == pytest.approx(reference.pvalue)
    assert found.difference_interval == pytest.approx((interval.low, interval.high))


def test_one_cell_in_blocks_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    blocks = rng.normal(0, 5000, 8)
    a, b = 20_000 + blocks + rng.normal(0, 300, 8), 20_500 + blocks + rng.normal(0, 300, 8)
    found = contrast("mean", "ns", over_blocks([a], [b]), "runs in blocks")
    assert found.p == pytest.approx(stats.ttest_rel(b, a).pvalue)


def test_blocks_see_what_a_drifting_machine_hides_and_raise_no_more_false_alarms() -> None:
    rng = np.random.default_rng(5)
    plain = blocked = alarms = 0
    for _ in range(300):
        drift = np.linspace(0, 4000, 4) * rng.normal()
        a, b, same = (
            [shift + 20_000 * (1 + cell) + drift + rng.normal(0, 300, 4) for cell in range(2)]
            for shift in (0, 800, 0)
        )
        plain += bool(contrast("mean", "ns", over_groups(a, b), "runs").verdict == "worse")
        blocked += bool(contrast("mean", "ns", over_blocks(a, b), "blocks").verdict == "worse")
        alarms += bool(contrast("mean", "ns", over_blocks(a, same), "blocks").verdict != "cannot tell")
    assert blocked >= 285
    assert plain <= 225
    assert alarms <= 24


def groups(
    cells: int, runs: int, factor: float, rng: np.random.Generator
) -> "list[np.ndarray[tuple[int], np.dtype[np.float64]]]":
    """Run-level values of some cells that differ in level and in spread."""
    return [
        factor * 20_000 * (1 + cell) * (1 + 0.02 * (1 + cell) * rng.normal(size=runs))
        for cell in range(cells)
    ]


@pytest.mark.parametrize(("cells", "runs"), [(1, 3), (1, 12), (2, 5), (4, 3)])
def test_false_alarms_and_coverage_are_as_promised(cells: int, runs: int) -> None:
    rng = np.random.default_rng(2)
    alarms, differences, ratios = 0, 0, 0
    for _ in range(400):
        a, b = groups(cells, runs, 1.0, rng), groups(cells, runs, 1.2, rng)
        found = contrast("mean", "ns", over_groups(a, b), "runs", resampled=resample(a, b, 0))
        assert found.difference_interval is not None
        assert found.ratio_interval is not None
        truth = 0.2 * float(np.mean([20_000 * (1 + cell) for cell in range(cells)]))
        differences += found.difference_interval[0] <= truth <= found.difference_interval[1]
        ratios += found.ratio_interval[0] <= 1.2 <= found.ratio_interval[1]
        same = groups(cells, runs, 1.0, rng)
        alarms += bool(contrast("mean", "ns", over_groups(a, same), "runs").verdict != "cannot tell")
    assert 0.92 <= differences / 400 <= 0.99
    assert 0.92 <= ratios / 400 <= 0.99
    assert alarms / 400 <= 0.08


@pytest.mark.parametrize("runs", [4, 10])
def test_the_detectable_effect_is_seen_four_times_out_of_five(runs: int) -> None:
    rng = np.random.default_rng(3)
    spread = 1000.0
    limits = [
        contrast(
            "mean", "ns", over_groups([rng.normal(2e4, spread, runs)], [rng.normal(2e4, spread, runs)]), "r"
        )
        for _ in range(200)
    ]
    effect = float(np.mean([found.detectable or 0.0 for found in limits]))
    seen = 0
    for _ in range(400):
        a, b = rng.normal(2e4, spread, runs), rng.normal(2e4 + effect, spread, runs)
        seen += contrast("mean", "ns", over_groups([a], [b]), "runs").verdict == "worse"
    assert 0.72 <= seen / 400 <= 0.90


def known(a: float, b: float, error: float, margin: float = 0.0) -> Contrast:
    return contrast(
        "median", "ns", Estimates(a, b, error**2 / 2, error**2 / 2, 0.0, 1000), "runs", margin=margin
    )


@pytest.mark.parametrize(
    ("b", "error", "margin", "verdict"),
    [
        (9000, 100, 0, "better"),
        (11_000, 100, 0, "worse"),
        (10_100, 100, 0, "cannot tell"),
        (10_100, 100, 0.05, "equivalent"),
        (10_400, 100, 0.05, "cannot tell"),
        (11_000, 100, 0.05, "worse"),
        (9000, 100, 0.05, "better"),
        (9000, 100, 0.2, "equivalent"),
        (10_300, 10, 0.05, "equivalent"),
    ],
)
def test_the_verdict_goes_by_the_interval_and_the_margin(
    b: float, error: float, margin: float, verdict: str
) -> None:
    assert known(10_000, b, error, margin).verdict == verdict


def test_sentences() -> None:
    assert known(10_000, 9000, 100).sentence() == (
        "Better: the median is 9 µs against 10 µs, -10 % (95 % interval -11.8 % to -8.12 %)."
    )
    unclear = known(10_000, 10_100, 100).sentence()
    assert unclear.startswith("Cannot tell: the median is 10.1 µs against 10 µs, +1 % ")
    assert unclear.endswith("; only 280 ns (2.8 %) or more would have been seen.")
    assert known(10_000, 10_100, 100, 0.05).sentence().startswith("No difference that matters: ")


def test_a_reference_that_may_be_zero_has_no_ratio() -> None:
    found = known(100, 5000, 500)
    assert found.ratio_interval is None
    assert found.verdict == "worse"
    assert "a difference of 4.9 µs (95 % interval 3.92 µs to 5.88 µs)" in found.sentence()
    assert known(0, 5000, 500).ratio is None


@pytest.mark.parametrize("b", [5000.1, 6000.1])
def test_runs_that_agree_to_the_last_digit_say_nothing_about_others(b: float) -> None:
    """Two equal runs a side are no proof: with p = 0 they would be the surest of all results."""
    sides = [[np.full(3, 5000.1)], [np.full(3, b)]]
    found = contrast("median", "ns", over_groups(*sides), "runs", margin=0.05)
    assert (found.p, found.difference_interval, found.verdict) == (None, None, "cannot tell")
    assert found.difference == pytest.approx(b - 5000.1)
    assert "agree to the last digit" in found.sentence()


def test_negative_values_have_a_difference_and_no_ratio() -> None:
    """From -10 to -12 ns is 2 ns better, and no matter of percent."""
    found = known(-10_000, -12_000, 100, margin=0.05)
    assert (found.verdict, found.ratio_interval) == ("better", None)
    assert "a difference of -2 µs" in found.sentence()


def test_a_refusal_says_why_and_keeps_what_is_known() -> None:
    assert refused("p99", "ns", "Too few samples.").sentence() == "The p99 is not compared. Too few samples."
    found = refused("p99", "ns", "No order.", (1000, 2000))
    assert found.ratio == 2
    assert (
        found.sentence() == "Cannot tell: the p99 is 2 µs against 1 µs, but there is no interval. No order."
    )
