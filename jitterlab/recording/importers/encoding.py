# SPDX-License-Identifier: Apache-2.0
"""An imported run as a stream, so that it is recorded like a measured one. See docs/stream-format.md."""

import json
import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from jitterlab.recording.counts import Counts
from jitterlab.recording.header import COUNT, COUNTS_TABLE, DUE, PERIOD, SAMPLES_TABLE
from jitterlab.recording.importers.imported import ImportedRun, ImportedSource
from jitterlab.recording.stream import FRAME

_ROWS_PER_FRAME = 500_000
_KINDS = (PERIOD, DUE, COUNT)


def write_stream(run: ImportedRun, file: IO[bytes]) -> None:
    """Write an imported run as a stream."""
    kinds = [_kind(source) for source in run.sources]
    tables = sorted(set(kinds), key=_KINDS.index)
    _write_frame(file, b"HEAD", json.dumps(_head(run, tables)).encode())
    for number, (source, kind) in enumerate(zip(run.sources, kinds, strict=True)):
        for rows in _rows(source, kind):
            _write_frame(file, b"ROWS", rows.tobytes(), tables.index(kind), number)
    _write_frame(file, b"TAIL", json.dumps(_tail(run)).encode())


def _write_frame(file: IO[bytes], kind: bytes, payload: bytes, table: int = 0, source: int = 0) -> None:
    file.write(FRAME.pack(kind, len(payload), zlib.crc32(payload), table, source))
    file.write(payload)


def _kind(source: ImportedSource) -> str:
    """The column that stands beside the response."""
    if isinstance(source.data, Counts):
        return COUNT
    return PERIOD if source.data.due_ns is None else DUE


def _head(run: ImportedRun, tables: list[str]) -> dict[str, Any]:
    response = {"name": run.response.name, "type": "i64", "unit": run.response.unit}
    return {
        "format": "jitterlab-stream",
        "version": 1,
        "producer": run.tool,
        "workload": "imported",
        "clock": {
            "name": "unknown",
            "tick_hz": 1_000_000_000,
            "resolution_ns": run.resolution_ns,
            "overhead_ns": None,
        },
        "realtime_offset_ns": 0,
        "tables": [
            {
                "name": COUNTS_TABLE if kind == COUNT else SAMPLES_TABLE,
                "columns": [{"name": kind, "type": "i64", "unit": "ns" if kind == DUE else "1"}, response],
            }
            for kind in tables
        ],
        "sources": [
            {
                "name": source.name,
                "start_ns": 0,
                "interval_ns": source.interval_ns,
                "effective": {} if source.cpu is None else {"cpus": [source.cpu]},
            }
            for source in run.sources
        ],
        "settings": dict(run.settings),
    }


def _rows(source: ImportedSource, kind: str) -> Iterator[NDArray[Any]]:
    if isinstance(source.data, Counts):
        beside, values = source.data.counts, source.data.values
    else:
        moments = source.data.periods if kind == PERIOD else source.data.due_ns
        assert moments is not None
        beside, values = moments, source.data.values
    rows = np.empty(len(values), np.dtype([(kind, "<i8"), ("response", "<i8")]))
    rows[kind], rows["response"] = beside, values
    for first in range(0, len(rows), _ROWS_PER_FRAME):
        yield rows[first : first + _ROWS_PER_FRAME]


def _tail(run: ImportedRun) -> dict[str, Any]:
    return {
        "end": "complete",
        "duration_ns": None if run.duration_s is None else round(run.duration_s * 1e9),
        "sources": [
            {
                "name": source.name,
                "samples": source.n,
                "warmup": None,
                "missed": source.missed,
                "lost": source.lost,
            }
            for source in run.sources
        ],
        "not_available": {"warmup": f"{run.tool} does not keep it apart"},
    }
