# SPDX-License-Identifier: Apache-2.0
"""A lazy table: rows are read from files when they are asked for, batch by batch."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Batches = Iterator[pa.RecordBatch]


class Table:
    """Rows of named columns that come in batches; nothing is read before it is asked for.

    Any program that takes Arrow data takes a table (the Arrow PyCapsule interface).

    Args:
        schema: Names and types of the columns.
        read: Reads the batches of some columns, in the order of the rows.
        rows: How many rows there are.
    """

    def __init__(self, schema: pa.Schema, read: Callable[[Sequence[str]], Batches], rows: int) -> None:
        self._schema = schema
        self._read = read
        self._rows = rows

    @classmethod
    def of(cls, table: pa.Table) -> "Table":
        """A table that is already in memory."""
        return cls(table.schema, lambda names: iter(table.select(names).to_batches()), table.num_rows)

    def __len__(self) -> int:
        return self._rows

    def __repr__(self) -> str:
        return f"Table({self._rows} rows: {', '.join(self.column_names)})"

    @property
    def schema(self) -> pa.Schema:
        """Names, types and metadata (units) of the columns."""
        return self._schema

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._schema.names)

    def select(self, names: Sequence[str]) -> "Table":
        """The same rows with some of the columns only; the others are never read.

        Raises:
            KeyError: There is no column of that name.
        """
        for name in names:
            if name not in self._schema.names:
                raise KeyError(f"there is no column '{name}'; there are {', '.join(self.column_names)}")
        schema = pa.schema([self._schema.field(name) for name in names], self._schema.metadata)
        return Table(schema, self._read, self._rows)

    def batches(self) -> Batches:
        """The rows as Arrow record batches, one after the other; memory holds one at a time."""
        return self._read(self.column_names)

    def to_arrow(self) -> pa.Table:
        """All rows as an Arrow table."""
        return pa.Table.from_batches(list(self.batches()), self._schema)

    def to_pandas(self) -> "pd.DataFrame":
        """All rows as a pandas data frame."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """All rows as a Polars data frame."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One column as a numpy array; KeyError if there is none of that name."""
        column = self.select([name]).to_arrow().column(0)
        return np.asarray(column.to_numpy())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self._schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)
