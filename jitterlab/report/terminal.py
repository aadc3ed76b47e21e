# SPDX-License-Identifier: Apache-2.0
"""The answer in the terminal: the cells as a table, what decides in sentences, and what limits it."""

import io

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from jitterlab.analysis.findings import Findings
from jitterlab.report.scale import printable
from jitterlab.report.tables import Table
from jitterlab.report.tabulated import cells_table


def show(found: Findings, console: Console) -> None:
    """Print what was found."""
    console.print(Text(printable(found.title), style="bold"))
    console.print(grid(cells_table(found)))


def grid(table: Table) -> Grid:
    """A table as the terminal prints it; no text is read as markup."""
    drawn = Grid(
        title=Text(table.title), title_justify="left", caption=Text(table.caption), caption_justify="left"
    )
    for index, column in enumerate(table.columns):
        numeric = table.numeric(index)
        drawn.add_column(Text(column.heading), justify="right" if numeric else "left", no_wrap=numeric)
    for texts in table.texts():
        drawn.add_row(*(Text(text) for text in texts))
    return drawn


def as_text(found: Findings, width: int = 120) -> str:
    """What `show` prints, as text without colours."""
    written = io.StringIO()
    show(found, Console(file=written, width=width, color_system=None))
    return written.getvalue().rstrip()
