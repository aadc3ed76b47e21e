# SPDX-License-Identifier: Apache-2.0
"""Plain CSV with a header: a column of samples, columns of factors, and perhaps `cpu`, `run` and `count`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from jitterlab.errors import InputError
from jitterlab.recording.counts import Counts, FloatArray, IntArray
from jitterlab.recording.importers.imported import NS_PER_UNIT, ImportedRun, ImportedSource, Series
from jitterlab.recording.importers.reading import counted, read_text, wrong
from jitterlab.recording.manifest import RecordedResponse

NAME = "csv"
SUMMARY = "CSV with a header (--response, --unit, --by say what its columns are)"

UNITS = (*NS_PER_UNIT, "byte", "1")
_DELIMITERS = (",", ";", "\t")
_INTEGERS = {pa.int64().id}
_FLOATS = {pa.float64().id}
_MOST_RUNS = 10_000


def recognises(beginning: bytes, path: Path) -> bool:
    """Whether a file is CSV, as its name tells."""
    return path.suffix.lower() in {".csv", ".tsv"} and b"\0" not in beginning


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a file are.

    Attributes:
        response: The column of samples; a unit at its end (`latency_us`) is left off in the recording.
        unit: Their unit: a time, `byte` or `1`; times become ns. By default what the name ends in, or ns.
        by: The columns that are factors.
    """

    response: str = "latency"
    unit: str | None = None
    by: tuple[str, ...] = ()


_DEFAULT = Columns()


def read(path: Path, columns: Columns = _DEFAULT) -> list[ImportedRun]:
    """One run per combination of the values of the columns `by` and `run`.

    Raises:
        InputError: A column is missing, or holds something else than numbers.
    """
    table = _table(path)
    response = columns.response
    stem, _, suffix = response.rpartition("_")
    unit = columns.unit or (suffix if suffix in NS_PER_UNIT else "ns")
    keys = [*columns.by, *(["run"] if "run" in table.column_names else [])]
    for name in (response, *keys):
        if name not in table.column_names:
            raise wrong(
                path, f"has no column '{name}'", f"its columns are {', '.join(table.column_names)[:500]}"
            )
    if unit not in UNITS:
        raise InputError(f"'{unit}' is no unit", f"choose one of: {', '.join(UNITS)}")
    described = RecordedResponse(
        _name(stem if stem and suffix == unit else response),
        "ns" if unit in NS_PER_UNIT else unit,
        f"column {response} of a CSV file",
    )
    try:
        texts = [pc.fill_null(table[name].cast(pa.string()), "") for name in keys]
        values = _numbers(path, table, response, NS_PER_UNIT.get(unit, 1))
    except pa.ArrowException as error:
        raise wrong(path, f"a column cannot be read: {error}") from error
    groups = _groups(texts, table.num_rows)
    if len(groups) > _MOST_RUNS:
        raise wrong(path, f"makes {len(groups)} runs", "name fewer columns with --by")
    return [
        ImportedRun(
            tool=NAME,
            sources=tuple(_sources(path, table, values, rows)),
            response=described,
            resolution_ns=None,
            levels={name: level for name, level in zip(keys, levels, strict=True) if name != "run"},
        )
        for levels, rows in groups.items()
    ]


def _name(column: str) -> str:
    """The name of a column as the name of a response."""
    plain = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")[:60]
    return plain if plain[:1].isalpha() else f"column_{plain}"


def _table(path: Path) -> pa.Table:
    text = read_text(path)
    first = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        table = csv.read_csv(
            pa.BufferReader(text.encode()), parse_options=csv.ParseOptions(delimiter=delimiter)
        )
    except pa.ArrowException as error:
        raise wrong(path, f"is no CSV: {str(error).splitlines()[0]}") from error
    if not table.num_rows:
        raise wrong(path, "has no rows")
    if len(set(table.column_names)) < table.num_columns:
        raise wrong(path, "has two columns of one name")
    return table


def _numbers(path: Path, table: pa.Table, name: str, factor: int) -> IntArray:
    """A column as whole numbers after multiplication, rounded to the nearest."""
    column = table[name]
    if column.type.id not in _INTEGERS | _FLOATS or column.null_count:
        raise wrong(path, f"column '{name}' holds something else than numbers")
    scaled: FloatArray = np.rint(column.to_numpy().astype(np.float64) * factor)
    if not bool(np.all(np.abs(scaled) < 2.0**62)):
        raise wrong(path, f"column '{name}' holds a number that cannot be")
    if column.type.id in _FLOATS:
        return scaled.astype(np.int64)
    exact: IntArray = column.to_numpy() * factor
    return exact


def _groups(keys: Sequence[pa.ChunkedArray], rows: int) -> dict[tuple[str, ...], IntArray]:
    """The rows of every combination of keys, in the order in which the combinations come first."""
    codes = np.zeros(rows, np.int64)
    for key in keys:
        encoded = key.combine_chunks().dictionary_encode()
        codes = codes * len(encoded.dictionary) + encoded.indices.to_numpy()
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    groups = sorted(np.split(order, starts[1:]), key=lambda group: int(group[0]))
    return {tuple(key[int(group[0])].as_py() for key in keys): group for group in groups}


def _sources(path: Path, table: pa.Table, values: IntArray, rows: IntArray) -> list[ImportedSource]:
    cpus = _numbers(path, table, "cpu", 1)[rows] if "cpu" in table.column_names else None
    if cpus is not None and not 0 <= int(cpus.min()) <= int(cpus.max()) < 2**16:
        raise wrong(path, "column 'cpu' holds something else than CPUs")
    if cpus is None:
        return [ImportedSource("rows", _data(path, table, values, rows))]
    return [
        ImportedSource(f"cpu{cpu}", _data(path, table, values, rows[cpus == cpu]), int(cpu))
        for cpu in np.unique(cpus)
    ]


def _data(path: Path, table: pa.Table, values: IntArray, rows: IntArray) -> Series | Counts:
    if "count" not in table.column_names:
        return Series(values[rows], periods=np.arange(len(rows), dtype=np.int64))
    counts = _numbers(path, table, "count", 1)[rows]
    return counted(path, zip(values[rows].tolist(), counts.tolist(), strict=True), 1)
