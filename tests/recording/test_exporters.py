# SPDX-License-Identifier: Apache-2.0
"""Every export is read back by a program of another origin, or by the importer of the format."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording, RunRow
from jitterlab.recording.exporters import EXPORTERS, Selection
from jitterlab.recording.importers import cyclictest
from tests.recording import stream_writer


@pytest.fixture
def measured(recording: Recording, tmp_path: Path) -> Recording:
    """Three runs on two CPUs and one that failed."""
    generator = np.random.default_rng(3)
    for run in (1, 2, 3):
        latencies = [list(generator.integers(5_000, 60_000, 400)) for _ in range(2)]
        (tmp_path / "stream").write_bytes(stream_writer.stream(latencies, warmup=3, rows_per_frame=100))
        recording.append(RunRow(run, "ok", 1_790_000_000 * 10**9, 2.5), tmp_path / "stream")
    recording.append(RunRow(4, "failed", None, None, error="it broke"), None)
    return recording


def export(recording: Recording, form: str, table: str = "cells", **where: str) -> bytes:
    file = io.BytesIO()
    EXPORTERS[form](Selection.of(recording, None, where), table, file)
    return file.getvalue()


def test_cells_as_csv(measured: Recording) -> None:
    cells = pd.read_csv(io.BytesIO(export(measured, "csv")))
    samples = measured.samples.to_pandas()
    expected = samples.groupby("load", observed=True).latency.agg(["count", "mean", "std", "min", "max"])
    assert list(cells.load) == ["none", "cpu:all"]
    assert list(cells.runs) == [2, 1]
    assert cells.cell.is_unique
    expected = expected.loc[["none", "cpu:all"]]
    for name, reference in {"n": "count", "mean": "mean", "sd": "std", "min": "min", "max": "max"}.items():
        assert list(cells[name]) == pytest.approx(list(expected[reference]), rel=1e-12)
    assert cells.p99.notna().all()
    assert cells.p99_99.isna().all()


def test_samples_as_csv_and_parquet_are_the_same(measured: Recording) -> None:
    expected = measured.samples.to_pandas().astype({"load": str, "policy": str})
    from_csv = pd.read_csv(io.BytesIO(export(measured, "csv", "samples")))
    from_parquet = pq.read_table(io.BytesIO(export(measured, "parquet", "samples")))
    assert from_parquet.schema.field("latency").metadata[b"unit"] == b"ns"
    frame = from_parquet.to_pandas().astype({"load": str, "policy": str})
    pd.testing.assert_frame_equal(frame, expected)
    pd.testing.assert_frame_equal(from_csv, expected, check_dtype=False)


def test_runs_hold_also_the_failed_ones(measured: Recording) -> None:
    runs = pl.read_csv(export(measured, "csv", "runs"))
    assert runs["status"].to_list() == ["ok", "ok", "ok", "failed"]
    assert "facts" not in runs.columns


def test_counts_are_complete(measured: Recording) -> None:
    counts = pd.read_csv(io.BytesIO(export(measured, "csv", "counts", load="none")))
    assert counts["count"].sum() == 2 * 2 * 397
    assert set(counts.run) == {1, 3}


def test_the_json_document_holds_everything(measured: Recording) -> None:
    document = json.loads(export(measured, "json"))
    assert (document["format"], document["version"]) == ("jitterlab-export", 1)
    assert document["environment"] == {"kernel": "6.1"}
    merged = Counts.merge(entry.counts for entry in measured.counts() if entry.cell == 1)
    assert document["cells"][0]["levels"] == {"load": "none", "policy": "fifo:80"}
    assert document["cells"][0]["values"] == list(merged.cdf()[0])
    assert document["cells"][0]["counts"] == merged.counts.tolist()


def test_hdr_log_is_read_back(measured: Recording, tmp_path: Path) -> None:
    (tmp_path / "log.hdr").write_bytes(export(measured, "hdr"))
    reader = HistogramLogReader(str(tmp_path / "log.hdr"), HdrHistogram(1, 10**9, 3))
    for entry in measured.counts():
        histogram = reader.get_next_interval_histogram()
        assert histogram.get_tag() == f"run{entry.run}.cpu{entry.cpu}"
        assert histogram.get_total_count() == entry.counts.n
        for rank in (1, 200, 390, 397):
            p = rank / 397
            assert histogram.get_value_at_percentile(p * 100) == pytest.approx(
                entry.counts.quantile(p), rel=2e-3
            )
    assert reader.get_next_interval_histogram() is None
    reader.close()


def test_cyclictest_histogram_is_read_back(measured: Recording, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_bytes(export(measured, "histogram", load="none"))
    assert (tmp_path / "h.txt").read_text().startswith("# Histogram\n000000 000000\t000000\n000001 ")
    (run,) = cyclictest.read(tmp_path / "h.txt")
    selection = Selection.of(measured, None, {"load": "none"})
    for source, counts in zip(run.sources, selection.by_cpu().values(), strict=True):
        expected = Counts.of(counts.top(counts.n) // 1_000 * 1_000)
        assert source.data == expected
        assert source.lost == 0


def test_a_histogram_overflows_from_one_second_on(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(stream_writer.stream([[0, 5_000, 10**9, 3 * 10**9]]))
    recording.append(RunRow(1, "ok", 1, 1.0), tmp_path / "s")
    text = export(recording, "histogram").decode()
    assert len(text.splitlines()) == 1_000_000 + 6
    assert "# Total: 000000002\n" in text
    assert "# Max Latencies: 3000000\n# Histogram Overflows: 00002\n" in text


@pytest.mark.parametrize("form", ["hdr", "histogram"])
def test_negative_values_are_refused_where_they_do_not_fit(
    recording: Recording, tmp_path: Path, form: str
) -> None:
    (tmp_path / "s").write_bytes(stream_writer.stream([[-5, 5]]))
    recording.append(RunRow(1, "ok", 1, 1.0), tmp_path / "s")
    with pytest.raises(InputError, match="negative values"):
        export(recording, form)


def test_what_is_not_there_is_named(measured: Recording) -> None:
    with pytest.raises(InputError, match="no response 'lag'"):
        Selection.of(measured, "lag", {})
    with pytest.raises(InputError, match="no load=full") as caught:
        Selection.of(measured, None, {"load": "full"})
    assert "none, cpu:all" in caught.value.remedy
    with pytest.raises(InputError, match="no table 'x'"):
        export(measured, "csv", "x")
