# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.analysis import moments as mo
from jitterlab.analysis.statistic import Statistic
from jitterlab.errors import InputError
from jitterlab.recording import Counts

VALUES = st.lists(st.integers(1, 10**9), min_size=2, max_size=60)


@given(VALUES)
def test_moments_of_counts(values: list[int]) -> None:
    counts = Counts.of(values)
    found = mo.of_counts(counts)
    assert found.n == len(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.variance == pytest.approx(np.var(values, ddof=1), rel=1e-9, abs=1e-6)
    logs = mo.of_counts(counts, "log")
    assert logs.mean == pytest.approx(np.log(values).mean())
    assert logs.variance == pytest.approx(np.log(values).var(ddof=1), rel=1e-9, abs=1e-12)


@given(VALUES)
def test_distances_from_the_median(values: list[int]) -> None:
    distances = np.abs(np.array(values) - np.median(values))
    found = mo.around_median(Counts.of(values))
    assert found.mean == pytest.approx(distances.mean())
    assert found.variance == pytest.approx(distances.var(ddof=1), rel=1e-9, abs=1e-6)


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_merged_moments_are_those_of_all_values(parts: list[list[int]]) -> None:
    together = np.concatenate(parts)
    found = mo.merge(mo.of_counts(Counts.of(part)) for part in parts)
    assert found.n == len(together)
    assert found.mean == pytest.approx(together.mean())
    assert found.variance == pytest.approx(together.var(ddof=1), rel=1e-9, abs=1e-6)


def test_moments_without_values_are_refused() -> None:
    with pytest.raises(InputError):
        mo.merge([])
    with pytest.raises(InputError, match="no values"):
        mo.of_counts(Counts.of([]))


def test_the_logarithm_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="log is not defined for the smallest value, 0"):
        mo.of_counts(Counts.of([0, 1]), "log")
    assert mo.of_counts(Counts.of([0, 4]), "sqrt").mean == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mean", 4.0),
        ("median", 2.5),
        ("sd", np.std([1, 2, 3, 10], ddof=1)),
        ("log_sd", np.log(np.std([1, 2, 3, 10], ddof=1))),
        ("mad", 2.5),
        ("min", 1.0),
        ("max", 10.0),
        ("p75", 3.0),
    ],
)
def test_statistics_of_a_run(name: str, expected: float) -> None:
    assert Statistic.parse(name).of(Counts.of([1, 2, 3, 10])) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["", "p", "p100", "average", "P99", "p-1", "99"])
def test_unknown_statistics_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="there is no statistic"):
        Statistic.parse(name)


def test_a_percentile_that_n_does_not_support_is_refused() -> None:
    with pytest.raises(InputError, match=r"run 3 has 999 samples, but p99.9 needs at least 1000"):
        Statistic.parse("p99.9").of(Counts.of(range(999)), where="run 3")
    assert Statistic.parse("p99.9").of(Counts.of(range(1000))) == 998


@pytest.mark.parametrize(("name", "transform"), [("log_sd", None), ("sd", "log")])
def test_equal_samples_have_no_logarithm_of_their_scatter(name: str, transform: str | None) -> None:
    with pytest.raises(InputError, match="is no number"):
        Statistic.parse(name).of(Counts.of([5, 5, 5]), transform)


def test_low_percentiles_need_as_many_samples_as_high_ones() -> None:
    assert [Statistic.parse(name).needs for name in ("p1", "p99", "p50", "p0.1")] == [100, 100, 2, 1000]
    with pytest.raises(InputError, match="no statistic 'p0'"):
        Statistic.parse("p0")
