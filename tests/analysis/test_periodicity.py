# SPDX-License-Identifier: Apache-2.0
"""A regular spacing of the worst samples is found and measured; bursts and drift are none."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal

from jitterlab.analysis import periodicity as module
from jitterlab.analysis.periodicity import periodicity
from tests.analysis.autoregressive import ar1

INTERVAL = 200_000
Values = NDArray[np.float64]


def due(n: int, interval: int = INTERVAL) -> NDArray[np.int64]:
    return np.arange(n, dtype=np.int64) * interval


def noise(n: int, rng: np.random.Generator) -> Values:
    return rng.lognormal(10, 0.5, n)


def spikes(values: Values, period_ns: float, height: float, rng: np.random.Generator) -> Values:
    """The values with something late every period, from a random phase on."""
    times = np.arange(rng.uniform(0, period_ns), len(values) * INTERVAL, period_ns)
    places = (times / INTERVAL).astype(int)
    spiky = values.copy()
    spiky[places] += height * np.exp(0.3 * rng.normal(size=len(places)))
    return spiky


def bursts(n: int, rng: np.random.Generator) -> Values:
    begun = rng.exponential(size=n) * (rng.random(n) < 0.002) * 1e6
    return noise(n, rng) + np.asarray(signal.lfilter([1.0], [1.0, -0.95], begun))


def drifting(n: int, rng: np.random.Generator) -> Values:
    return noise(n, rng) * np.exp(0.03 * ar1(0.999, n, rng))


@pytest.mark.parametrize("make", [noise, bursts, drifting])
def test_a_run_without_period_raises_few_false_alarms(
    make: Callable[[int, np.random.Generator], Values],
) -> None:
    rng = np.random.default_rng(1)
    alarms = sum(periodicity(due(10_000), make(10_000, rng), "ns").period_ns is not None for _ in range(150))
    assert alarms <= 5


@pytest.mark.parametrize(
    ("period_ns", "n", "hint"),
    [
        (1e9, 75_000, "real-time throttling"),
        (1e7, 20_000, "HZ=100"),
        (4e6, 20_000, "HZ=250"),
        (1e6, 20_000, "HZ=1000"),
        (1.37e6, 20_000, None),
    ],
)
def test_a_period_is_found_and_measured(period_ns: float, n: int, hint: str | None) -> None:
    rng = np.random.default_rng(2)
    right = 0
    for _ in range(10):
        found = periodicity(due(n), spikes(noise(n, rng), period_ns, 1e6, rng), "ns")
        assert found.period_ns is not None
        assert found.share is not None
        assert found.share > 0.4
        near = found.period_ns == pytest.approx(period_ns, rel=0.005)
        right += near and ((hint is None and found.hint is None) or str(hint) in str(found.hint))
    assert right >= 9


def test_missed_periods_do_not_hide_a_period() -> None:
    rng = np.random.default_rng(3)
    kept = rng.random(20_000) > 0.1
    values = spikes(noise(20_000, rng), 4e6, 1e6, rng)
    found = periodicity(due(20_000)[kept], values[kept], "ns")
    assert found.period_ns == pytest.approx(4e6, rel=0.005)
    assert found.n == kept.sum()


def test_a_very_long_run_is_looked_at_in_coarser_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 5000)
    rng = np.random.default_rng(4)
    found = periodicity(due(20_000), spikes(noise(20_000, rng), 2e7, 1e6, rng), "ns")
    assert found.period_ns == pytest.approx(2e7, rel=0.005)


def test_sentences() -> None:
    rng = np.random.default_rng(5)
    found = periodicity(due(20_000), spikes(noise(20_000, rng), 4e6, 1e6, rng), "ns")
    assert " samples (from " in found.sentence()
    assert "come back every 4 ms: the timer tick of a kernel with HZ=250" in found.sentence()
    assert periodicity(due(1000), noise(1000, rng), "ns").sentence() == (
        "The worst samples come at no regular spacing (n = 1,000)."
    )


@pytest.mark.parametrize("values", [np.ones(1000), np.arange(399), np.array([])])
def test_what_cannot_be_judged_is_refused(values: Values) -> None:
    found = periodicity(due(len(values)), values, "ns")
    assert found.refusal is not None
    assert found.sentence().startswith("Regular spacing is not judged")
