# SPDX-License-Identifier: Apache-2.0
"""Cells written as a real recording: streams by hand from docs/stream-format.md, read by the recorder."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cells
from jitterlab.design import PlannedRun
from jitterlab.recording import Recording, RunRow
from jitterlab.recording.manifest import Manifest, RecordedResponse
from jitterlab.study.model import StudyFactor

ROW = np.dtype([("period", "<u4"), ("cpu", "<u2"), ("flags", "<u2"), ("latency", "<i8")])
TYPES = {"period": ("u32", "1"), "cpu": ("u16", "1"), "flags": ("u16", "1"), "latency": ("i64", "tick")}


def record(path: Path, cells: Cells) -> Recording:
    """A recording with the runs of the cells, half of each run's samples on either of two CPUs."""
    plan = tuple(PlannedRun(run.run, run.block, run.cell, dict(run.levels)) for run in cells.runs)
    recording = Recording.begin(
        path,
        Manifest(
            title="A known truth",
            workload="wakeup",
            responses=(RecordedResponse("latency", "ns", "how late the thread ran"),),
            factors=tuple(
                StudyFactor(name, levels, name in cells.between_boots)
                for name, levels in cells.factors.items()
            ),
            plan=plan,
            target={"name": "local"},
            created="2026-11-20T08:00:00+00:00",
            jitterlab="0.1.0",
        ),
        "[study]\n",
        {},
    )
    file = path.parent / "stream"
    for run in cells.runs:
        file.write_bytes(stream(np.repeat(run.counts.values, run.counts.counts)))
        recording.append(RunRow(run.run, "ok", 1_790_000_000 * 10**9 + run.run, 1.0), file)
    return Recording.open(path)


def stream(values: NDArray[np.int64]) -> bytes:
    """A whole stream with two sources."""
    parts = [values[::2], values[1::2]]
    names = ["cpu0", "cpu1"]
    head: dict[str, Any] = {
        "format": "jitterlab-stream",
        "version": 1,
        "producer": "test",
        "workload": "wakeup",
        "clock": {"name": "CLOCK_MONOTONIC", "tick_hz": 10**9, "resolution_ns": 1, "overhead_ns": 22},
        "realtime_offset_ns": 0,
        "tables": [
            {"name": "samples", "columns": [{"name": n, "type": t, "unit": u} for n, (t, u) in TYPES.items()]}
        ],
        "sources": [
            {"name": name, "start_ns": 0, "interval_ns": 200_000, "effective": {"cpus": [cpu]}}
            for cpu, name in enumerate(names)
        ],
    }
    written = frame(b"HEAD", json.dumps(head).encode())
    for cpu, part in enumerate(parts):
        rows = np.zeros(len(part), ROW)
        rows["period"], rows["cpu"], rows["latency"] = np.arange(len(part)), cpu, part
        written += frame(b"ROWS", rows.tobytes(), cpu)
    sources = [
        {"name": name, "samples": len(part), "warmup": 0, "missed": 0, "lost": 0}
        for name, part in zip(names, parts, strict=True)
    ]
    return written + frame(b"TAIL", json.dumps({"end": "complete", "sources": sources}).encode())


def frame(kind: bytes, payload: bytes, source: int = 0) -> bytes:
    return struct.pack("<4sIIHH", kind, len(payload), zlib.crc32(payload), 0, source) + payload
