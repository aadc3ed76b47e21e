# SPDX-License-Identifier: Apache-2.0
"""docs/recording-format.md says what is in the files, and its query runs."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from jitterlab.recording import Counts, Recording, RunRow
from tests.recording import stream_writer

PAGE = (Path(__file__).parents[2] / "docs/recording-format.md").read_text()


def documented(title: str) -> set[str]:
    """The names in the first column of the table of a section."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return {
        name
        for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }


@pytest.fixture
def measured(recording: Recording, tmp_path: Path) -> Recording:
    for run in (1, 2):
        (tmp_path / "stream").write_bytes(stream_writer.stream([[run, 7, 7], [9, 9, 12]], warmup=1))
        recording.append(RunRow(run, "ok", 1, 1.0), tmp_path / "stream")
    return recording


def test_the_columns_are_documented(measured: Recording) -> None:
    names = {
        title: set(pq.read_schema(measured.path / file).names)
        for title, file in {
            "runs.parquet": "runs.parquet",
            "counts/NNNNN.parquet": "counts/00001.parquet",
            "samples/NNNNN.parquet and worst/NNNNN.parquet": "samples/00001.parquet",
        }.items()
    }
    of_this_study = {"load", "policy", "latency"}
    for title, found in names.items():
        assert found - of_this_study <= documented(title)
        assert documented(title) - {"due", "ns", "byte"} <= found


def test_the_query_gives_the_counts(measured: Recording) -> None:
    code = re.search(r"duckdb\.sql\(\"\"\"(.*?)\"\"\"\)", PAGE, re.DOTALL)
    assert code
    rows = duckdb.connect().execute(code.group(1).replace("DIR", str(measured.path))).fetchall()
    expected: list[tuple[Any, ...]] = []
    for entry in measured.counts():
        counts: Counts = entry.counts
        expected.append((entry.levels["load"], entry.cpu, counts.n, counts.mean, counts.max))
    assert sorted(rows) == sorted(expected)
