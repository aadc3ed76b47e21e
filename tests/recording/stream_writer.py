# SPDX-License-Identifier: Apache-2.0
"""Writes streams from the page that describes them, independently of the probe and of the reader."""

import json
import struct
import zlib
from typing import Any

import numpy as np

COLUMNS = [
    {"name": "period", "type": "u32", "unit": "1"},
    {"name": "cpu", "type": "u16", "unit": "1"},
    {"name": "flags", "type": "u16", "unit": "1"},
    {"name": "latency", "type": "i64", "unit": "tick"},
]
COUNT_COLUMNS = [
    {"name": "latency", "type": "i64", "unit": "tick"},
    {"name": "count", "type": "u64", "unit": "1"},
]
TABLES = [{"name": "samples", "columns": COLUMNS}, {"name": "counts", "columns": COUNT_COLUMNS}]
ROW = np.dtype([("period", "<u4"), ("cpu", "<u2"), ("flags", "<u2"), ("latency", "<i8")])
COUNT_ROW = np.dtype([("latency", "<i8"), ("count", "<u8")])
INTERVAL = 200_000


def frame(kind: bytes, payload: bytes, table: int = 0, source: int = 0) -> bytes:
    return struct.pack("<4sIIHH", kind, len(payload), zlib.crc32(payload), table, source) + payload


def head(sources: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "format": "jitterlab-stream",
        "version": 1,
        "producer": "test 1",
        "workload": "wakeup",
        "clock": {
            "name": "CLOCK_MONOTONIC",
            "tick_hz": 1_000_000_000,
            "resolution_ns": 1,
            "overhead_ns": 22.4,
        },
        "realtime_offset_ns": 1_790_000_000_000_000_000,
        "tables": TABLES,
        "sources": [
            {
                "name": f"cpu{cpu}",
                "start_ns": 1_000_000 + 50 * cpu,
                "interval_ns": INTERVAL,
                "effective": {"policy": "fifo", "priority": 80, "cpus": [cpu], "slack_ns": 1},
            }
            for cpu in range(sources)
        ],
        "settings": {"wake": "nanosleep"},
    } | changes


def tail(samples: list[int], warmup: int = 0, end: str = "complete", **changes: Any) -> dict[str, Any]:
    return {
        "end": end,
        "clock_drift_ns": -12,
        "duration_ns": 4_000_123_456,
        "sources": [
            {"name": f"cpu{cpu}", "samples": n, "warmup": warmup, "missed": 1, "lost": 0}
            for cpu, n in enumerate(samples)
        ],
        "not_available": {},
    } | changes


def rows(latencies: list[int] | np.ndarray[Any, Any], cpu: int = 0, warmup: int = 0, first: int = 0) -> bytes:
    table = np.zeros(len(latencies), ROW)
    table["period"] = np.arange(first, first + len(latencies))
    table["cpu"] = cpu
    table["flags"][:warmup] = 1
    table["latency"] = latencies
    return table.tobytes()


def json_frame(kind: bytes, content: object) -> bytes:
    return frame(kind, json.dumps(content).encode())


def stream(per_cpu: list[list[int]], warmup: int = 0, rows_per_frame: int = 7) -> bytes:
    """A whole stream of wake-ups: latencies per CPU (warm-up first) in interleaved small frames."""
    parts = [json_frame(b"HEAD", head(len(per_cpu)))]
    longest = max(map(len, per_cpu), default=0)
    for first in range(0, longest, rows_per_frame):
        for cpu, latencies in enumerate(per_cpu):
            chunk = latencies[first : first + rows_per_frame]
            if chunk:
                early = min(max(warmup - first, 0), len(chunk))
                parts.append(frame(b"ROWS", rows(chunk, cpu, early, first), 0, cpu))
    parts.append(json_frame(b"TAIL", tail([len(values) - warmup for values in per_cpu], warmup)))
    return b"".join(parts)


def counts_stream(values: list[int], counts: list[int], worst: bytes = b"") -> bytes:
    """A whole stream that kept only counts, and perhaps its largest samples as rows."""
    table = np.zeros(len(values), COUNT_ROW)
    table["latency"], table["count"] = values, counts
    return (
        json_frame(b"HEAD", head(tables=[*TABLES, {"name": "worst", "columns": COLUMNS}]))
        + frame(b"ROWS", table.tobytes(), 1)
        + (frame(b"ROWS", worst, 2) if worst else b"")
        + json_frame(b"TAIL", tail([sum(counts)]))
    )
