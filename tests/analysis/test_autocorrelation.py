# SPDX-License-Identifier: Apache-2.0
"""Autocorrelation equals statsmodels, and finds the dependence that was put in."""

import numpy as np
import pytest
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.tsa.stattools import acf as reference_acf

from jitterlab.analysis import autocorrelation as ac
from tests.analysis.autoregressive import ar1


@pytest.mark.parametrize("phi", [0.0, 0.5, -0.5])
def test_acf_and_ljung_box_equal_statsmodels(phi: float) -> None:
    series = ar1(phi, 500, np.random.default_rng(1))
    found = ac.autocorrelation(series, lags=12)
    reference = acorr_ljungbox(series, lags=[12])
    assert found.acf == pytest.approx(reference_acf(series, nlags=12))
    assert found.ljung_box == pytest.approx(reference["lb_stat"].iloc[0])
    assert found.p == pytest.approx(reference["lb_pvalue"].iloc[0])


@pytest.mark.parametrize(("phi", "time"), [(0.0, 1.0), (0.5, 3.0), (0.9, 19.0)])
def test_the_autocorrelation_time_is_that_of_the_process(phi: float, time: float) -> None:
    found = ac.autocorrelation(ar1(phi, 200_000, np.random.default_rng(2)))
    assert found.time == pytest.approx(time, rel=0.1)
    assert found.effective_n == pytest.approx(200_000 / time, rel=0.1)


def test_outliers_do_not_hide_the_dependence_of_ranks() -> None:
    rng = np.random.default_rng(8)
    series = ar1(0.9, 20_000, rng) + np.where(rng.random(20_000) < 0.002, 1e4, 0.0)
    found = ac.autocorrelation(series)
    assert found.time is not None
    assert found.time < ac.CORRELATED
    assert found.rank_time == pytest.approx(18, rel=0.2)
    assert found.dependent
    assert found.sentence().startswith("Outliers hide that the 20,000 samples depend on each other: ")


def test_samples_that_alternate_count_at_most_once_each() -> None:
    found = ac.autocorrelation(ar1(-0.8, 5000, np.random.default_rng(3)))
    assert found.time == 1.0


def test_batch_means_cover_where_independent_intervals_do_not() -> None:
    rng = np.random.default_rng(4)
    batched = independent = 0
    for _ in range(400):
        series = ar1(0.9, 2000, rng)
        interval = ac.batch_means(series, "ns")
        batched += interval.low <= 0 <= interval.high
        independent += abs(series.mean()) <= 1.96 * series.std(ddof=1) / np.sqrt(len(series))
    assert 0.90 <= batched / 400 <= 0.97
    assert 0.2 <= independent / 400 <= 0.4


def test_a_constant_series_has_no_dependence_to_speak_of() -> None:
    found = ac.autocorrelation(np.full(100, 7))
    assert found.time is None
    assert found.effective_n is None
    assert "All 100 samples are equal" in found.sentence()


def test_a_very_long_series_is_judged_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ac, "LONGEST", 1000)
    found = ac.autocorrelation(ar1(0.9, 3000, np.random.default_rng(5)))
    assert (found.n, found.n_used) == (3000, 1000)
    assert "judged by the first 1,000" in found.sentence()


def test_sentences() -> None:
    series = ar1(0.9, 20_000, np.random.default_rng(6))
    assert "in a row count as one (Ljung-Box p ≤ 0.001 over" in ac.autocorrelation(series).sentence()
    assert "nearly independent" in ac.autocorrelation(np.random.default_rng(7).normal(size=500)).sentence()
    assert "from 30 batches of 20,000 samples" in ac.batch_means(series, "ns").sentence()


def test_what_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        ac.autocorrelation(np.arange(7))
    with pytest.raises(ValueError, match="at least 60"):
        ac.batch_means(np.arange(59), "ns")
