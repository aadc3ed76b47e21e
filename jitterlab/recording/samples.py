# SPDX-License-Identifier: Apache-2.0
"""Conversion of one stream to the samples and the value counts of a run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.columns import ColumnFile, write_counts
from jitterlab.recording.counts import Counts, IntArray
from jitterlab.recording.header import COUNT, COUNTS_TABLE, CPU, DUE, FLAGS, PERIOD, SAMPLES_TABLE, TableHead
from jitterlab.recording.stream import Rows, StreamReader
from jitterlab.recording.tally import Tally
from jitterlab.recording.units import stored_unit, to_stored

ROW_GROUP = 1_000_000
_WARMUP_FLAG = 1
_MOST_SAMPLES = 2**62


@dataclass(frozen=True, slots=True)
class Converted:
    """What was found in a stream.

    Attributes:
        samples: How many samples the measured part has.
        warmup: How many samples the warm-up has; None if only counts were kept and the stream was cut.
        missed: How many periods were missed in the measured part; None if the stream was cut.
        lost: How many samples were lost in the measured part; None if the stream was cut.
        end: As TAIL says; None if the stream was cut.
        error: As TAIL says.
        facts: HEAD and TAIL in full.
    """

    samples: int
    warmup: int | None
    missed: int | None
    lost: int | None
    end: str | None
    error: str | None
    facts: Mapping[str, Any]


def convert(
    reader: StreamReader, run: int, responses: Mapping[str, str], samples: Path, counts: Path
) -> Converted:
    """Write the samples and the counts of a stream.

    Args:
        reader: The stream.
        run: The number of its run.
        responses: Which responses it may hold, with their units in the recording.
        samples: Where to write the samples; nothing is written if the stream has no table of samples.
        counts: Where to write the value counts.

    Raises:
        InputError: The stream is damaged, or does not hold what was announced.
        OSError: A file cannot be written.
    """
    conversion = _Conversion(reader, run, samples)
    for table in reader.head.tables:
        _check_responses(table, responses, conversion.name)
    with conversion.file:
        for frame in reader.frames():
            conversion.take(frame)
        conversion.flush()
    conversion.check_totals()
    write_counts(counts, conversion.counts(), responses)
    return conversion.result()


class _Conversion:
    """What is known while a stream passes by."""

    def __init__(self, reader: StreamReader, run: int, path: Path) -> None:
        self.reader = reader
        self.name = reader.name
        self.file = ColumnFile(path)
        self._run = run
        self._sources = reader.head.sources
        self._waiting: dict[int, list[NDArray[Any]]] = defaultdict(list)
        self._rows = 0
        self._table: TableHead | None = None
        self._from_samples: dict[tuple[str, int | None], Tally] = defaultdict(Tally)
        self._from_counts: dict[tuple[str, int | None], Tally] = defaultdict(Tally)
        self._measured = np.zeros(len(self._sources), np.int64)
        self._warmup = np.zeros(len(self._sources), np.int64)
        self._counted = np.zeros(len(self._sources), np.int64)

    def take(self, frame: Rows) -> None:
        """Take the rows of a frame."""
        if frame.table.name == SAMPLES_TABLE:
            self._table = frame.table
            self._waiting[frame.source].append(frame.rows)
            self._rows += len(frame.rows)
            if self._rows >= ROW_GROUP:
                self.flush()
        elif frame.table.name == COUNTS_TABLE and len(frame.rows):
            self._take_counts(frame)

    def flush(self) -> None:
        """Convert, count and write the samples that wait: one row group, source by source."""
        if self._table is None:
            return
        parts = [self._part(source, rows) for source, rows in sorted(self._waiting.items())]
        self._waiting.clear()
        self._rows = 0
        if parts:
            columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            units = {column.name: stored_unit(column.unit) for column in self._table.columns}
            self.file.write(columns, units)

    def _part(self, source: int, frames: Iterable[NDArray[Any]]) -> dict[str, NDArray[Any]]:
        assert self._table is not None
        rows = np.concatenate(list(frames))
        names = rows.dtype.names or ()
        warmup = (
            (rows[FLAGS] & _WARMUP_FLAG).astype(np.bool_) if FLAGS in names else np.zeros(len(rows), np.bool_)
        )
        part: dict[str, NDArray[Any]] = {
            "run": np.full(len(rows), self._run, np.int32),
            "source": np.full(len(rows), source, np.int32),
        }
        if CPU in names:
            part[CPU] = self._stored(rows, CPU, "1").astype(np.int32)
        elif (cpu := self._sources[source].cpu) is not None:
            part[CPU] = np.full(len(rows), cpu, np.int32)
        else:
            part[CPU] = np.full(len(rows), -1, np.int32)
        part |= {name: self._stored(rows, name, "1") for name in (PERIOD, DUE) if name in names}
        part["warmup"] = warmup
        for column in self._table.responses:
            part[column.name] = self._stored(rows, column.name, column.unit)
        self._count(source, part, ~warmup)
        return part

    def _count(self, source: int, part: Mapping[str, NDArray[Any]], measured: NDArray[np.bool_]) -> None:
        assert self._table is not None
        everything = bool(measured.all())
        total = int(np.count_nonzero(measured))
        self._measured[source] += total
        self._warmup[source] += len(measured) - total
        cpus = part[CPU] if everything else part[CPU][measured]
        for column in self._table.responses:
            values = part[column.name] if everything else part[column.name][measured]
            for cpu, share in _by_cpu(cpus, values):
                self._from_samples[column.name, cpu].add(share)

    def _take_counts(self, frame: Rows) -> None:
        (response,) = frame.table.responses
        values = self._stored(frame.rows, response.name, response.unit)
        counts = self._stored(frame.rows, COUNT, "1")
        names = frame.rows.dtype.names or ()
        known = self._sources[frame.source].cpu
        cpus = (
            self._stored(frame.rows, CPU, "1")
            if CPU in names
            else np.full(len(values), -1 if known is None else known, np.int64)
        )
        if int(counts.min()) < 0 or float(counts.sum(dtype=np.float64)) > _MOST_SAMPLES:
            raise InputError(
                f"{self.name}: its counts cannot be: negative, or more than 2^62", "the writer is faulty"
            )
        self._counted[frame.source] += int(counts.sum())
        for cpu, places in _by_cpu(cpus, np.arange(len(values), dtype=np.int64)):
            self._from_counts[response.name, cpu].add_counts(_weighted(values[places], counts[places]))

    def _stored(self, rows: NDArray[Any], name: str, unit: str) -> IntArray:
        where = f"{self.name}: column '{name}'"
        return to_stored(rows[name], unit, self.reader.head.clock.tick_hz, where)

    def counts(self) -> dict[tuple[str, int | None], Counts]:
        """The counts by response and CPU: those that the stream brought, else those of its samples."""
        brought = {response for response, _ in self._from_counts}
        tallies = {key: tally for key, tally in self._from_samples.items() if key[0] not in brought}
        return {key: tally.counts() for key, tally in (tallies | self._from_counts).items()}

    def check_totals(self) -> None:
        """Compare with what the writer counted: lost frames and frames of a wrong source show here."""
        if self.reader.tail is None:
            return
        found = np.where(self._counted > 0, self._counted, self._measured)
        for source, total in enumerate(self.reader.tail.sources):
            if total.samples is not None and total.samples != found[source]:
                raise InputError(
                    f"{self.name}: source {source} counted {total.samples} samples, not {found[source]}",
                    "the stream is damaged or its writer faulty: measure that run again",
                )

    def result(self) -> Converted:
        """What was found."""
        tail = self.reader.tail
        totals = tail.sources if tail else []
        kept = int(self._warmup.sum())
        return Converted(
            samples=int(np.where(self._counted > 0, self._counted, self._measured).sum()),
            warmup=_total([total.warmup for total in totals]) if tail else (kept if self._table else None),
            missed=_total([total.missed for total in totals]),
            lost=_total([total.lost for total in totals]),
            end=tail.end if tail else None,
            error=tail.error if tail else None,
            facts=self.reader.facts,
        )


def _check_responses(table: TableHead, responses: Mapping[str, str], name: str) -> None:
    if table.name not in {SAMPLES_TABLE, COUNTS_TABLE}:
        return
    for column in table.responses:
        if responses.get(column.name) != stored_unit(column.unit):
            expected = ", ".join(f"{response} ({unit})" for response, unit in responses.items())
            raise InputError(
                f"{name}: table '{table.name}' has '{column.name}' ({column.unit}), which the workload lacks",
                f"the responses of this recording are {expected}",
            )


def _by_cpu(cpus: NDArray[Any], values: IntArray) -> list[tuple[int | None, IntArray]]:
    """Values apart by the CPU they were measured on; -1 stands for an unknown one."""
    if not len(values):
        return []
    if int(cpus.min()) == int(cpus.max()):
        return [(_known(int(cpus[0])), values)]
    return [(_known(int(cpu)), values[cpus == cpu]) for cpu in np.unique(cpus)]


def _known(cpu: int) -> int | None:
    return cpu if cpu >= 0 else None


def _weighted(values: IntArray, counts: IntArray) -> Counts:
    seen = counts > 0
    order = np.argsort(values[seen], kind="stable")
    values, counts = values[seen][order], counts[seen][order]
    first = np.flatnonzero(np.concatenate((values[:1] == values[:1], values[1:] != values[:-1])))
    return Counts(values[first], np.add.reduceat(counts, first) if len(first) else counts)


def _total(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None
