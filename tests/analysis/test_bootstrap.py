# SPDX-License-Identifier: Apache-2.0
"""Intervals by resampling cover what they say, in simulations with a known truth."""

import numpy as np
import pytest

from jitterlab.analysis import bootstrap
from tests.analysis.autoregressive import ar1


def mean(values: bootstrap.FloatArray) -> float:
    return float(values.mean())


def test_blocks_cover_the_mean_of_a_dependent_series() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for i in range(200):
        found = bootstrap.within_run(ar1(0.9, 2000, rng), mean, "ns", seed=i, resamples=300)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0 <= found.high
    assert 0.82 <= covered / 200 <= 0.97


def test_sections_cover_a_quantile_of_a_long_dependent_series() -> None:
    rng = np.random.default_rng(2)
    truth = 1.2815515655446004 / np.sqrt(1 - 0.5**2)
    covered = 0
    for i in range(100):
        found = bootstrap.within_run(
            ar1(0.5, bootstrap.LONGEST_RESAMPLED + 1, rng), lambda v: float(np.quantile(v, 0.9)), "ns", seed=i
        )
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert found.method == "30 sections"
    assert covered >= 88


@pytest.mark.parametrize("n", [5, 10, 20])
def test_resampled_runs_cover_mean_difference_and_ratio(n: int) -> None:
    rng = np.random.default_rng(n)
    covered = np.zeros(3)
    level_a, level_b = np.exp(0.3**2 / 2), np.exp(0.1 + 0.3**2 / 2)
    for i in range(300):
        a, b = rng.lognormal(0, 0.3, n), rng.lognormal(0.1, 0.3, n)
        one = bootstrap.over_runs(a, "ns", seed=i, resamples=800)
        assert one.low is not None
        assert one.high is not None
        difference, ratio = bootstrap.contrast_over_runs([a], [b], seed=i, resamples=800)
        covered += [
            one.low <= level_a <= one.high,
            difference[0] <= level_b - level_a <= difference[1],
            ratio[0] <= level_b / level_a <= ratio[1],
        ]
    assert np.all(covered / 300 >= 0.88)
    assert np.all(covered / 300 <= 0.99)


def test_the_same_seed_gives_the_same_interval() -> None:
    series = ar1(0.5, 500, np.random.default_rng(3))
    first, again, other = (bootstrap.within_run(series, mean, "ns", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.low != other.low


def test_few_runs_have_no_interval() -> None:
    found = bootstrap.over_runs([1.0, 2.0, 3.0, 4.0], "ns", seed=0)
    assert found.low is None
    assert found.refusal == "An interval over runs needs at least 5 runs, there are 4."
    assert found.sentence().endswith(found.refusal)
    assert bootstrap.over_runs([], "ns", seed=0).refusal is not None
    with pytest.raises(ValueError, match="5 runs per group"):
        bootstrap.contrast_over_runs([[1.0] * 4], [[1.0] * 9], seed=0)


def test_a_constant_run_has_an_interval_of_no_width() -> None:
    found = bootstrap.within_run(np.full(100, 5), mean, "ns", seed=0)
    assert (found.low, found.estimate, found.high) == (5, 5, 5)


def test_the_sentence_names_method_and_n() -> None:
    found = bootstrap.over_runs([1000.0, 2000.0, 3000.0, 4000.0, 5000.0], "ns", seed=0)
    assert found.sentence().startswith("The estimate is 3 µs (95 % interval ")
    assert found.sentence().endswith("bootstrap of 5 runs).")


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        bootstrap.within_run([1, 2, 3], mean, "ns", seed=0)
