# SPDX-License-Identifier: Apache-2.0
"""The answer in the terminal: the cells as a table, what decides in sentences, and what limits it."""

import io
from typing import Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from jitterlab.analysis.findings import Findings
from jitterlab.report.scale import printable
from jitterlab.report.tables import Table
from jitterlab.report.tabulated import cells_table

TEXT_COLUMNS = 100
READABLE_COLUMNS = 100
WIDEST_COLUMNS = 10_000


def show(found: Findings, console: Console) -> None:
    """Print what was found: the cells, the answers, the warnings."""
    console.print(Text(printable(found.title), style="bold"))
    console.print()
    _print_table(console, cells_table(found))
    for answer in found.answers:
        console.print(Text(printable(answer.question), style="bold"))
        for sentence in answer.sentences:
            _paragraph(console, Text(printable(sentence)))
        console.print()
    if found.cautions:
        console.print(Text("What limits these numbers", style="bold yellow"))
        for caution in found.cautions:
            text = Text(printable(caution.sentence))
            if caution.remedy:
                text.append(f" Remedy: {printable(caution.remedy)}.", style="dim")
            _paragraph(console, text)
        console.print()


def grid(table: Table) -> Grid:
    """A table as the terminal prints it, each row on one line; no text is read as markup."""
    drawn = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for index, column in enumerate(table.columns):
        heading = f"{column.title}\n{column.unit}" if column.unit else column.title
        justify: Literal["left", "right"] = "right" if table.numeric(index) else "left"
        drawn.add_column(Text(heading), justify=justify, no_wrap=True, vertical="bottom")
    for texts in table.texts():
        drawn.add_row(*(Text(text) for text in texts))
    return drawn


def _print_table(console: Console, table: Table) -> None:
    """Print a table as wide as it is: a narrow terminal wraps its lines, but no number is cut."""
    drawn = grid(table)
    needed = console.measure(drawn, options=console.options.update(width=WIDEST_COLUMNS)).maximum
    console.print(Text(table.title, style="bold"))
    console.print(drawn, width=max(needed, console.width), crop=False, no_wrap=True, soft_wrap=True)
    console.print(Text(table.caption, style="dim"), width=min(console.width, READABLE_COLUMNS))
    console.print()


def as_text(found: Findings, width: int = TEXT_COLUMNS) -> str:
    """What `show` prints, as text without colours."""
    written = io.StringIO()
    show(found, Console(file=written, width=width, color_system=None))
    return written.getvalue().rstrip()


def _paragraph(console: Console, text: Text) -> None:
    console.print(Padding(text, (0, 0, 0, 2)), width=min(console.width, READABLE_COLUMNS))
