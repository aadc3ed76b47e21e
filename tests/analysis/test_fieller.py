# SPDX-License-Identifier: Apache-2.0
import pytest

from jitterlab.analysis.contrast import contrast
from jitterlab.analysis.estimates import Estimates


def test_a_ratio_has_a_proper_interval_where_the_estimated_covariance_is_too_large() -> None:
    found = contrast("p99", "ns", Estimates(616.0, 68.5, 100.0**2, 2.0**2, 900.0, 20), "runs in blocks")
    assert found.ratio_interval is not None
    low, high = found.ratio_interval
    assert found.ratio is not None
    assert low < found.ratio < high
    assert high - low > 0.01


def test_a_ratio_to_something_that_may_be_zero_has_no_interval() -> None:
    found = contrast("mean", "ns", Estimates(1.0, 5.0, 4.0, 1.0, 0.0, 10), "runs")
    assert found.ratio == pytest.approx(5.0)
    assert found.ratio_interval is None


def test_a_ratio_is_never_less_than_nothing() -> None:
    found = contrast("sd", "ns", Estimates(a=100.0, b=5.0, variance_a=400.0, variance_b=25.0, df=8), "runs")
    assert found.ratio_interval is not None
    assert found.ratio_interval[0] == 0
