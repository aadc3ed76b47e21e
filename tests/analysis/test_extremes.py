# SPDX-License-Identifier: Apache-2.0
"""A tail is extrapolated where it may be, with intervals that cover; elsewhere it is refused, with reason."""

import numpy as np
import pytest
from scipy import stats

from jitterlab.analysis.extremes import Extremes, extremes
from jitterlab.analysis.paretotail import fit, level_interval, shape_interval
from tests.analysis.autoregressive import ar1

N = 10_000


@pytest.mark.parametrize("shape", [-0.2, 1e-4, 0.3])
def test_the_fit_equals_scipy(shape: float) -> None:
    beyond = stats.genpareto(shape, scale=2).rvs(1000, random_state=np.random.default_rng(1))
    reference = stats.genpareto.fit(beyond, floc=0)
    found = fit(beyond)
    assert found[0] == pytest.approx(reference[0], abs=1e-3)
    assert found[1] == pytest.approx(reference[2], rel=1e-3)


@pytest.mark.parametrize("shape", [-0.2, 0.2])
def test_the_intervals_cover_shape_and_level(shape: float) -> None:
    rng = np.random.default_rng(2)
    truth = stats.genpareto(shape, scale=2)
    covered = np.zeros(2)
    for _ in range(40):
        beyond = truth.rvs(300, random_state=rng)
        low, high = shape_interval(beyond)
        _, level = level_interval(beyond, 3000)
        covered += [low <= shape <= high, level[0] <= truth.isf(1 / 3000) <= level[1]]
    assert np.all(covered >= 34)


def failed(found: Extremes) -> list[str]:
    return [check.name for check in found.checks if not check.passed]


def test_an_independent_tail_is_extrapolated_and_covers() -> None:
    rng = np.random.default_rng(3)
    truth = 1000 * np.log(10 * N)
    extrapolated = covered = 0
    for i in range(20):
        found = extremes(np.rint(rng.exponential(1000, N)), "ns", seed=i)
        if found.refusal is None:
            extrapolated += 1
            covered += found.levels[0].low <= truth <= found.levels[0].high
            assert found.levels[0].samples == 10 * N
            assert found.shape_low is not None
            assert found.shape_high is not None
            assert found.shape_low < found.shape_high
    assert extrapolated >= 16
    assert covered >= 0.8 * extrapolated


def test_a_guarantee_is_never_given() -> None:
    sentence = extremes(np.random.default_rng(4).exponential(1000, N), "ns").sentence()
    assert sentence.startswith("Extrapolated, not guaranteed: ")
    assert "once in 100,000 samples (95 % interval " in sentence


def test_dependent_samples_are_refused() -> None:
    found = extremes(ar1(0.7, N, np.random.default_rng(5)), "ns")
    assert "independence" in failed(found)
    assert found.levels == ()
    assert found.shape is None
    assert "pairs of exceedances within 10 samples" in found.sentence()


def test_a_run_that_changes_is_refused() -> None:
    rng = np.random.default_rng(6)
    found = extremes(rng.exponential(1000, N) + np.repeat([0, 600], N // 2), "ns")
    assert "stable level" in failed(found)
    assert "the level changes during the run" in str(found.refusal)


def test_a_tail_of_two_parts_is_refused() -> None:
    rng = np.random.default_rng(7)
    rare = rng.random(N) < 0.01
    found = extremes(np.where(rare, rng.normal(50_000, 500, N), rng.exponential(1000, N)), "ns")
    assert {"threshold stability", "goodness of fit"} & set(failed(found))


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.arange(100.0), "takes at least 2,500 samples, there are 100"),
        (np.zeros(5000), "samples are beyond the threshold"),
    ],
)
def test_what_is_too_little_is_refused(
    samples: "np.ndarray[tuple[int], np.dtype[np.float64]]", reason: str
) -> None:
    found = extremes(samples, "ns")
    assert reason in str(found.refusal)
    assert found.sentence().startswith("The tail is not extrapolated: ")
