# SPDX-License-Identifier: Apache-2.0
"""Parquet files of samples and counts: how each column is encoded, and what is checked on reading."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.counts import Counts
from jitterlab.recording.folder import checksum

_DAMAGED = "the file was damaged after it was written: take it from a copy, or measure that run again"
_DICTIONARY_BYTES = 64 * 2**20
_WORTH = 1.1
UNKNOWN_CPU = -1
_TYPES = {"run": pa.int32(), "source": pa.int32(), "cpu": pa.int32(), "warmup": pa.bool_()}
COUNTS_SCHEMA = pa.schema(
    [
        pa.field("cpu", pa.int32()),
        pa.field("response", pa.dictionary(pa.int32(), pa.string())),
        pa.field("value", pa.int64(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)


class ColumnFile:
    """A Parquet file of samples that is written row group by row group; without rows there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, columns: Mapping[str, NDArray[Any]], units: Mapping[str, str]) -> None:
        """Write one row group; -1 in the column `cpu` becomes null."""
        arrays = [
            pa.array(column, mask=column == UNKNOWN_CPU if name == "cpu" else None)
            for name, column in columns.items()
        ]
        fields = [
            pa.field(name, array.type, metadata={"unit": units[name]} if name in units else None)
            for name, array in zip(columns, arrays, strict=True)
        ]
        table = pa.table(arrays, schema=pa.schema(fields))
        if self._writer is None:
            self._writer = _writer(self._path, table.schema, _better_as_differences(table))
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))


def _better_as_differences(table: pa.Table) -> list[str]:
    """The columns of many values that a dictionary would not make much smaller, tried on this table.

    A coarse clock gives few distinct latencies, and a dictionary takes as little as a third; a fine one gives
    so many that differences are smaller, and twice as fast to write.
    """
    wide = [field.name for field in table.schema if field.type == pa.int64()]
    return [name for name in wide if _size(table, name, [name]) <= _WORTH * _size(table, name, [])]


def _size(table: pa.Table, name: str, differences: Sequence[str]) -> int:
    column = table.select([name])
    sink = pa.BufferOutputStream()
    with _writer(sink, column.schema, differences) as writer:
        writer.write_table(column)
    return int(sink.getvalue().size)


def _writer(sink: Path | pa.NativeFile, schema: pa.Schema, differences: Sequence[str]) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        sink,
        schema,
        use_dictionary=[name for name in schema.names if name not in differences],
        column_encoding=dict.fromkeys(differences, "DELTA_BINARY_PACKED"),
        compression="zstd",
        compression_level=1,
        dictionary_pagesize_limit=_DICTIONARY_BYTES,
        write_page_checksum=True,
    )


def write_counts(
    path: Path, counts: Mapping[tuple[str, int | None], Counts], units: Mapping[str, str]
) -> None:
    """Write the value counts of a run, by response and CPU."""
    names = list(units)
    codes = {(name, UNKNOWN_CPU if cpu is None else cpu): part for (name, cpu), part in counts.items()}
    ordered = sorted(
        ((names.index(name), cpu, part) for (name, cpu), part in codes.items()), key=lambda item: item[:2]
    )
    lengths = [len(part.values) for _, _, part in ordered]
    cpus = np.repeat(np.array([cpu for _, cpu, _ in ordered], np.int32), lengths)
    responses = np.repeat(np.array([name for name, _, _ in ordered], np.int32), lengths)
    columns = [
        pa.array(cpus, mask=cpus == UNKNOWN_CPU),
        pa.DictionaryArray.from_arrays(responses, pa.array(names, pa.string())),
        np.concatenate([part.values for _, _, part in ordered] or [np.empty(0, np.int64)]),
        np.concatenate([part.counts for _, _, part in ordered] or [np.empty(0, np.int64)]),
    ]
    table = pa.table(columns, schema=COUNTS_SCHEMA)
    units_of = {"units": ",".join(f"{name}={unit}" for name, unit in units.items())}
    table = table.replace_schema_metadata(units_of)
    with _writer(path, table.schema, _better_as_differences(table)) as writer:
        writer.write_table(table)


def read_whole(path: Path) -> pa.Table:
    """All of a small file: not through the dataset reader, which hangs on some damaged files when it filters.

    Raises:
        pa.ArrowException: It is damaged.
        OSError: It is missing or damaged.
    """
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        return file.read(use_threads=False)


def read_counts(path: Path, response: str) -> list[tuple[int | None, Counts]]:
    """The counts of a response by CPU, from the file that `write_counts` wrote.

    Raises:
        InputError: The file is missing or damaged.
    """
    try:
        table = read_whole(path).select(COUNTS_SCHEMA.names)
        columns = table.filter(pc.field("response") == response).cast(COUNTS_SCHEMA)
        cpus = columns["cpu"].fill_null(UNKNOWN_CPU).to_numpy()
        values, counts = columns["value"].to_numpy(), columns["count"].to_numpy()
        starts = np.flatnonzero(np.diff(cpus, prepend=UNKNOWN_CPU - 1))
        parts = zip(starts, np.split(values, starts[1:]), np.split(counts, starts[1:]), strict=False)
        return [
            (None if cpus[start] == UNKNOWN_CPU else int(cpus[start]), Counts(part, seen))
            for start, part, seen in parts
        ]
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise damaged(path, error) from error


def read_batches(
    path: Path, columns: Sequence[str], rows: int, at_least: tuple[str, int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Some columns of a file of samples in batches; `period` or `due` is left out where it is not there.

    Args:
        path: The file.
        columns: Which columns.
        rows: The most rows of a batch.
        at_least: A column and a value: row groups in which the column is smaller everywhere are not read.

    Raises:
        InputError: The file is missing or damaged.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            known = [name for name in columns if name in file.schema_arrow.names]
            _require(columns, known)
            _check_types(file.schema_arrow)
            groups = [
                group
                for group in range(file.num_row_groups)
                if _reaches(file.metadata.row_group(group), at_least)
            ]
            yield from file.iter_batches(rows, row_groups=groups, columns=known)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(path, error) from error


def _require(wanted: Iterable[str], known: Iterable[str]) -> None:
    """Samples lack a period or the time they were due, never both, and nothing else."""
    absent = set(wanted) - set(known)
    if absent - {"period", "due"} or absent == {"period", "due"}:
        raise ValueError(f"it lacks the columns {', '.join(sorted(absent))}")


def _check_types(schema: pa.Schema) -> None:
    for field in schema:
        if field.type != _TYPES.get(field.name, pa.int64()):
            raise ValueError(f"its column '{field.name}' is of type {field.type}")


def _reaches(group: pq.RowGroupMetaData, at_least: tuple[str, int] | None) -> bool:
    """Whether a row group may hold a value that large, as far as its statistics tell."""
    columns = [group.column(index) for index in range(group.num_columns)] if at_least else []
    for column in columns:
        if at_least and column.path_in_schema == at_least[0] and column.is_stats_set:
            return not column.statistics.has_min_max or bool(column.statistics.max >= at_least[1])
    return True


def verify(path: Path, expected: int | None) -> None:
    """Compare a file with the checksum that was taken when it was written.

    Raises:
        InputError: It is missing or damaged.
    """
    try:
        if checksum(path) != expected:
            raise InputError(f"{path} cannot be read: its checksum is wrong", _DAMAGED)
    except OSError as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> InputError:
    """What to say about a file of a recording that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path} is missing", _DAMAGED)
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{path} cannot be read: {reason}", _DAMAGED)
