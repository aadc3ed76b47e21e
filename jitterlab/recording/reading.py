# SPDX-License-Identifier: Apache-2.0
"""Reading samples back: the measured part, with the levels of its run and the time each sample was due."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jitterlab.errors import InputError
from jitterlab.recording.columns import read_batches, verify
from jitterlab.recording.counts import IntArray
from jitterlab.recording.folder import Folder
from jitterlab.recording.header import DUE, PERIOD
from jitterlab.recording.manifest import RecordedResponse
from jitterlab.recording.runs import files_of
from jitterlab.recording.table import Table

_BATCH = 1_000_000
_LEVEL = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class Rule:
    """When the samples of a run were due: `start + period * interval` or `start + due`, per source.

    Attributes:
        origin_ns: The earliest start of a source (CLOCK_MONOTONIC).
        realtime_offset_ns: CLOCK_REALTIME minus CLOCK_MONOTONIC; 0 if unknown.
        starts: When each source started, in ns after the origin.
        intervals: The interval of each source in ns; 0 if it has none.
        where: What to call the run in messages.
    """

    origin_ns: int
    realtime_offset_ns: int
    starts: IntArray
    intervals: IntArray
    where: str

    @classmethod
    def of(cls, facts: str, where: str) -> "Rule":
        """The rule that the HEAD of a stream gives.

        Raises:
            InputError: The facts are damaged.
        """
        try:
            head = json.loads(facts)["head"]
            starts = np.array([source["start_ns"] for source in head["sources"]], np.int64)
            intervals = np.array([source.get("interval_ns") or 0 for source in head["sources"]], np.int64)
            origin = int(starts.min())
            return cls(origin, int(head["realtime_offset_ns"]), starts - origin, intervals, where)
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
            raise InputError(f"{where}: its facts are damaged: {error!r}", "take it from a copy") from error

    def wall(self, due_ns: int | None) -> int | None:
        """A time in ns after the origin as ns since 1970, UTC; None if the clocks were not compared."""
        offset = self.realtime_offset_ns
        return due_ns + self.origin_ns + offset if offset and due_ns is not None else None

    def due(self, batch: Mapping[str, IntArray]) -> pa.Array:
        """When samples were due, in ns after the origin; null where it is not known."""
        sources = batch["source"]
        if len(sources) and not 0 <= int(sources.min()) <= int(sources.max()) < len(self.starts):
            raise InputError(
                f"{self.where}: its samples name a source that its facts lack", "take it from a copy"
            )
        if DUE in batch:
            return pa.array(self.starts[sources] + batch[DUE])
        intervals = self.intervals[sources]
        return pa.array(self.starts[sources] + batch[PERIOD] * intervals, mask=intervals == 0)


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the largest samples, and when and where it was.

    Attributes:
        run: The number of its run.
        cpu: The CPU; None if the samples do not tell.
        due_ns: When it was due, in ns after the start of its run; None if the recording does not tell.
        wall_ns: The same as ns since 1970, UTC; None if the recording does not tell.
        value: How large it was, in the unit of the response.
    """

    run: int
    cpu: int | None
    due_ns: int | None
    wall_ns: int | None
    value: int


def worst_of(folder: Folder, row: Mapping[str, object], response: str, k: int, floor: int) -> list[Worst]:
    """The k largest measured samples of a run of at least `floor`, the largest first."""
    run = row["run"]
    assert isinstance(run, int)
    rule = Rule.of(str(row["facts"]), f"{folder.runs}: run {run}")
    found: list[Worst] = []
    names = ["cpu", "source", PERIOD, DUE, "warmup", response]
    kind = "samples" if row["raw"] else "worst"
    path = folder.tables_of_run(run)[kind]
    verify(path, files_of(row, str(folder.runs)).get(kind))
    for batch in read_batches(path, names, _BATCH, (response, floor)):
        large = batch.filter(pc.and_(pc.invert(batch["warmup"]), pc.greater_equal(batch[response], floor)))
        large = large.take(np.argsort(-large[response].to_numpy(), kind="stable")[:k])
        times, cpus, values = (
            rule.due(_numbers(large)).to_pylist(),
            large["cpu"].to_pylist(),
            large[response].to_pylist(),
        )
        found += [
            Worst(run, cpu, time, rule.wall(time), value)
            for cpu, time, value in zip(cpus, times, values, strict=True)
        ]
        found = sorted(found, key=lambda worst: -worst.value)[:k]
    return found


def _numbers(batch: pa.RecordBatch) -> dict[str, IntArray]:
    known = [name for name in ("source", PERIOD, DUE) if name in batch.schema.names]
    return {name: batch.column(name).to_numpy() for name in known}


def samples_table(
    folder: Folder,
    runs: pa.Table,
    factors: Mapping[str, Sequence[str]],
    responses: Sequence[RecordedResponse],
) -> Table:
    """The measured samples of some rows of the table of runs that kept them."""
    rows = runs.to_pylist()
    schema = pa.schema(
        [
            pa.field("run", pa.int32()),
            *(pa.field(name, _LEVEL) for name in factors),
            pa.field("cpu", pa.int32()),
            pa.field("source", pa.int32()),
            pa.field("period", pa.int64()),
            pa.field("due", pa.int64(), metadata={"unit": "ns"}),
            *(
                pa.field(response.name, pa.int64(), metadata={"unit": response.unit})
                for response in responses
            ),
        ]
    )

    def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        wanted = pa.schema([schema.field(name) for name in names])
        return chain.from_iterable(_run_batches(folder, row, wanted, factors) for row in rows)

    return Table(schema, read, sum(row["samples"] for row in rows))


def _run_batches(
    folder: Folder, row: Mapping[str, object], wanted: pa.Schema, factors: Mapping[str, Sequence[str]]
) -> Iterator[pa.RecordBatch]:
    run = row["run"]
    assert isinstance(run, int)
    path = folder.samples(run)
    verify(path, files_of(row, str(folder.runs)).get("samples"))
    rule = Rule.of(str(row["facts"]), f"{folder.runs}: run {run}") if DUE in wanted.names else None
    names = {*wanted.names, "warmup"}.difference(factors) | ({"source", PERIOD, DUE} if rule else set())
    for batch in read_batches(path, sorted(names), _BATCH):
        measured = batch.filter(pc.invert(batch.column("warmup")))
        columns = [_column(measured, field, row, rule, factors) for field in wanted]
        yield pa.RecordBatch.from_arrays(columns, schema=wanted)


def _column(
    batch: pa.RecordBatch,
    field: pa.Field,
    row: Mapping[str, object],
    rule: Rule | None,
    factors: Mapping[str, Sequence[str]],
) -> pa.Array:
    if field.name in factors:
        level = np.full(batch.num_rows, factors[field.name].index(str(row[field.name])), np.int32)
        return pa.DictionaryArray.from_arrays(level, list(factors[field.name]))
    if field.name == DUE and rule is not None:
        return rule.due(_numbers(batch))
    if field.name not in batch.schema.names:
        return pa.nulls(batch.num_rows, field.type)
    return batch.column(field.name).cast(field.type)
