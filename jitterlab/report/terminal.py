# SPDX-License-Identifier: Apache-2.0
"""The answer in the terminal: the cells as a table, what decides in sentences, and what limits it."""

import io
from typing import Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from jitterlab.analysis.cautions import Caution
from jitterlab.analysis.checks import CONTROL, Check
from jitterlab.analysis.findings import Findings
from jitterlab.report.scale import printable
from jitterlab.report.tables import Table
from jitterlab.report.tabulated import cells_table

TEXT_COLUMNS = 100
READABLE_COLUMNS = 100
WIDEST_COLUMNS = 10_000


def show(found: Findings, console: Console) -> None:
    """Print what was found: the cells, the answers, and what to mind."""
    console.print(Text(printable(found.title), style="bold"))
    console.print()
    _print_table(console, cells_table(found))
    for answer in found.answers:
        _print_list(console, Text(answer.question, style="bold"), [Text(said) for said in answer.sentences])
    notes = [Text(f"{check.name}: {check.sentence}") for check in found.checks if _shown(check)]
    _print_list(console, Text("Checks", style="bold"), notes)
    limits = [_caution(caution) for caution in found.cautions]
    _print_list(console, Text("What limits these numbers", style="bold yellow"), limits)


def _shown(check: Check) -> bool:
    """Only what is about the study as a whole and needs attention; a control is always told."""
    return check.of_study and (check.verdict == "mind" or check.name == CONTROL)


def _caution(caution: Caution) -> Text:
    text = Text(caution.sentence)
    return text.append(f" Remedy: {caution.remedy}.", style="dim") if caution.remedy else text


def _print_list(console: Console, heading: Text, items: list[Text]) -> None:
    if not items:
        return
    width = min(console.width, READABLE_COLUMNS)
    for text, indent in ((heading, 0), *((item, 2) for item in items)):
        text.plain = printable(text.plain)
        console.print(Padding(text, (0, 0, 0, indent), expand=False), width=width)
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
