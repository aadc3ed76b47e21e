# SPDX-License-Identifier: Apache-2.0
"""Changes are found where there are some, and rarely where there are none, also in dependent series."""

from collections.abc import Callable

import numpy as np
import pytest

from jitterlab.analysis import drift
from tests.analysis.autoregressive import ar1

Series = Callable[[np.random.Generator], "np.ndarray[tuple[int], np.dtype[np.float64]]"]

UNCHANGING: dict[str, Series] = {
    "independent": lambda rng: ar1(0.0, 4000, rng),
    "dependent": lambda rng: ar1(0.5, 4000, rng),
    "strongly dependent": lambda rng: ar1(0.9, 10_000, rng),
    "heavy tail": lambda rng: rng.pareto(1.5, 4000),
    "coarse clock": lambda rng: np.round(rng.normal(10, 0.4, 4000)),
}


@pytest.mark.parametrize("name", UNCHANGING)
def test_an_unchanging_run_raises_few_false_alarms(name: str) -> None:
    rng = np.random.default_rng(1)
    alarms = sum(not drift.within_run(UNCHANGING[name](rng), "ns").stable for _ in range(150))
    assert alarms <= 8


def test_a_step_is_found_where_it_is() -> None:
    rng = np.random.default_rng(2)
    series = ar1(0.5, 6000, rng) + np.where(np.arange(6000) >= 2400, 1.0, 0.0)
    found = drift.within_run(series, "ns")
    assert len(found.levels) == 2
    assert found.levels[1].first == pytest.approx(2400, abs=150)
    assert found.levels[1].median - found.levels[0].median == pytest.approx(1, abs=0.2)
    assert found.levels[0].last + 1 == found.levels[1].first
    assert found.levels[1].last == 5999
    assert found.warmup == 0
    assert "The level changes during the run" in found.sentence()


def test_a_warm_up_is_found_and_measured() -> None:
    rng = np.random.default_rng(3)
    found = drift.within_run(rng.normal(25e3 + 6e3 * (np.arange(20_000) < 600), 2e3), "ns")
    assert found.warmup == pytest.approx(600, abs=100)
    assert found.sentence().startswith(
        f"The first {found.warmup} samples differ from what follows: median 31"
    )


def test_a_level_that_wanders_names_no_change() -> None:
    rng = np.random.default_rng(4)
    slow = np.repeat(ar1(0.8, 200, rng), 100) * 0.2
    found = drift.within_run(slow + rng.normal(size=20_000), "ns")
    assert not found.stable
    assert found.wanders
    assert "wanders" in found.sentence()


def test_a_run_that_is_too_short_or_too_dependent_is_not_judged() -> None:
    for series in (np.arange(20.0), np.array([]), ar1(0.999, 5000, np.random.default_rng(5))):
        found = drift.within_run(series, "ns")
        assert found.refusal is not None
        assert "is not judged: that takes about" in found.sentence()
        assert found.levels == ()
        assert not found.stable


def test_a_constant_run_is_stable() -> None:
    assert drift.within_run(np.full(1000, 7), "ns").stable


def test_a_very_long_run_is_thinned_and_keeps_its_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "LONGEST", 2000)
    series = np.random.default_rng(6).normal(size=9999) + np.where(np.arange(9999) >= 5000, 2.0, 0.0)
    found = drift.within_run(series, "ns")
    assert found.levels[1].first == pytest.approx(5000, abs=100)
    assert found.levels[-1].last == 9998


def session(cells: int, replicates: int, rng: np.random.Generator) -> tuple[list[float], list[int]]:
    """Medians of runs in randomised blocks; cells differ in level and in spread."""
    order = np.concatenate([rng.permutation(cells) for _ in range(replicates)])
    spread = np.where(order % 2, 0.2, 0.05)
    return list((1e4 * (1 + order)) * np.exp(spread * rng.normal(size=len(order)))), order.tolist()


@pytest.mark.parametrize(("cells", "replicates"), [(4, 3), (8, 2), (4, 5), (1, 20)])
def test_a_session_without_drift_raises_few_false_alarms(cells: int, replicates: int) -> None:
    rng = np.random.default_rng(7)
    alarms = sum(not drift.over_session(*session(cells, replicates, rng)).stable for _ in range(200))
    assert alarms <= 8


def test_a_drifting_session_is_found_and_measured_against_the_cells() -> None:
    values, cells = session(4, 8, np.random.default_rng(8))
    slower = [value * (1.5 if i >= 16 else 1.0) for i, value in enumerate(values)]
    found = drift.over_session(slower, cells)
    assert len(found.levels) == 2
    assert found.levels[1].first == pytest.approx(16, abs=2)
    assert found.levels[1].median / found.levels[0].median == pytest.approx(1.5, rel=0.15)
    assert "drifts over the session (32 runs)" in found.sentence()


@pytest.mark.parametrize(
    ("values", "cells"),
    [([1.0] * 9, [0] * 9), ([1.0] * 12, list(range(12))), ([0.0, *[1.0] * 15], [0] * 16), ([], [])],
)
def test_a_session_that_cannot_be_judged_says_why(values: list[float], cells: list[int]) -> None:
    found = drift.over_session(values, cells)
    assert found.refusal is not None
    assert found.sentence().startswith("Drift over the session is not judged: ")
