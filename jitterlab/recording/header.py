# SPDX-License-Identifier: Apache-2.0
"""The two JSON frames of a stream: what its HEAD and its TAIL may say. See docs/stream-format.md."""

import json
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from jitterlab.errors import InputError

PERIOD, DUE, CPU, FLAGS, COUNT = "period", "due", "cpu", "flags", "count"
SAMPLES_TABLE, COUNTS_TABLE, WORST_TABLE = "samples", "counts", "worst"
_BOOKKEEPING = {
    SAMPLES_TABLE: frozenset({PERIOD, DUE, CPU, FLAGS}),
    WORST_TABLE: frozenset({PERIOD, DUE, CPU, FLAGS}),
    COUNTS_TABLE: frozenset({COUNT, CPU}),
}
_TYPES = {
    kind + bits: f"<{kind}{int(bits) // 8}"
    for kind, widths in {"u": "8 16 32 64", "i": "8 16 32 64", "f": "32 64"}.items()
    for bits in widths.split()
}
_MOST_NS = 2**61

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Nanoseconds = Annotated[int, Field(ge=-_MOST_NS, le=_MOST_NS)]
Total = Annotated[int, Field(ge=0, le=_MOST_NS)] | None


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="allow", allow_inf_nan=False)


class Column(_Part):
    """A column of a table: its name, its type, and the unit of its values."""

    name: Name
    type: Literal["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"]
    unit: Literal["tick", "ns", "byte", "1"]


class TableHead(_Part):
    """A table: its name and its columns, in the order of their bytes."""

    name: Name
    columns: Annotated[list[Column], Field(min_length=1, max_length=256)]

    @model_validator(mode="after")
    def _consistent(self) -> "TableHead":
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise ValueError(f"table '{self.name}' has two columns of one name")
        for column in self.columns:
            if column.name in self.bookkeeping and column.type.startswith("f"):
                raise ValueError(f"column '{column.name}' of table '{self.name}' must hold integers")
        if self.name == COUNTS_TABLE and (COUNT not in names or len(self.responses) != 1):
            raise ValueError(f"table '{COUNTS_TABLE}' must have one response and a column '{COUNT}'")
        if self.name in {SAMPLES_TABLE, WORST_TABLE} and not self.responses:
            raise ValueError(f"table '{self.name}' must have at least one response")
        if self.name in {SAMPLES_TABLE, WORST_TABLE} and {PERIOD, DUE}.isdisjoint(names):
            raise ValueError(f"table '{self.name}' must have a column '{PERIOD}' or '{DUE}'")
        return self

    @property
    def bookkeeping(self) -> frozenset[str]:
        """The names with a meaning of their own in this table."""
        return _BOOKKEEPING.get(self.name, frozenset())

    @property
    def responses(self) -> list[Column]:
        """The columns that are measured quantities."""
        return [column for column in self.columns if column.name not in self.bookkeeping]

    @property
    def dtype(self) -> np.dtype[Any]:
        """One row, as its bytes stand in the stream."""
        return np.dtype([(column.name, _TYPES[column.type]) for column in self.columns])


class Clock(_Part):
    """The clock of the columns in ticks; frequencies that cannot be converted in 64 bits are refused."""

    name: str
    tick_hz: Annotated[int, Field(ge=1, le=9_000_000_000)]
    resolution_ns: float | None = None
    overhead_ns: float | None = None


class Source(_Part):
    """Something that writes rows, usually a thread on a CPU; all times are CLOCK_MONOTONIC."""

    name: str
    start_ns: Nanoseconds
    interval_ns: Annotated[int, Field(ge=1, le=_MOST_NS)] | None = None
    effective: dict[str, Any] = {}

    @property
    def cpu(self) -> int | None:
        """The only CPU it may run on, as read back; None if there are several or none is known."""
        match self.effective.get("cpus"):
            case [int(cpu)] if 0 <= cpu < 2**16:
                return cpu
        return None


class Head(_Part):
    """The first frame: what the rows mean."""

    format: Literal["jitterlab-stream"]
    version: Literal[1]
    producer: str = ""
    workload: str = ""
    clock: Clock
    realtime_offset_ns: Nanoseconds
    tables: Annotated[list[TableHead], Field(min_length=1, max_length=256)]
    sources: Annotated[list[Source], Field(min_length=1, max_length=65_536)]

    @model_validator(mode="after")
    def _consistent(self) -> "Head":
        names = [table.name for table in self.tables]
        if len(set(names)) < len(names):
            raise ValueError("there are two tables of one name")
        return self


class SourceTail(_Part):
    """What one source counted in the measured part."""

    name: str
    samples: Total = None
    warmup: Total = None
    missed: Total = None
    lost: Total = None


class Tail(_Part):
    """The last frame: how the run ended, and what was counted."""

    end: Literal["complete", "interrupted", "break", "error"]
    error: str | None = None
    sources: list[SourceTail]


_Frame = TypeVar("_Frame", Head, Tail)


def parse(model: type[_Frame], payload: bytes, where: str) -> tuple[_Frame, dict[str, Any]]:
    """A HEAD or TAIL, checked, and all that it says.

    Raises:
        InputError: It is no JSON object of that kind; the message begins with `where` and names the key.
    """
    try:
        content = json.loads(payload, parse_constant=_refuse)
        return model.model_validate(content), content
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"]) or "the object"
        raise InputError(f"{where}: {key}: {first['msg']}", "see docs/stream-format.md") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}", "see docs/stream-format.md") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
