# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.recording import Counts
from jitterlab.recording.tally import Tally

SAMPLES = st.lists(st.integers(-(2**40), 2**40) | st.integers(0, 20), min_size=1, max_size=60)


@given(SAMPLES)
def test_moments_are_those_of_the_samples(samples: list[int]) -> None:
    counts = Counts.of(samples)
    exact = [Fraction(value) for value in samples]
    mean = sum(exact) / len(exact)
    assert counts.n == len(samples)
    assert counts.mean == pytest.approx(float(mean), rel=1e-12, abs=1e-3)
    if len(samples) > 1:
        variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
        assert counts.variance == pytest.approx(float(variance), rel=1e-9)


def test_the_variance_of_time_stamps_keeps_its_digits() -> None:
    stamps = 1_790_000_000_000_000_000 + np.array([0, 1, 2, 3, 4])
    assert Counts.of(stamps).variance == 2.5


@given(SAMPLES, st.floats(0, 1))
def test_a_quantile_is_the_smallest_value_that_reaches_its_probability(samples: list[int], p: float) -> None:
    ordered = sorted(samples)
    expected = next(value for k, value in enumerate(ordered, 1) if k / len(ordered) >= p)
    assert Counts.of(samples).quantile(p) == expected


@given(SAMPLES, SAMPLES)
def test_counts_add_up(one: list[int], other: list[int]) -> None:
    assert Counts.of(one) + Counts.of(other) == Counts.of(one + other)
    assert Counts.merge([]) + Counts.of(one) == Counts.of(one)


@given(SAMPLES, st.lists(st.integers(-5, 25), min_size=2, max_size=6, unique=True))
def test_histogram_is_that_of_numpy(samples: list[int], edges: list[int]) -> None:
    expected, _ = np.histogram(samples, sorted(edges))
    assert list(Counts.of(samples).histogram(sorted(edges))) == list(expected)


@given(SAMPLES, st.integers(0, 80))
def test_top_gives_the_largest_samples(samples: list[int], k: int) -> None:
    assert list(Counts.of(samples).top(k)) == sorted(samples, reverse=True)[:k]


def test_distribution_functions() -> None:
    values, below = Counts.of([1, 1, 2, 4]).cdf()
    _, above = Counts.of([1, 1, 2, 4]).ccdf()
    assert (list(values), list(below), list(above)) == ([1, 2, 4], [0.5, 0.75, 1], [1, 0.5, 0.25])


def test_nothing_measured_has_no_statistics() -> None:
    nothing = Counts.of([])
    assert nothing.n == 0
    assert np.isnan(nothing.mean)
    assert np.isnan(Counts.of([3]).sd)
    assert list(nothing.top(3)) == []
    with pytest.raises(ValueError, match="no samples"):
        nothing.quantile(0.5)


@pytest.mark.parametrize(("values", "counts"), [([2, 1], [1, 1]), ([1, 1], [1, 1]), ([1], [0]), ([1], [])])
def test_what_is_no_table_of_counts_is_refused(values: list[int], counts: list[int]) -> None:
    with pytest.raises(ValueError, match="must"):
        Counts(np.array(values), np.array(counts))


WILD = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300)


@given(st.lists(st.lists(WILD, max_size=30), max_size=6))
def test_a_tally_counts_what_passes_by(portions: list[list[int]]) -> None:
    tally = Tally()
    for portion in portions:
        tally.add(np.array(portion, np.int64))
    assert tally.counts() == Counts.of([value for portion in portions for value in portion])


def test_a_tally_merges_while_it_grows() -> None:
    generator = np.random.default_rng(1)
    portions = [generator.integers(0, 2**40, 300_000) for _ in range(8)]
    tally = Tally()
    for portion in portions:
        tally.add(portion)
    assert tally.counts() == Counts.of(np.concatenate(portions))


@pytest.mark.parametrize(("p", "needed"), [(0.5, 6), (0.99, 299), (0.999, 2_995), (0.9999, 29_956)])
def test_a_quantile_is_refused_below_the_samples_it_needs(p: float, needed: int) -> None:
    assert Counts.of(range(needed)).supported_quantile(p) == Counts.of(range(needed)).quantile(p)
    assert Counts.of(range(needed - 1)).supported_quantile(p) is None
