# SPDX-License-Identifier: Apache-2.0
"""Distances from counts equal those of SciPy from the samples."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jitterlab.analysis.distances import distances, shuffled_p
from jitterlab.recording import Counts

SAMPLES = st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=60)


@given(SAMPLES, SAMPLES)
def test_distances_equal_scipy_on_the_samples(a: list[int], b: list[int]) -> None:
    found = distances(Counts.of(a), Counts.of(b), "ns")
    with warnings.catch_warnings(action="ignore"):  # about the p-value, which is not asked for
        reference = stats.ks_2samp(a, b).statistic
    largest = max(map(abs, a + b)) + 1
    assert found.kolmogorov_smirnov == pytest.approx(reference)
    assert found.wasserstein == pytest.approx(stats.wasserstein_distance(a, b), abs=1e-9 * largest)
    assert found.energy == pytest.approx(stats.energy_distance(a, b), abs=1e-9 * largest)


@given(SAMPLES)
def test_a_distribution_is_no_distance_from_itself(a: list[int]) -> None:
    found = distances(Counts.of(a), Counts.of(a[::-1]), "ns")
    assert (found.kolmogorov_smirnov, found.wasserstein, found.energy) == (0, 0, 0)


@given(SAMPLES, st.integers(1, 10**6))
def test_a_shift_moves_every_sample_by_itself(a: list[int], shift: int) -> None:
    found = distances(Counts.of(a), Counts.of(np.array(a) + shift), "ns")
    assert found.wasserstein == pytest.approx(shift)


def test_the_sentence_says_where_and_how_much() -> None:
    sentence = distances(Counts.of([1000] * 4), Counts.of([1000, 1000, 1000, 9000]), "ns").sentence()
    assert "differ most at 1 µs, by 25 % of the samples" in sentence
    assert "moves a sample by 2 µs on average (Wasserstein; n = 4 and 4)" in sentence


def runs(count: int, spread: float, rng: np.random.Generator) -> list[Counts]:
    """Runs that differ in level by 3 %, of many samples each."""
    return [
        Counts.of(20_000 * (1 + 0.03 * rng.normal()) + spread * rng.standard_t(3, 2000)) for _ in range(count)
    ]


def test_runs_of_one_side_are_rarely_told_apart() -> None:
    """With samples as units, nearly every one of these comparisons would be significant."""
    rng = np.random.default_rng(1)
    p = [shuffled_p([runs(5, 500, rng)], [runs(5, 500, rng)], seed=i) for i in range(100)]
    assert sum(one is not None and one <= 0.05 for one in p) <= 11


def test_a_difference_in_shape_alone_is_seen_over_cells() -> None:
    rng = np.random.default_rng(2)
    a = [runs(3, 500, rng) for _ in range(4)]
    b = [runs(3, 3000, rng) for _ in range(4)]
    p = shuffled_p(a, b)
    assert p is not None
    assert p <= 0.01


@pytest.mark.parametrize(("a", "b", "possible"), [(1, 1, False), (3, 3, False), (4, 4, True), (1, 20, True)])
def test_too_few_runs_to_shuffle_are_said_as_such(a: int, b: int, possible: bool) -> None:
    rng = np.random.default_rng(3)
    assert (shuffled_p([runs(a, 500, rng)], [runs(b, 500, rng)]) is not None) is possible


def test_what_is_the_same_is_said_to_be() -> None:
    assert distances(Counts.of([1, 2]), Counts.of([1, 1, 2, 2]), "ns").sentence() == (
        "The distributions are the same (n = 2 and 4)."
    )


def test_no_samples_have_no_distance() -> None:
    with pytest.raises(ValueError, match="both sides"):
        distances(Counts.of([]), Counts.of([1]), "ns")
