# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import jitterlab
from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording, RunRow
from tests.recording import stream_writer


@dataclass(frozen=True)
class Reading:
    value: float
    unit: str


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def row(run: int, status: str = "ok", **more: object) -> RunRow:
    return RunRow(run, status, started_ns=1_790_000_000_000_000_000 + run, duration_s=4.5, **more)  # type: ignore[arg-type]


def test_what_is_appended_is_there_after_opening(recording: Recording, tmp_path: Path) -> None:
    stream = write(tmp_path / "s", stream_writer.stream([[900, 30, 20, 30], [900, 11, 12, 13]], warmup=1))
    recording.append(row(1, readings={"switches.voluntary": Reading(7.0, "1")}, log="hello"), stream)
    recording.append(row(2, "failed", error="it broke"), None)

    opened = jitterlab.open(recording.path)
    runs = opened.runs.to_pandas()
    assert list(runs.run) == [1, 2]
    assert list(runs.status) == ["ok", "failed"]
    assert list(runs.load) == ["none", "cpu:all"]
    first = opened.runs.to_arrow().slice(0, 1).to_pylist()[0]
    assert (first["samples"], first["warmup"], first["missed"], first["lost"]) == (6, 2, 2, 0)
    assert first["switches.voluntary"] == 7
    assert opened.runs.schema.field("switches.voluntary").metadata == {b"unit": b"1"}
    assert json.loads(first["facts"])["head"]["settings"] == {"wake": "nanosleep"}
    assert [run.run for run in opened.missing] == [2, 3, 4]
    assert (recording.path / "logs/00001.txt").read_text() == "hello"

    counts = list(opened.counts())
    assert [(entry.run, entry.cpu, entry.levels["load"]) for entry in counts] == [
        (1, 0, "none"),
        (1, 1, "none"),
    ]
    assert counts[0].counts == Counts.of([20, 30, 30])


def test_samples_tell_when_they_were_due(recording: Recording, tmp_path: Path) -> None:
    recording.append(row(1), write(tmp_path / "s", stream_writer.stream([[5, 6, 7], [8, 9, 10]], warmup=1)))
    recording.append(row(2), write(tmp_path / "t", stream_writer.stream([[1]])))
    table = recording.samples.to_arrow()
    assert len(recording.samples) == table.num_rows == 5
    assert table.column_names == ["run", "load", "policy", "cpu", "source", "period", "due", "latency"]
    assert table["due"].to_pylist() == [200_000, 400_000, 200_050, 400_050, 0]
    assert table["load"].to_pylist() == ["none"] * 4 + ["cpu:all"]
    assert list(recording.samples["latency"]) == [6, 7, 9, 10, 1]
    assert list(recording.samples_of(2)["latency"]) == [1]
    assert recording.samples.to_pandas().shape == recording.samples.to_polars().shape == (5, 8)
    assert pl.DataFrame(recording.samples).height == pa.table(recording.samples).num_rows == 5


def test_a_run_of_counts_has_no_samples_and_says_so(recording: Recording, tmp_path: Path) -> None:
    recording.append(row(1), write(tmp_path / "s", stream_writer.counts_stream([5, 3, 5], [2, 10**9, 1])))
    assert len(recording.samples) == 0
    with pytest.raises(InputError, match="kept only counts"):
        recording.samples_of(1)
    (entry,) = recording.counts()
    assert (entry.cpu, entry.counts.n, entry.counts.quantile(0.5)) == (0, 10**9 + 3, 3)
    assert list(recording.runs["samples"]) == [10**9 + 3]


def test_a_run_of_counts_knows_when_its_worst_samples_were(recording: Recording, tmp_path: Path) -> None:
    largest = stream_writer.rows([80, 900], first=5)
    stream = stream_writer.counts_stream([3, 80, 900], [10**9, 1, 1], largest)
    recording.append(row(1), write(tmp_path / "s", stream))
    assert len(recording.samples) == 0
    found = Recording.open(recording.path).worst(k=2)
    assert [(w.value, w.cpu, w.due_ns) for w in found] == [(900, 0, 1_200_000), (80, 0, 1_000_000)]
    assert recording.runs["samples"][0] == 10**9 + 2


def test_a_cut_stream_keeps_its_whole_rows(recording: Recording, tmp_path: Path) -> None:
    whole = stream_writer.stream([list(range(100))])
    end = whole.index(b"TAIL")
    recording.append(row(1, "interrupted"), write(tmp_path / "s", whole[: end - 20]))
    assert list(recording.samples["latency"]) == list(range(98))
    assert np.isnan(recording.runs["missed"][0])
    assert [run.run for run in recording.missing] == [1, 2, 3, 4]


def test_an_interrupted_run_is_replaced(recording: Recording, tmp_path: Path) -> None:
    recording.append(row(1, "interrupted"), write(tmp_path / "s", stream_writer.stream([[1, 2]])))
    recording.append(row(1, attempts=2), write(tmp_path / "s", stream_writer.stream([[3, 4, 5]])))
    assert list(recording.runs["attempts"]) == [2]
    assert list(recording.samples["latency"]) == [3, 4, 5]
    with pytest.raises(InputError, match="run 1 is not missing"):
        recording.append(row(1), tmp_path / "s")


def test_the_worst_samples_tell_when_they_were(recording: Recording, tmp_path: Path) -> None:
    recording.append(
        row(1), write(tmp_path / "s", stream_writer.stream([[999, 7, 50], [1, 2, 60]], warmup=1))
    )
    recording.append(row(2), write(tmp_path / "t", stream_writer.stream([[50, 3]])))
    recording.append(row(3), write(tmp_path / "u", stream_writer.counts_stream([900], [1])))
    worst = recording.worst(k=3)
    assert [(w.value, w.run, w.cpu, w.due_ns) for w in worst] == [
        (60, 1, 1, 400_050),
        (50, 1, 0, 400_000),
        (50, 2, 0, 0),
    ]
    assert recording.worst(k=4)[3].value == 7
    assert worst[1].wall_ns == 1_790_000_000_000_000_000 + 1_000_000 + 400_000
