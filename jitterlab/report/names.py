# SPDX-License-Identifier: Apache-2.0
"""What cells are called: by their levels, and the repetition that serves as control by that as well."""

from collections.abc import Iterable, Mapping

from jitterlab.analysis.cells import Cell
from jitterlab.report.scale import printable

CONTROL = "(control)"


def level_names(levels: Mapping[str, str], join: str = " · ") -> str:
    """The levels in their order, or `all` where nothing was varied."""
    return join.join(printable(level) for level in levels.values()) or "all"


def controls(cells: Iterable[Cell]) -> set[int]:
    """The numbers of the cells that repeat the levels of one before them."""
    seen: set[tuple[str, ...]] = set()
    repeated = set()
    for cell in cells:
        levels = tuple(cell.levels.values())
        if levels in seen:
            repeated.add(number_of(cell))
        seen.add(levels)
    return repeated


def cell_names(cells: Iterable[Cell], join: str = " · ") -> dict[int, str]:
    """What every cell is called, by its number."""
    known = tuple(cells)
    repeated = controls(known)
    return {
        number_of(cell): level_names(cell.levels, join)
        + (f" {CONTROL}" if number_of(cell) in repeated else "")
        for cell in known
    }


def number_of(cell: Cell) -> int:
    """The number of a cell in the plan."""
    return cell.runs[0].cell
