# SPDX-License-Identifier: Apache-2.0
"""A meter that goes along with late runs is named; meters that only follow the factors are not."""

from pathlib import Path

import numpy as np
import pytest

from jitterlab.analysis.attribution import ORDER, attribution, of_recording
from tests.analysis.designs import cells_of
from tests.analysis.recorded import record

CELLS = np.tile(np.arange(4), 5)


def late(rng: np.random.Generator) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.exp(rng.normal(size=20)) * (1 + CELLS)


def followers(
    rng: np.random.Generator, count: int
) -> "dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]":
    """Meters that differ between cells, and inside them by chance."""
    return {f"meter.{i}": rng.normal(size=20) + 10 * CELLS for i in range(count)}


def test_meters_that_only_follow_the_factors_are_rarely_named() -> None:
    rng = np.random.default_rng(1)
    named = sum(
        bool(attribution(late(rng), followers(rng, 40), CELLS, "p99", seed=i).found) for i in range(100)
    )
    assert named <= 9


def test_a_meter_that_goes_along_is_named_with_sign_and_n() -> None:
    rng = np.random.default_rng(2)
    named = 0
    for i in range(30):
        values = late(rng)
        readings = followers(rng, 40)
        readings["frequency.cpu0"] = -np.log(values / (1 + CELLS)) + 0.3 * rng.normal(size=20) + 50 * CELLS
        found = attribution(values, readings, CELLS, "p99 of latency", seed=i)
        if found.found and found.found[0].reading == "frequency.cpu0":
            named += 1
            assert found.found[0].correlation < -0.5
            assert found.found[0].n == 20
            assert "go along with frequency.cpu0 (-0." in found.sentence()
            assert "an association, not yet a cause" in found.sentence()
    assert named >= 28


def test_nothing_recorded_is_said_as_such() -> None:
    rng = np.random.default_rng(3)
    found = attribution(late(rng), followers(rng, 2), CELLS, "p99 of latency")
    assert found.sentence() == (
        "Nothing recorded explains what still varies in the p99 of latency (2 readings, 20 runs)."
    )


def test_readings_with_gaps_or_without_variation_are_left_out() -> None:
    rng = np.random.default_rng(4)
    gap = np.where(np.arange(20) == 3, np.nan, 1.0)
    found = attribution(
        late(rng), {"gap": gap, "constant": 0.1 * CELLS, "fine": rng.normal(size=20)}, CELLS, "p99"
    )
    assert [one.reading for one in found.associations] == ["fine"]


@pytest.mark.parametrize(
    ("values", "cells", "reason"),
    [
        ([1.0] * 8, [0, 1] * 4, "8 runs of 2 cells are too few"),
        ([1.0] * 20, [0] * 20, "nothing varies inside the cells"),
        ([], [], "0 runs of 0 cells are too few"),
    ],
)
def test_what_cannot_be_judged_is_refused(values: list[float], cells: list[int], reason: str) -> None:
    found = attribution(values, {"reading": range(len(values))}, cells, "p99")
    assert reason in found.sentence()
    assert found.associations == ()


def test_a_recording_without_meters_is_judged_by_the_order_of_its_runs(tmp_path: Path) -> None:
    """Every run is slower than the one before: the only thing that goes along is the order."""
    cells = cells_of(
        {"load": ["none", "all"]},
        lambda levels, block, rng: rng.normal(
            20_000 + 2000 * block + 9000 * (levels["load"] == "all"), 300, 200
        ),
        replicates=6,
    )
    found = of_recording(record(tmp_path / "recording", cells), "latency", "median")
    assert found.n == 12
    assert [one.reading for one in found.found] == [ORDER]
    assert found.found[0].correlation > 0.9


def test_a_run_that_was_cut_short_does_not_take_the_others_away(tmp_path: Path) -> None:
    sizes = iter([3])
    cells = cells_of(
        {"load": ["none", "all"]}, lambda x, b, rng: rng.normal(2e4, 300, next(sizes, 200)), replicates=6
    )
    assert of_recording(record(tmp_path / "recording", cells), "latency", "p99").n == 11
