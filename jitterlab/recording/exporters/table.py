# SPDX-License-Identifier: Apache-2.0
"""Tables of a recording as CSV and Parquet: runs, cells, samples or counts."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from jitterlab.errors import InputError
from jitterlab.recording.exporters.selection import Selection
from jitterlab.recording.table import Table

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}


def write_csv(selection: Selection, name: str, file: IO[bytes]) -> None:
    """Write a table as CSV with a header, batch by batch.

    Raises:
        InputError: There is no such table, or a file of the recording is damaged.
    """
    table = _table(selection, name)
    schema = pa.schema([(field.name, _plain(field.type)) for field in table.schema])
    with csv.CSVWriter(file, schema) as writer:
        for batch in table.batches():
            writer.write_batch(batch.cast(schema))


def write_parquet(selection: Selection, name: str, file: IO[bytes]) -> None:
    """Write a table as Parquet, batch by batch; units stand in the metadata of the columns.

    Raises:
        InputError: There is no such table, or a file of the recording is damaged.
    """
    table = _table(selection, name)
    with pq.ParquetWriter(file, table.schema, compression="zstd") as writer:
        for batch in table.batches():
            writer.write_batch(batch)


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _table(selection: Selection, name: str) -> Table:
    if name not in TABLES:
        raise InputError(f"there is no table '{name}'", f"choose one of: {', '.join(TABLES)}")
    return TABLES[name](selection)


def _runs(selection: Selection) -> Table:
    """All runs, also those that failed, without the facts of their streams and checksums."""
    runs = selection.recording.runs
    return runs.select([column for column in runs.column_names if column not in {"facts", "files"}])


def _samples(selection: Selection) -> Table:
    rows = selection.recording.runs.to_arrow().select(["run", "raw"]).to_pylist()
    raw = {row["run"] for row in rows if row["raw"]}
    tables = [selection.recording.samples_of(run) for run in selection.runs if run in raw]
    if not tables:
        raise InputError(
            f"{selection.recording.path}: the runs kept only counts, not the order of their samples",
            "export the table counts",
        )

    def read(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return chain.from_iterable(table.select(names).batches() for table in tables)

    return Table(tables[0].schema, read, sum(map(len, tables)))


def _counts(selection: Selection) -> Table:
    factors = list(selection.recording.factors)
    unit = {"unit": selection.response.unit}
    schema = pa.schema(
        [
            pa.field("run", pa.int32()),
            *(pa.field(name, pa.string()) for name in factors),
            pa.field("cpu", pa.int32()),
            pa.field(selection.response.name, pa.int64(), metadata=unit),
            pa.field("count", pa.int64()),
        ]
    )
    batches = []
    for entry in selection.counts():
        rows = len(entry.counts.values)
        columns = [
            pa.repeat(pa.scalar(entry.run, pa.int32()), rows),
            *(pa.repeat(entry.levels[name], rows) for name in factors),
            pa.repeat(pa.scalar(entry.cpu, pa.int32()), rows),
            pa.array(entry.counts.values),
            pa.array(entry.counts.counts),
        ]
        batches.append(pa.RecordBatch.from_arrays(columns, schema=schema))
    return Table.of(pa.Table.from_batches(batches, schema))


def _cells(selection: Selection) -> Table:
    """One row per cell: what `jitterlab anova` takes, and the quantiles that the samples support."""
    cells = selection.cells()
    unit = {"unit": selection.response.unit}
    columns: dict[str, pa.Array] = {
        name: pa.array([cell.levels[name] for cell in cells]) for name in selection.recording.factors
    }
    columns["n"] = pa.array([cell.counts.n for cell in cells], pa.int64())
    columns["mean"] = pa.array([cell.counts.mean for cell in cells], from_pandas=True)
    columns["sd"] = pa.array([cell.counts.sd for cell in cells], from_pandas=True)
    columns["min"] = pa.array([cell.counts.min for cell in cells], pa.int64())
    for name, p in _QUANTILES.items():
        columns[name] = pa.array([cell.counts.supported_quantile(p) for cell in cells], pa.int64())
    columns["max"] = pa.array([cell.counts.max for cell in cells], pa.int64())
    columns["runs"] = pa.array([cell.runs for cell in cells], pa.int64())
    # A control has the levels of the cell that it repeats, and a number of its own.
    columns["cell"] = pa.array([cell.cell for cell in cells], pa.int64())
    measured = {"mean", "sd", "min", "max", *_QUANTILES}
    fields = [
        pa.field(name, column.type, metadata=unit if name in measured else None)
        for name, column in columns.items()
    ]
    return Table.of(pa.table(list(columns.values()), schema=pa.schema(fields)))


TABLES: dict[str, Callable[[Selection], Table]] = {
    "cells": _cells,
    "runs": _runs,
    "samples": _samples,
    "counts": _counts,
}
