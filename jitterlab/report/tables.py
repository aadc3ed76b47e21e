# SPDX-License-Identifier: Apache-2.0
"""A table as data: columns with units, rows of values; the terminal and the page print the same texts."""

import math
from dataclasses import dataclass

from jitterlab.report.scale import ABSENT, printable, significant

Value = str | int | float | None

LONG = 80
"""A text of more characters is prose."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: What it shows.
        unit: Its unit; empty for texts and numbers without one.
        decimals: Digits behind the point; None for significant digits (`digits`).
        digits: Significant digits where `decimals` is None.
        right: Whether texts in it line up at the right, as numbers do.
    """

    title: str
    unit: str = ""
    decimals: int | None = None
    digits: int = 4
    right: bool = False

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def text(self, value: Value) -> str:
        """What is printed for a value; a dash for a value that is absent."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ABSENT
        if isinstance(value, str):
            return printable(value)
        if isinstance(value, int):
            return f"{value:,}"
        if self.decimals is not None:
            return f"{value:,.{self.decimals}f}"
        return significant(value, self.digits)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of values; `caption` says what they are and why some are absent."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""

    def texts(self) -> list[list[str]]:
        """What is printed in each row."""
        return [
            [column.text(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows
        ]

    @property
    def prose(self) -> bool:
        """Whether it holds whole sentences, which a narrow page sets below each other."""
        return any(isinstance(value, str) and len(value) > LONG for row in self.rows for value in row)

    def numeric(self, index: int) -> bool:
        """Whether a column holds numbers and lines up at the right."""
        return self.columns[index].right or not any(isinstance(row[index], str) for row in self.rows)
