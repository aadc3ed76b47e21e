# SPDX-License-Identifier: Apache-2.0
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording, RunRow
from jitterlab.recording.manifest import Manifest, RecordedResponse
from tests.recording import stream_writer
from tests.recording.conftest import manifest

WHOLE = stream_writer.stream([[30, 31, 32, 33, 34], [40, 41, 42, 43, 44]], warmup=1, rows_per_frame=2)
LATENCIES = st.lists(st.integers(-50, 100_000), min_size=2, max_size=40)


def record(folder: Path, content: bytes, plan: Manifest | None = None) -> Recording:
    stream = folder / "stream"
    stream.write_bytes(content)
    recording = Recording.begin(folder / "recording", plan or manifest(), "", {})
    recording.append(RunRow(1, "ok", 1, 1.0), stream)
    return recording


@pytest.fixture(scope="module", autouse=True)
def not_durable() -> Iterator[None]:
    """Hundreds of recordings need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@settings(max_examples=20, deadline=None)
@given(LATENCIES, LATENCIES, st.integers(0, 2), st.integers(1, 9))
def test_every_sample_is_kept_and_counted(one: list[int], two: list[int], warmup: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = record(Path(folder), stream_writer.stream([one, two], warmup, size))
        assert list(recording.samples["latency"]) == one[warmup:] + two[warmup:]
        counts = {entry.cpu: entry.counts for entry in recording.counts()}
        expected = {cpu: values[warmup:] for cpu, values in enumerate([one, two]) if values[warmup:]}
        assert counts == {cpu: Counts.of(values) for cpu, values in expected.items()}
        kept = pq.read_table(recording.path / "samples/00001.parquet")
        assert kept["warmup"].to_pylist().count(True) == 2 * warmup


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=40), st.integers(0, len(WHOLE)), st.integers(0, 60), st.booleans())
def test_a_damaged_stream_is_refused_or_cut_and_leaves_nothing_half(
    inserted: bytes, start: int, length: int, cut: bool
) -> None:
    content = WHOLE[:start] + inserted + (b"" if cut else WHOLE[start + length :])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recording"
        try:
            record(Path(folder), content)
        except InputError:
            assert not list(path.glob("*/*"))
        else:
            recording = Recording.open(path)
            assert sum(entry.counts.n for entry in recording.counts()) == len(recording.samples) <= 8


@pytest.mark.parametrize("place", [12, 14])
def test_a_frame_that_changed_its_source_or_table_is_found(tmp_path: Path, place: int) -> None:
    content = bytearray(WHOLE)
    content[WHOLE.index(b"ROWS") + place] ^= 1
    with pytest.raises(InputError, match="counted 4 samples, not"):
        record(tmp_path, bytes(content))


def columns(table: str) -> dict[str, Any]:
    parts = (text.split() for text in table.split(";"))
    names = ("name", "type", "unit")
    return {
        "tables": [{"name": "samples", "columns": [dict(zip(names, part, strict=True)) for part in parts]}]
    }


def test_any_workload_can_bring_its_responses(tmp_path: Path) -> None:
    head = stream_writer.head() | columns("due u64 ns; round_trip u32 tick; size f32 byte")
    head["clock"] |= {"tick_hz": 25_000_000}
    head["sources"] = [{"name": "client", "start_ns": 500}]
    rows = np.array([(10, 1, 2.6), (70, 3, 4.0)], np.dtype([("d", "<u8"), ("r", "<u4"), ("s", "<f4")]))
    content = stream_writer.json_frame(b"HEAD", head) + stream_writer.frame(b"ROWS", rows.tobytes())
    plan = manifest()
    responses = (RecordedResponse("round_trip", "ns", ""), RecordedResponse("size", "byte", ""))
    plan = replace(plan, responses=responses)
    recording = record(tmp_path, content, plan)
    table = recording.samples.to_arrow()
    assert table["round_trip"].to_pylist() == [40, 120]
    assert table["size"].to_pylist() == [3, 4]
    assert table["due"].to_pylist() == [10, 70]
    assert table["cpu"].to_pylist() == table["period"].to_pylist() == [None, None]
    assert table.schema.field("size").metadata == {b"unit": b"byte"}
    (entry,) = recording.counts("round_trip")
    assert entry.cpu is None
    with pytest.raises(InputError, match="no response 'latency'"):
        next(recording.counts())


@pytest.mark.parametrize(
    ("table", "row", "message"),
    [
        ("period u32 1; latency u32 byte", np.zeros(2, "<u4"), "'latency' (byte), which the workload lacks"),
        ("period u32 1; lag u32 ns", np.zeros(2, "<u4"), "table 'samples' lacks latency"),
        ("latency u32 ns", np.zeros(1, "<u4"), "must have a column 'period' or 'due'"),
        ("period i32 1; latency i32 ns", np.array([-1, 0], "<i4"), "column 'period' holds a value outside"),
        (
            "cpu u32 1; due u32 1; latency u32 ns",
            np.full(3, 2**31, "<u4"),
            "column 'cpu' holds a value outside",
        ),
        ("due f64 ns; latency f64 ns", np.zeros(2), "column 'due' of table 'samples' must hold integers"),
        (
            "due i64 ns; latency f64 ns",
            np.array([0, np.nan]),
            "column 'latency' holds a value that is no number",
        ),
        ("due u64 ns; latency i64 ns", np.array([2**62, 0], "<u8"), "column 'due' holds a value outside"),
    ],
)
def test_values_that_cannot_be_are_refused(
    tmp_path: Path, table: str, row: np.ndarray[Any, Any], message: str
) -> None:
    content = stream_writer.json_frame(b"HEAD", stream_writer.head() | columns(table))
    with pytest.raises(InputError) as caught:
        record(tmp_path, content + stream_writer.frame(b"ROWS", row.tobytes()))
    assert message in str(caught.value)


def test_counts_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="count"):
        record(tmp_path, stream_writer.counts_stream([1, 2], [2**62, 2**62]))


@pytest.mark.parametrize("coarse", [True, False])
def test_samples_take_few_bytes_and_any_tool_reads_them(tmp_path: Path, coarse: bool) -> None:
    generator = np.random.default_rng(7)
    latencies = (9_000 + generator.gamma(4, 1_800, 200_000)).astype(np.int64)
    if coarse:
        latencies = latencies // 1_000 * 1_000
    recording = record(
        tmp_path, stream_writer.stream([list(latencies[:100_000]), list(latencies[100_000:])], 0, 4_096)
    )
    files = [*recording.path.glob("samples/*"), *recording.path.glob("counts/*")]
    assert sum(file.stat().st_size for file in files) / len(latencies) < (1 if coarse else 2.5)
    query = f"select sum(latency), max(period), count(distinct cpu) from '{files[0]}'"
    assert duckdb.connect().execute(query).fetchall() == [(latencies.sum(), 99_999, 2)]


def test_every_sample_on_another_cpu_takes_bounded_time(tmp_path: Path) -> None:
    rows = np.zeros(40_000, stream_writer.ROW)
    rows["cpu"] = rows["period"] = np.arange(len(rows))
    head = stream_writer.json_frame(b"HEAD", stream_writer.head())
    recording = record(tmp_path, head + stream_writer.frame(b"ROWS", rows.tobytes()))
    assert [entry.cpu for entry in recording.counts()] == list(range(40_000))
