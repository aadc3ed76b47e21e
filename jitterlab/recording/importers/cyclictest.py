# SPDX-License-Identifier: Apache-2.0
"""cyclictest of rt-tests: `--json` with `-h`, the histogram text of `-h` and `--histfile`, and `-v`."""

import re
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import numpy as np
from pydantic import Field

from jitterlab.recording.importers.imported import NS_PER_UNIT, ImportedRun, ImportedSource, Series
from jitterlab.recording.importers.reading import (
    LARGEST_VALUE,
    Natural,
    Part,
    counted,
    integers,
    read_json,
    read_text,
    with_overflow,
    wrong,
)

NAME = "cyclictest"
SUMMARY = "cyclictest --json, histogram text (-h, --histfile) or verbose output (-v)"

_NO_HISTOGRAM = "run cyclictest with -h LIMIT, so that it keeps a histogram"
_ROW = re.compile(r"\d+(?:\s+\d+)+")
_SAMPLE = re.compile(r"\s*(\d+):\s*(\d+):\s*(-?\d+)\s*")
_INTERVAL = re.compile(r"Thread (\d+) Interval: (\d+)")


class _Thread(Part):
    histogram: dict[str, Natural] = Field(default_factory=dict)
    cycles: Natural
    max: Natural
    cpu: int | None = None


class _Result(Part):
    command: str = Field(default="", alias="cmdline:")
    version: str = Field(default="", alias="rt_test_version:")
    start_time: str = ""
    end_time: str = ""
    sysinfo: dict[str, object] = Field(default_factory=dict)
    resolution_in_ns: int = 0
    thread: dict[str, _Thread] = Field(min_length=1, max_length=65_536)


def recognises(beginning: bytes, path: Path) -> bool:  # noqa: ARG001 - the name says nothing here
    """Whether a file is from this tool, as its first bytes tell."""
    if beginning.lstrip().startswith(b"{"):
        return b'"rt_test_version' in beginning
    return b"# Histogram" in beginning or b"# Total:" in beginning or bool(_verbose(beginning))


def read(path: Path, unit: str = "us") -> list[ImportedRun]:
    """The run in a file.

    Args:
        path: The file.
        unit: The unit of texts, which do not tell it: `us`, or `ns` if cyclictest was run with -N.

    Raises:
        InputError: It is not from cyclictest, damaged, or holds no histogram.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return [_from_json(path)]
    if unit not in {"us", "ns"}:
        raise wrong(path, f"'{unit}' is no unit of cyclictest", "choose us, or ns if it was run with -N")
    from_text = _from_verbose if _verbose(text[:65_536].encode()) else _from_histogram
    return [from_text(path, text, NS_PER_UNIT[unit])]


def _from_json(path: Path) -> ImportedRun:
    result = read_json(path, _Result)
    if not any(thread.histogram for thread in result.thread.values()):
        raise wrong(path, "no thread has a histogram", _NO_HISTOGRAM)
    unit = 1 if result.resolution_in_ns else 1_000
    sources = []
    for name, thread in result.thread.items():
        counts = counted(path, integers(path, thread.histogram), unit)
        cpu = thread.cpu if thread.cpu is not None and 0 <= thread.cpu < 2**16 else None
        source = ImportedSource(f"thread{name}", counts, cpu, lost=0)
        sources.append(with_overflow(source, thread.cycles - counts.n, thread.max * unit))
    start, end = _time(result.start_time), _time(result.end_time)
    return ImportedRun(
        tool=f"cyclictest {result.version}".strip(),
        sources=tuple(sources),
        resolution_ns=unit,
        started_ns=int(start.timestamp()) * 10**9 if start else None,
        duration_s=(end - start).total_seconds() if start and end else None,
        settings={"command": result.command, "sysinfo": result.sysinfo},
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%a, %d %b %Y %H:%M:%S %z")
    except ValueError:
        return None


def _from_histogram(path: Path, text: str, unit: int) -> ImportedRun:
    rows = [
        [int(cell) for cell in line.split()] for line in text.splitlines() if _ROW.fullmatch(line.strip())
    ]
    if not rows or len({len(row) for row in rows}) > 1:
        raise wrong(path, "holds no histogram, or one with rows of different lengths", _NO_HISTOGRAM)
    threads = len(rows[0]) - 1
    if threads > 2 and all(row[-1] == sum(row[1:-1]) for row in rows):
        threads -= 1  # the last column of -H is the sum of the others
    overflows, maxima = _summary(text, "Histogram Overflows"), _summary(text, "Max Latencies")
    sources = []
    for thread in range(threads):
        counts = counted(path, [(row[0], row[1 + thread]) for row in rows], unit)
        lost = 0 if thread < len(overflows) else None
        maximum = maxima[thread] * unit if thread < len(maxima) else None
        source = ImportedSource(f"thread{thread}", counts, lost=lost)
        sources.append(with_overflow(source, overflows[thread] if lost == 0 else 0, maximum))
    if not any(source.n for source in sources):
        raise wrong(path, "its histogram is empty", _NO_HISTOGRAM)
    return ImportedRun(NAME, tuple(sources), resolution_ns=unit)


def _summary(text: str, name: str) -> list[int]:
    """The numbers of a summary line, one per thread; none if there is no such line."""
    found = re.search(rf"^# {name}:((?:\s+\d{{1,15}})+)\s*$", text, re.MULTILINE)
    return [int(number) for number in found.group(1).split()] if found else []


def _verbose(beginning: bytes) -> bool:
    lines = beginning.decode(errors="replace").splitlines()[:-1]
    return any(_SAMPLE.fullmatch(line) for line in lines[:200])


def _from_verbose(path: Path, text: str, unit: int) -> ImportedRun:
    intervals = {int(thread): int(us) * 1_000 for thread, us in _INTERVAL.findall(text)}
    samples: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for line in text.splitlines():
        if found := _SAMPLE.fullmatch(line):
            thread, period, latency = (int(part) for part in found.groups())
            if abs(latency) > LARGEST_VALUE or period > LARGEST_VALUE:
                raise wrong(path, f"holds a sample that cannot be: {line.strip()}")
            samples[thread].append((period, latency))
    sources = []
    for thread, taken in sorted(samples.items()):
        periods, latencies = np.array(taken, np.int64).T
        if bool(np.any(np.diff(periods) <= 0)):
            raise wrong(path, f"the samples of thread {thread} are not in order", "record it again with -h")
        interval = intervals.get(thread)
        interval = interval if interval and interval < LARGEST_VALUE else None
        series = Series(latencies * unit, periods=periods)
        sources.append(ImportedSource(f"thread{thread}", series, interval_ns=interval))
    return ImportedRun(NAME, tuple(sources), resolution_ns=unit)
