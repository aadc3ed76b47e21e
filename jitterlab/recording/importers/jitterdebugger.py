# SPDX-License-Identifier: Apache-2.0
"""jitterdebugger: its JSON results (`results.json`, `--file`) and its raw samples (`samples.raw`)."""

from pathlib import Path

import numpy as np
from pydantic import Field

from jitterlab.recording.importers.imported import ImportedRun, ImportedSource, Series
from jitterlab.recording.importers.reading import (
    Natural,
    Part,
    counted,
    integers,
    read_bytes,
    read_json,
    with_overflow,
    wrong,
)

NAME = "jitterdebugger"
SUMMARY = "jitterdebugger results.json, or samples.raw beside its results.json"

_ROW = np.dtype([("cpu", "<u4"), ("seconds", "<i8"), ("nanoseconds", "<i8"), ("value", "<u8")])
"""One raw sample, packed: the CPU, when it was taken (CLOCK_MONOTONIC), and the latency."""


class _Cpu(Part):
    histogram: dict[str, Natural] = Field(default_factory=dict)
    count: Natural
    max: Natural


class _System(Part):
    resolution_in_ns: int = Field(default=1_000, ge=1, le=10**9)


class _Result(Part):
    sysinfo: _System = _System()
    cpu: dict[str, _Cpu] = Field(min_length=1, max_length=65_536)


def recognises(beginning: bytes, path: Path) -> bool:
    """Whether a file is from this tool, as its name or its first bytes tell."""
    if beginning.lstrip().startswith(b"{"):
        return b'"cpu"' in beginning and b'"histogram"' in beginning and b'"rt_test_version' not in beginning
    return path.suffix == ".raw"


def read(path: Path) -> list[ImportedRun]:
    """The run in a file; its CPUs are numbered as jitterdebugger does: its threads from 0 in old versions.

    Raises:
        InputError: It is not from jitterdebugger, or damaged.
    """
    return [_from_raw(path) if path.suffix == ".raw" else _from_json(path)]


def _from_json(path: Path) -> ImportedRun:
    result = read_json(path, _Result)
    unit = result.sysinfo.resolution_in_ns
    sources = []
    for name, cpu in result.cpu.items():
        if not name.isascii() or not name.isdigit() or len(name) > 6:
            raise wrong(path, f"'{name[:20]}' is no CPU")
        counts = counted(path, integers(path, cpu.histogram), unit)
        source = ImportedSource(f"cpu{name}", counts, int(name), lost=0)
        sources.append(with_overflow(source, cpu.count - counts.n, cpu.max * unit))
    return ImportedRun(NAME, tuple(sources), resolution_ns=unit)


def _from_raw(path: Path) -> ImportedRun:
    content = read_bytes(path)
    if len(content) % _ROW.itemsize:
        raise wrong(path, f"{len(content)} bytes are no whole number of raw samples of {_ROW.itemsize} bytes")
    rows = np.frombuffer(content, _ROW)
    results = path.with_name("results.json")
    if not results.exists():
        raise wrong(
            path, "the unit of raw samples stands in results.json", f"put it beside them, as {results}"
        )
    unit = read_json(results, _Result).sysinfo.resolution_in_ns
    if (
        bool(np.any((rows["seconds"] < 0) | (rows["seconds"] > 2**31)))
        or bool(np.any((rows["nanoseconds"] < 0) | (rows["nanoseconds"] >= 10**9)))
        or int(rows["cpu"].max()) > 65_535
        or int(rows["value"].max()) > 2**31 * (10**9 // unit)
    ):
        raise wrong(path, "holds samples that cannot be: the file is damaged, or from a 32-bit machine")
    taken = rows["seconds"] * 10**9 + rows["nanoseconds"]
    latencies = rows["value"].astype(np.int64) * unit
    start = int((taken - latencies).min())
    sources = []
    for cpu in np.unique(rows["cpu"]):
        own = rows["cpu"] == cpu
        series = Series(latencies[own], due_ns=(taken - latencies)[own] - start)
        sources.append(ImportedSource(f"cpu{cpu}", series, int(cpu)))
    return ImportedRun(NAME, tuple(sources), resolution_ns=unit)
