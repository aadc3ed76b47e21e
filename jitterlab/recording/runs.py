# SPDX-License-Identifier: Apache-2.0
"""The runs of a recording: what the session says about each, and what the counts of each are."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from jitterlab.design import PlannedRun
from jitterlab.errors import InputError
from jitterlab.recording.columns import damaged, read_whole
from jitterlab.recording.counts import Counts
from jitterlab.recording.folder import Folder
from jitterlab.recording.manifest import Manifest
from jitterlab.recording.samples import Converted

_INCONSISTENT = "one of the files was damaged after it was written: take both from a copy of the recording"

Status = Literal["ok", "failed", "interrupted"]


class MeterReading(Protocol):
    """What a meter said about a run."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def unit(self) -> str:
        """Its unit."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """What a session knows about a run that has ended; samples and facts come from its stream.

    Attributes:
        run: Its number in the plan; block, cell and levels are looked up there.
        status: `ok`, `failed` (after all attempts) or `interrupted` (what was measured until then is valid).
        started_ns: When the last attempt began: ns since 1970, UTC; None if unknown.
        duration_s: How long the last attempt took, in seconds; None if unknown.
        attempts: How often it was tried.
        error: Why it failed; None if it did not.
        readings: What meters said, as {"<meter>.<reading>": reading}.
        log: What its programs wrote, kept in `logs/`; empty for none.
    """

    run: int
    status: Status
    started_ns: int | None
    duration_s: float | None
    attempts: int = 1
    error: str | None = None
    readings: Mapping[str, MeterReading] = field(default_factory=dict)
    log: str = ""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The exact value counts of one response in one run on one CPU.

    Attributes:
        run: The number of the run.
        block: The replicate it belongs to.
        cell: The number of its combination of levels.
        levels: The level of every factor.
        cpu: The CPU; None if the samples do not tell.
        counts: The counts of the measured part.
    """

    run: int
    block: int
    cell: int
    levels: Mapping[str, str]
    cpu: int | None
    counts: Counts


def schema(factors: Sequence[str]) -> pa.Schema:
    """The columns that every table of runs has; those of meters are added as they come."""
    return pa.schema(
        [
            pa.field("run", pa.int32(), nullable=False),
            pa.field("block", pa.int32(), nullable=False),
            pa.field("cell", pa.int32(), nullable=False),
            *(pa.field(name, pa.string(), nullable=False) for name in factors),
            pa.field("status", pa.string(), nullable=False),
            pa.field("attempts", pa.int32(), nullable=False),
            pa.field("started", pa.timestamp("ns", tz="UTC")),
            pa.field("duration_s", pa.float64(), metadata={"unit": "s"}),
            pa.field("samples", pa.int64()),
            pa.field("warmup", pa.int64()),
            pa.field("missed", pa.int64()),
            pa.field("lost", pa.int64()),
            pa.field("raw", pa.bool_(), nullable=False),
            pa.field("error", pa.string()),
            pa.field("facts", pa.string()),
            pa.field("files", pa.string()),
        ]
    )


def with_run(runs: pa.Table, planned: PlannedRun, row: RunRow, found: Converted | None) -> pa.Table:
    """The table of runs with one more, in the order of the plan."""
    values: dict[str, object] = {
        "run": planned.run,
        "block": planned.block,
        "cell": planned.cell,
        **planned.levels,
        "status": row.status,
        "attempts": row.attempts,
        "started": row.started_ns,
        "duration_s": row.duration_s,
        "samples": found.samples if found else None,
        "warmup": found.warmup if found else None,
        "missed": found.missed if found else None,
        "lost": found.lost if found else None,
        "raw": found.raw if found else False,
        "error": row.error or (found.error if found else None),
        "facts": json.dumps(found.facts) if found else None,
        "files": json.dumps(found.files) if found else None,
        **{name: reading.value for name, reading in row.readings.items()},
    }
    units = {name: reading.unit for name, reading in row.readings.items()}
    base = schema(list(planned.levels))
    meters = [pa.field(name, pa.float64(), metadata={"unit": unit}) for name, unit in units.items()]
    fields = [*base, *meters]
    one = pa.table([pa.array([values[field.name]], field.type) for field in fields], schema=pa.schema(fields))
    return pa.concat_tables([runs, one], promote_options="default").sort_by("run")


def files_of(row: Mapping[str, object], where: str) -> dict[str, int]:
    """The checksum of every file of a run by kind, from its row.

    Raises:
        InputError: The row is damaged.
    """
    try:
        return {str(kind): int(value) for kind, value in json.loads(str(row["files"])).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{where}: run {row['run']} has damaged checksums", "take it from a copy") from error


def read(path: Path, factors: Sequence[str]) -> pa.Table:
    """The table of runs in a file.

    Raises:
        InputError: It is missing or damaged, or lacks a column.
    """
    try:
        table = read_whole(path)
        lacking = [name for name in schema(factors).names if name not in table.column_names]
        if lacking:
            raise InputError(
                f"{path} is of an earlier form of recordings: it has no column {', '.join(lacking)}",
                "measure again, or read it with the jitterlab that wrote it",
            )
        meters = [field for field in table.schema if field.name not in schema(factors).names]
        wanted = pa.schema([*schema(factors), *meters])
        return table.select(wanted.names).cast(wanted)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise damaged(path, error) from error


def check_plan(table: pa.Table, folder: Folder, manifest: Manifest) -> None:
    """Every run must be as it was planned, and every level one of its factor.

    Raises:
        InputError: They are not.
    """
    factors = {factor.name: factor.levels for factor in manifest.factors}
    planned = {}
    for run in manifest.plan:
        if any(run.levels.get(name) not in levels for name, levels in factors.items()):
            raise InputError(
                f"{folder.manifest}: run {run.run} has a level that no factor has", _INCONSISTENT
            )
        planned[run.run] = {"run": run.run, "block": run.block, "cell": run.cell, **run.levels}
    for row in table.select(["run", "block", "cell", *factors]).to_pylist():
        if planned.get(row["run"]) != row:
            raise InputError(
                f"{folder.runs}: run {row['run']} is not as {folder.manifest.name} plans it", _INCONSISTENT
            )


def encode(runs: pa.Table) -> bytes:
    """The table of runs as a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(runs, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())
