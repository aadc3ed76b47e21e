# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import numpy as np
import pytest

from jitterlab.analysis.cells import Cells, cells
from jitterlab.errors import InputError
from tests.analysis.designs import cells_of
from tests.analysis.recorded import record

FACTORS = {"load": ["none", "cpu:all"], "policy": ["other", "fifo:80"]}


@pytest.fixture(scope="module")
def truth() -> Cells:
    return cells_of(FACTORS, lambda _, block, rng: rng.normal(10_000 * block, 300, 101), replicates=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, truth: Cells) -> Path:
    return record(tmp_path_factory.mktemp("cells") / "recording", truth).path


def test_cells_of_a_recording(folder: Path, truth: Cells) -> None:
    import jitterlab

    found = cells(jitterlab.open(folder))
    assert found.factors == truth.factors
    assert (found.response, found.unit, found.varied) == ("latency", "ns", ("load", "policy"))
    assert [run.counts for run in found.runs] == [run.counts for run in truth.runs]
    assert [cell.label for cell in found.cells][:2] == [
        "load=none, policy=other",
        "load=none, policy=fifo:80",
    ]
    assert found.cells[0].counts.n == 2 * 101


def test_moments_are_those_of_the_samples(folder: Path) -> None:
    import jitterlab

    recording = jitterlab.open(folder)
    found = cells(recording).moments().set_index(["load", "policy"])
    raw = recording.samples.to_pandas().groupby(["load", "policy"])["latency"].agg(["size", "mean", "var"])
    assert found["n"].to_dict() == raw["size"].to_dict()
    assert found["mean"].to_dict() == pytest.approx(raw["mean"].to_dict())
    assert found["variance"].to_dict() == pytest.approx(raw["var"].to_dict())


def test_run_moments(truth: Cells) -> None:
    frame = truth.run_moments("p90")
    assert list(frame.columns) == ["run", "block", "cell", "load", "policy", "n", "mean", "variance"]
    assert frame["run"].tolist() == list(range(1, 9))
    assert frame["mean"].tolist() == [run.counts.quantile(0.9) for run in truth.runs]
    logs = truth.run_moments("mean", "log")["mean"]
    first = truth.runs[0].counts
    assert logs[0] == pytest.approx(np.average(np.log(first.values), weights=first.counts))


def test_some_levels_only(folder: Path) -> None:
    import jitterlab

    found = cells(jitterlab.open(folder), where={"load": "none"})
    assert found.factors == {"load": ("none",), "policy": ("other", "fifo:80")}
    assert found.varied == ("policy",)
    assert len(found.runs) == 4


@pytest.mark.parametrize(
    ("response", "where", "message"),
    [
        ("size", {}, "no response 'size'"),
        ("latency", {"colour": "red"}, "no factor 'colour'"),
        ("latency", {"load": "disk"}, "no level 'disk'"),
    ],
)
def test_what_is_not_there_is_refused(
    folder: Path, response: str, where: dict[str, str], message: str
) -> None:
    import jitterlab

    with pytest.raises(InputError, match=message):
        cells(jitterlab.open(folder), response, where)


def test_a_recording_without_runs_is_refused(tmp_path: Path, truth: Cells) -> None:
    empty = record(tmp_path / "recording", Cells(truth.factors, "latency", "ns", ()))
    with pytest.raises(InputError, match="no measured run"):
        cells(empty)


def test_a_factor_named_like_a_column_of_the_analysis_is_refused() -> None:
    with pytest.raises(InputError, match="a factor is named 'mean'"):
        cells_of({"mean": ["0", "1"]}, lambda _, block, rng: rng.normal(block, 1, 3)).moments()
