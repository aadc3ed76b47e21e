# SPDX-License-Identifier: Apache-2.0
"""Taking in the rows of a stream while it passes by: samples become columns, and everything is counted."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.columns import UNKNOWN_CPU, ColumnFile
from jitterlab.recording.counts import Counts, IntArray
from jitterlab.recording.header import (
    COUNT,
    COUNTS_TABLE,
    CPU,
    DUE,
    FLAGS,
    PERIOD,
    SAMPLES_TABLE,
    WORST_TABLE,
    TableHead,
)
from jitterlab.recording.stream import Rows, StreamReader
from jitterlab.recording.tally import Tally
from jitterlab.recording.units import stored_unit, to_stored

ROW_GROUP = 1_000_000
_WARMUP_FLAG = 1
_MOST_SAMPLES = 2**62
_LATEST_NS = 2**61
_LARGEST_CPU = 65_535
_FAULTY = "the writer of the stream is faulty"

Key = tuple[str, int | None]
"""Response and CPU."""


class _Waiting:
    """Samples that wait until there are enough of them for a row group."""

    def __init__(self, file: ColumnFile) -> None:
        self.file = file
        self.table: TableHead | None = None
        self.frames: dict[int, list[NDArray[Any]]] = defaultdict(list)
        self._rows = 0

    def add(self, frame: Rows) -> int:
        """Add the rows of a frame; how many wait now."""
        self.table = frame.table
        self.frames[frame.source].append(frame.rows)
        self._rows += len(frame.rows)
        return self._rows

    def clear(self) -> None:
        self.frames.clear()
        self._rows = 0


class Intake:
    """Takes the frames of a stream one by one; memory holds one row group and the distinct values.

    Args:
        reader: The stream that the frames come from.
        run: The number of its run.
        file: Where samples go.
        worst: Where the largest samples go that stand beside counts.

    Attributes:
        measured: How many samples of the measured part each source kept.
        warmup: How many samples of the warm-up each source kept.
        counted: How many samples are in the counts that each source brought.
        raw: Whether there is a table of samples.
    """

    def __init__(self, reader: StreamReader, run: int, file: ColumnFile, worst: ColumnFile) -> None:
        self._name = reader.name
        self._tick_hz = reader.head.clock.tick_hz
        self._sources = reader.head.sources
        self._run = run
        self._samples = _Waiting(file)
        self._worst = _Waiting(worst)
        self._of_samples: dict[Key, Tally] = defaultdict(Tally)
        self._brought: dict[Key, Tally] = defaultdict(Tally)
        self.measured, self.warmup, self.counted = np.zeros((3, len(self._sources)), np.int64)

    @property
    def raw(self) -> bool:
        """Whether samples were kept, and not only counts."""
        return self._samples.table is not None

    def take(self, frame: Rows) -> None:
        """Take the rows of a frame; those of tables without a meaning here are passed over.

        Raises:
            InputError: A value cannot be.
        """
        if frame.table.name == SAMPLES_TABLE:
            if self._samples.add(frame) >= ROW_GROUP:
                self._flush(self._samples)
        elif frame.table.name == WORST_TABLE:
            if self._worst.add(frame) >= ROW_GROUP:
                self._flush(self._worst)
        elif frame.table.name == COUNTS_TABLE and len(frame.rows):
            self._take_counts(frame)

    def finish(self) -> None:
        """Write what is left after the last frame."""
        self._flush(self._samples)
        self._flush(self._worst)

    def _flush(self, waiting: "_Waiting") -> None:
        """Convert, count and write the samples that wait: one row group, source by source."""
        if waiting.table is None or not waiting.frames:
            return
        parts = []
        for source, frames in sorted(waiting.frames.items()):
            part = self._part(waiting.table, source, np.concatenate(frames))
            if waiting is self._samples:
                self._count(source, part, [column.name for column in waiting.table.responses])
            parts.append(part)
        units = {column.name: stored_unit(column.unit) for column in waiting.table.columns}
        waiting.file.write({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, units)
        waiting.clear()

    def counts(self) -> dict[Key, Counts]:
        """The counts: those that the stream brought for a response, else those of its samples."""
        brought = {response for response, _ in self._brought}
        own = {key: tally for key, tally in self._of_samples.items() if key[0] not in brought}
        return {key: tally.counts() for key, tally in (own | self._brought).items()}

    def _part(self, table: TableHead, source: int, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Samples of one source as the columns of a recording."""
        names = rows.dtype.names or ()
        part: dict[str, NDArray[Any]] = {
            "run": np.full(len(rows), self._run, np.int32),
            "source": np.full(len(rows), source, np.int32),
            CPU: self._cpus(source, rows).astype(np.int32),
        }
        if PERIOD in names:
            part[PERIOD] = self._bounded(rows, PERIOD, _LATEST_NS // (self._sources[source].interval_ns or 1))
        if DUE in names:
            part[DUE] = self._bounded(rows, DUE, _LATEST_NS)
        flags = rows[FLAGS] if FLAGS in names else np.zeros(len(rows), np.uint8)
        part["warmup"] = (flags & _WARMUP_FLAG).astype(np.bool_)
        for column in table.responses:
            part[column.name] = self._stored(rows, column.name, column.unit)
        return part

    def _count(self, source: int, part: Mapping[str, NDArray[Any]], responses: Sequence[str]) -> None:
        measured = slice(None) if not part["warmup"].any() else ~part["warmup"]
        cpus = part[CPU][measured]
        self.measured[source] += len(cpus)
        self.warmup[source] += len(part[CPU]) - len(cpus)
        for name in responses:
            for cpu, share in _by_cpu(cpus, part[name][measured]):
                self._of_samples[name, cpu].add(share)

    def _take_counts(self, frame: Rows) -> None:
        (response,) = frame.table.responses
        values = self._stored(frame.rows, response.name, response.unit)
        counts = self._bounded(frame.rows, COUNT, _MOST_SAMPLES)
        if float(self.counted.sum() + counts.sum(dtype=np.float64)) > _MOST_SAMPLES:
            raise InputError(f"{self._name}: it counts more than 2^62 samples", _FAULTY)
        self.counted[frame.source] += int(counts.sum())
        places = np.flatnonzero(counts)
        for cpu, chosen in _by_cpu(self._cpus(frame.source, frame.rows)[places], places):
            self._brought[response.name, cpu].add_counts(_grouped(values[chosen], counts[chosen]))

    def _cpus(self, source: int, rows: NDArray[Any]) -> IntArray:
        if CPU in (rows.dtype.names or ()):
            return self._bounded(rows, CPU, _LARGEST_CPU)
        known = self._sources[source].cpu
        return np.full(len(rows), UNKNOWN_CPU if known is None else known, np.int64)

    def _bounded(self, rows: NDArray[Any], name: str, largest: int) -> IntArray:
        values = self._stored(rows, name, "1")
        if len(values) and not 0 <= int(values.min()) <= int(values.max()) <= largest:
            raise InputError(f"{self._name}: column '{name}' holds a value outside 0 to {largest}", _FAULTY)
        return values

    def _stored(self, rows: NDArray[Any], name: str, unit: str) -> IntArray:
        return to_stored(rows[name], unit, self._tick_hz, f"{self._name}: column '{name}'")


def _by_cpu(cpus: NDArray[Any], values: IntArray) -> Sequence[tuple[int | None, IntArray]]:
    """Values apart by the CPU they were measured on."""
    if not len(values):
        return []
    if int(cpus.min()) == int(cpus.max()):
        return [(_known(int(cpus[0])), values)]
    order = np.argsort(cpus, kind="stable")
    ordered = cpus[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    shares = np.split(values[order], starts[1:])
    return [(_known(int(ordered[start])), share) for start, share in zip(starts, shares, strict=True)]


def _known(cpu: int) -> int | None:
    return None if cpu == UNKNOWN_CPU else cpu


def _grouped(values: IntArray, counts: IntArray) -> Counts:
    """Counts from at least one value, in any order and perhaps repeated."""
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return Counts(values[first], np.add.reduceat(counts, first))
