# SPDX-License-Identifier: Apache-2.0
"""Quantiles know what n supports, and their intervals cover what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jitterlab.analysis.tails import ccdf, quantile, quantiles
from jitterlab.recording import Counts, samples_needed


@pytest.mark.parametrize(
    ("p", "needed"), [(0.5, 6), (0.9, 29), (0.99, 299), (0.999, 2995), (0.9999, 29956), (0.01, 299)]
)
def test_the_samples_that_a_percentile_needs_are_the_known_ones(p: float, needed: int) -> None:
    assert samples_needed(p) == needed


@given(st.floats(0.001, 0.999), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_samples_needed_are_the_fewest_that_enclose_the_quantile(p: float, confidence: float) -> None:
    n = samples_needed(p, confidence)
    assert p**n + (1 - p) ** n <= 1 - confidence
    assert n == 1 or p ** (n - 1) + (1 - p) ** (n - 1) > 1 - confidence


def test_a_percentile_that_n_does_not_support_is_refused_with_the_n_that_would_do() -> None:
    found = quantile(Counts.of(np.arange(298)), 0.99, "ns")
    assert found.value is None
    assert found.low is None
    assert found.refusal == "p99 needs at least 299 samples for 95 % confidence, there are 298."
    assert quantile(Counts.of(np.arange(299)), 0.99, "ns").high == 298


def test_no_samples_at_all_are_refused() -> None:
    assert all(found.refusal for found in quantiles(Counts.of([]), "ns"))


@pytest.mark.parametrize(("p", "n"), [(0.5, 6), (0.5, 60), (0.9, 40), (0.99, 299), (0.99, 350), (0.99, 1000)])
def test_the_interval_covers_by_the_binomial_distribution(p: float, n: int) -> None:
    """With samples 1 … n the ends of the interval are its ranks: the coverage is exact arithmetic."""
    found = quantile(Counts.of(np.arange(1, n + 1)), p, "ns")
    assert found.low is not None
    assert found.high is not None
    below, above = found.low, found.high
    coverage = stats.binom.cdf(above - 1, n, p) - stats.binom.cdf(below - 1, n, p)
    assert 0.95 <= coverage < 0.99


def test_the_interval_covers_in_simulation() -> None:
    rng = np.random.default_rng(1)
    truth = stats.expon.ppf(0.99)
    covered = 0
    for _ in range(500):
        found = quantile(Counts.of(np.rint(1e6 * rng.exponential(size=1000))), 0.99, "ns")
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1e6 * truth <= found.high
    assert 0.93 <= covered / 500 <= 0.99


@given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=200), st.sampled_from([0.25, 0.5, 0.75]))
def test_the_interval_holds_the_value_and_both_are_measured(samples: list[int], p: float) -> None:
    found = quantile(Counts.of(samples), p, "ns")
    if found.value is None:
        assert len(samples) < found.n_needed
        return
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert {found.low, found.value, found.high} <= set(samples)


def test_a_sentence_names_value_interval_and_n() -> None:
    sentence = quantile(Counts.of(np.arange(1000) * 100), 0.99, "ns").sentence()
    assert sentence == (
        "p99 is 98.9 µs (95 % interval 98.2 µs to 99.6 µs, n = 1,000, samples taken as independent)."
    )


@pytest.mark.parametrize(("p", "confidence"), [(0, 0.95), (1, 0.95), (0.5, 0), (0.5, 1)])
def test_what_is_no_probability_is_no_quantile(p: float, confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        samples_needed(p, confidence)


def test_the_tail_ends_at_one_in_n_and_its_limits_are_those_of_clopper_and_pearson() -> None:
    tail = ccdf(Counts.of([10, 10, 20, 30]), "ns")
    assert tail.values == (10, 20, 30)
    assert tail.share == (1.0, 0.5, 0.25)
    expected = stats.binomtest(1, 4).proportion_ci(0.95)
    assert tail.low[-1] == pytest.approx(expected.low)
    assert tail.high[-1] == pytest.approx(expected.high)
    assert tail.high[0] == 1.0


def test_a_long_tail_is_thinned_and_keeps_its_end() -> None:
    values = np.random.default_rng(2).pareto(1.5, 200_000) * 1e6
    counts = Counts.of(values)
    tail = ccdf(counts, "ns", points=300)
    assert len(tail.values) <= 300
    assert tail.values[-10:] == tuple(counts.values[-10:].tolist())
    assert np.all(np.diff(tail.share) < 0)
    assert all(low <= share <= high for low, share, high in zip(tail.low, tail.share, tail.high, strict=True))


def test_the_tail_in_words() -> None:
    assert ccdf(Counts.of([]), "ns").sentence() == "There are no samples."
    assert "The largest of 4 samples is 30 ns" in ccdf(Counts.of([10, 10, 20, 30]), "ns").sentence()
