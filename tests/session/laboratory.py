# SPDX-License-Identifier: Apache-2.0
"""A laboratory without time: a workload, factors and a machine that note what is done with them."""

import json
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from jitterlab.errors import RunError
from jitterlab.factors import Bench
from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target, TargetInfo
from jitterlab.targets.local import LocalTarget
from jitterlab.workloads import Parameter, Progress, Response

ROW = np.dtype([("period", "<u4"), ("latency", "<i8")])


def frame(kind: bytes, payload: bytes) -> bytes:
    return struct.pack("<4sIIHH", kind, len(payload), zlib.crc32(payload), 0, 0) + payload


def stream(latencies: list[int], end: str = "complete") -> bytes:
    columns = [
        {"name": "period", "type": "u32", "unit": "1"},
        {"name": "latency", "type": "i64", "unit": "ns"},
    ]
    head = {
        "format": "jitterlab-stream",
        "version": 1,
        "clock": {"name": "CLOCK_MONOTONIC", "tick_hz": 10**9},
        "realtime_offset_ns": 0,
        "tables": [{"name": "samples", "columns": columns}],
        "sources": [{"name": "s", "start_ns": 0, "interval_ns": 1000}],
    }
    counted = {"name": "s", "samples": len(latencies), "warmup": 0, "missed": 0, "lost": 0, "migrations": 3}
    tail = {"end": end, "sources": [counted], "not_available": {}}
    rows = np.zeros(len(latencies), ROW)
    rows["period"], rows["latency"] = np.arange(len(latencies)), latencies
    frames = [
        (b"HEAD", json.dumps(head).encode()),
        (b"ROWS", rows.tobytes()),
        (b"TAIL", json.dumps(tail).encode()),
    ]
    return b"".join(frame(kind, payload) for kind, payload in frames)


@dataclass
class Bookkeeper:
    """What was done, in order; and what is to happen in which execution of the workload, counted from 1."""

    log: list[str] = field(default_factory=list)
    happenings: dict[int, Callable[[str], None]] = field(default_factory=dict)
    executions: int = 0


class Pondering:
    name, summary = "ponder", "thinks about something"
    parameters: Mapping[str, Parameter] = {"topic": Parameter(str, "latency", "what about")}
    responses = (Response("latency", "ns", "how long"),)

    def __init__(self, keeper: Bookkeeper) -> None:
        self.keeper = keeper

    def available(self, target: Target) -> Availability:
        return Availability()

    def check(self, target: Target, settings: Mapping[str, Any]) -> str | None:
        return "nobody can think about everything" if settings["topic"] == "everything" else None

    def measured_cpus(self, target: Target, settings: Mapping[str, Any]) -> tuple[int, ...]:
        return target.info().cpus

    def duration_s(self, settings: Mapping[str, Any]) -> float:
        return float(settings["samples"])

    def run(
        self,
        target: Target,
        settings: Mapping[str, Any],
        stream_path: str,
        progress: Callable[[Progress], None],
    ) -> None:
        self.keeper.executions += 1
        self.keeper.log.append(f"ponder {settings['topic']}")
        progress(Progress(settings["samples"], settings["samples"], 1, 2, 3))
        happening = self.keeper.happenings.get(self.keeper.executions)
        if happening is None:
            Path(stream_path).write_bytes(stream([5] * settings["samples"]))
        else:
            happening(stream_path)


class Noting:
    """A factor that notes when it is held and when it is let go."""

    between_boots = False
    summary = "notes"

    def __init__(self, keeper: Bookkeeper, name: str, *, busy: bool) -> None:
        self.keeper, self.name, self.busy = keeper, name, busy

    def parse(self, level: object) -> str:
        return str(level)

    def available(self, target: Target) -> Availability:
        return Availability(levels=("low", "high"))

    @contextmanager
    def hold(self, bench: Bench, level: str) -> Iterator[Mapping[str, object]]:
        self.keeper.log.append(f"{self.name} {level}")
        if level == "broken":
            raise RunError("it broke", "mend it")
        try:
            yield {"read back": level}
        finally:
            self.keeper.log.append(f"{self.name} released")
            if level == "sticky":
                raise RunError("it does not let go")


class Counting:
    """A meter that counts how often it was looked at."""

    name, summary = "looks", "counts"

    def __init__(self) -> None:
        self.looks = 0

    def available(self, target: Target) -> Availability:
        return Availability()

    def snapshot(self, target: Target) -> int:
        self.looks += 1
        return self.looks

    def readings(self, before: int, after: int) -> Mapping[str, Reading]:
        return {"between": Reading(after - before, "1")}


class Machine(LocalTarget):
    """This machine with a number of CPUs of our choice."""

    def __init__(self) -> None:
        super().__init__()
        self.cpus: tuple[int, ...] = (0, 1)

    def info(self) -> TargetInfo:
        return replace(super().info(), cpus=self.cpus)


class Standby:
    """A guard that is there, and is asked for nothing."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def close(self) -> None:
        pass


@dataclass
class Entry:
    name: str
    thing: Any

    def load(self) -> Callable[[], Any]:
        return lambda: self.thing
