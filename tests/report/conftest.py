# SPDX-License-Identifier: Apache-2.0
"""Synthetic recordings with a known truth, written through the real recorder from the real stream format."""

import itertools
import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from jitterlab.analysis.findings import Findings, findings
from jitterlab.design import PlannedRun
from jitterlab.meters import Reading
from jitterlab.recording import Recording, RunRow
from jitterlab.recording.manifest import RecordedResponse
from jitterlab.study.model import StudyFactor
from jitterlab.targets import TargetInfo

INTERVAL_NS = 200_000
FRAME_ROWS = 1_000_000
Latency = Callable[[Mapping[str, str], np.random.Generator], NDArray[np.int64]]


def frame(kind: bytes, payload: bytes, source: int = 0) -> bytes:
    return struct.pack("<4sIIHH", kind, len(payload), zlib.crc32(payload), 0, source) + payload


def stream(per_cpu: Sequence[NDArray[np.int64]], tail: Mapping[str, Any], policy: Mapping[str, Any]) -> bytes:
    columns = [("period", "u32", "1"), ("cpu", "u16", "1"), ("flags", "u16", "1"), ("latency", "i64", "tick")]
    names = [f"cpu{cpu}" for cpu in range(len(per_cpu))]
    head = {
        "format": "jitterlab-stream",
        "version": 1,
        "producer": "synthetic",
        "workload": "wakeup",
        "clock": {"name": "CLOCK_MONOTONIC", "tick_hz": 10**9, "resolution_ns": 1, "overhead_ns": 22},
        "realtime_offset_ns": 1_790_000_000 * 10**9,
        "tables": [
            {
                "name": "samples",
                "columns": [dict(zip(("name", "type", "unit"), c, strict=True)) for c in columns],
            }
        ],
        "sources": [
            {
                "name": name,
                "start_ns": 10**9,
                "interval_ns": INTERVAL_NS,
                "effective": {"cpus": [cpu], **policy},
            }
            for cpu, name in enumerate(names)
        ],
    }
    totals = [
        {"name": name, "samples": len(part), "warmup": 0, "missed": 0, "lost": 0, "minor_faults": 0, **tail}
        for name, part in zip(names, per_cpu, strict=True)
    ]
    row = np.dtype([("period", "<u4"), ("cpu", "<u2"), ("flags", "<u2"), ("latency", "<i8")])
    written = frame(b"HEAD", json.dumps(head).encode())
    for cpu, part in enumerate(per_cpu):
        rows = np.zeros(len(part), row)
        rows["period"], rows["cpu"], rows["latency"] = np.arange(len(part)), cpu, part
        for first in range(0, len(rows), FRAME_ROWS):
            written += frame(b"ROWS", rows[first : first + FRAME_ROWS].tobytes(), cpu)
    return written + frame(b"TAIL", json.dumps({"end": "complete", "sources": totals}).encode())


@dataclass
class Synthetic:
    """A study whose truth is known: how late which levels are is `latency`."""

    factors: Mapping[str, tuple[str, ...]]
    latency: Latency
    replicates: int = 5
    title: str = "A synthetic study"
    tail: Mapping[str, Any] = field(default_factory=dict)
    effective: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    failed: frozenset[int] = frozenset()
    seed: int = 1
    reading: Callable[[NDArray[np.int64]], float] | None = None

    def record(self, path: Path) -> Recording:
        rng = np.random.default_rng(self.seed)
        cells = [
            dict(zip(self.factors, levels, strict=True))
            for levels in itertools.product(*self.factors.values())
        ]
        places = [
            (block, cell) for block in range(self.replicates) for cell in rng.permutation(len(cells)).tolist()
        ]
        plan = [PlannedRun(n, block + 1, cell + 1, cells[cell]) for n, (block, cell) in enumerate(places, 1)]
        factors = tuple(StudyFactor(name, levels) for name, levels in self.factors.items())
        study: Any = SimpleNamespace(title=self.title, factors=factors, text='[study]\ntitle = "synthetic"\n')
        responses = (RecordedResponse("latency", "ns", "how late a sleeping thread wakes up"),)
        workload: Any = SimpleNamespace(name="wakeup", responses=responses)
        info = TargetInfo("local", "x86_64", "6.1.0-test", (0, 1), privileged=True)
        recording = Recording.create(path, study, plan, self.environment, workload, info)
        for run in plan:
            started = 1_790_000_000 * 10**9 + run.run * 10**10
            if run.run in self.failed:
                recording.append(RunRow(run.run, "failed", started, 0.1, 2, "the load died"), None)
                continue
            parts = [self.latency(run.levels, rng) for _ in range(2)]
            path_of_stream = path.parent / f"{run.run}.stream"
            path_of_stream.write_bytes(stream(parts, self.tail, self.effective))
            readings = {"meter.late": Reading(self.reading(parts[0]), "1")} if self.reading else {}
            recording.append(RunRow(run.run, "ok", started, 1.0, readings=readings), path_of_stream)
        return Recording.open(path)


POLICY_LOAD = {"policy": ("other", "fifo:80"), "load": ("none", "cpu:all")}


def lognormal(
    rng: np.random.Generator, median_us: float, n: int = 2_000, run_sd: float = 0.02
) -> NDArray[np.int64]:
    """Wake-up latencies with a long right tail, around a run's own median."""
    own = median_us * np.exp(rng.normal(0, run_sd))
    samples = (1_000 * own * np.exp(rng.normal(0, 0.15, n)) + rng.exponential(300, n)).astype(np.int64)
    return np.asarray(samples)


def policy_decides(levels: Mapping[str, str], rng: np.random.Generator) -> NDArray[np.int64]:
    return lognormal(rng, 60.0 if levels["policy"] == "other" else 15.0)


def nothing_decides(_: Mapping[str, str], rng: np.random.Generator) -> NDArray[np.int64]:
    return lognormal(rng, 20.0, run_sd=0.1)


@pytest.fixture(scope="session")
def effect(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Policy quarters the latency; load does nothing."""
    return Synthetic(POLICY_LOAD, policy_decides).record(tmp_path_factory.mktemp("effect") / "recording")


@pytest.fixture(scope="session")
def null(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """No factor does anything; runs differ by about 10 %."""
    return Synthetic(POLICY_LOAD, nothing_decides, seed=3).record(
        tmp_path_factory.mktemp("null") / "recording"
    )


@pytest.fixture(scope="session")
def effect_found(effect: Recording) -> Findings:
    return findings(effect)


@pytest.fixture(scope="session")
def null_found(null: Recording) -> Findings:
    return findings(null)
