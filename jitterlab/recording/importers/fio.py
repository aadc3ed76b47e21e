# SPDX-License-Identifier: Apache-2.0
"""fio: `--output-format=json+`, which counts completion latencies in bins, and `--write_lat_log`."""

import re
from pathlib import Path

import numpy as np
from pydantic import Field

from jitterlab.recording.importers.imported import ImportedRun, ImportedSource, Series
from jitterlab.recording.importers.reading import (
    LARGEST_VALUE,
    Natural,
    Part,
    counted,
    integers,
    read_json,
    read_text,
    wrong,
)
from jitterlab.recording.manifest import RecordedResponse

NAME = "fio"
SUMMARY = "fio --output-format=json+, and logs of --write_lat_log"

_LATENCY = RecordedResponse("latency", "ns", "from the submission of an operation to its completion")
_DIRECTIONS = ("read", "write", "trim")
_LOG_ROW = re.compile(r"\s*(\d{1,15}),\s*(\d{1,15}),\s*([012]),\s*\d+(?:,.*)?")


class _Latency(Part):
    bins: dict[str, Natural] | None = None
    count: Natural = Field(default=0, alias="N")


class _Direction(Part):
    clat_ns: _Latency = _Latency()


class _Job(Part):
    name: str = Field(alias="jobname", max_length=200)
    read: _Direction = _Direction()
    write: _Direction = _Direction()
    trim: _Direction = _Direction()


class _Result(Part):
    version: str = Field(alias="fio version")
    timestamp_ms: Natural | None = None
    jobs: list[_Job] = Field(min_length=1, max_length=65_536)


def recognises(beginning: bytes, path: Path) -> bool:
    """Whether a file is from this tool, as its name or its first bytes tell."""
    if beginning.lstrip().startswith(b"{"):
        return b'"fio version"' in beginning
    first = beginning.decode(errors="replace").split("\n", 1)[0]
    return path.suffix == ".log" and bool(_LOG_ROW.fullmatch(first))


def read(path: Path) -> list[ImportedRun]:
    """The runs in a file: one per job (factor `job`) and direction (factor `direction`).

    Values of json+ are those that fio gives its bins, which get wider with the latency (3 digits).

    Raises:
        InputError: It is not from fio, damaged, or holds no bins.
    """
    return _from_json(path) if read_text(path).lstrip().startswith("{") else _from_log(path)


def _from_json(path: Path) -> list[ImportedRun]:
    result = read_json(path, _Result)
    runs = []
    for job in result.jobs:
        for direction in _DIRECTIONS:
            latency: _Latency = getattr(job, direction).clat_ns
            if not latency.count and not latency.bins:
                continue
            if latency.bins is None:
                raise wrong(path, f"job '{job.name}' has no bins", "run fio with --output-format=json+")
            counts = counted(path, integers(path, latency.bins), 1)
            runs.append(
                ImportedRun(
                    tool=result.version,
                    sources=(ImportedSource(job.name, counts, lost=max(latency.count - counts.n, 0)),),
                    response=_LATENCY,
                    resolution_ns=None,
                    levels={"job": job.name, "direction": direction},
                    started_ns=None if result.timestamp_ms is None else result.timestamp_ms * 10**6,
                )
            )
    if not runs:
        raise wrong(path, "no job completed an operation")
    return runs


def _from_log(path: Path) -> list[ImportedRun]:
    rows = [_LOG_ROW.fullmatch(line) for line in read_text(path).splitlines() if line.strip()]
    known = [tuple(int(cell) for cell in row.groups()) for row in rows if row]
    if not known or len(known) < len(rows):
        raise wrong(path, "is no latency log of fio")
    due, latencies, directions = np.array(known, np.int64).T
    if int(max(due.max() * 10**6, latencies.max())) > LARGEST_VALUE * 1_000:
        raise wrong(path, "holds a sample that cannot be")
    return [
        ImportedRun(
            tool=NAME,
            sources=(
                ImportedSource(
                    "log", Series(latencies[directions == number], due_ns=due[directions == number] * 10**6)
                ),
            ),
            response=_LATENCY,
            levels={"direction": _DIRECTIONS[number]},
        )
        for number in np.unique(directions)
    ]
