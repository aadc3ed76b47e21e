# SPDX-License-Identifier: Apache-2.0
"""Tables of n, mean and spread per cell, as papers and other tools print them, read from CSV."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, sqrt
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAMES = {
    "n": ("n", "count", "nobs", "num", "samples", "size_n"),
    "mean": ("mean", "average", "avg", "m"),
    "variance": ("variance", "var"),
    "sd": ("sd", "std", "stddev", "std_dev", "stdev", "standard_deviation", "sigma"),
    "se": ("se", "sem", "std_err", "stderr", "standard_error"),
}
"""What a column may be called: small letters, blanks, dots and hyphens written as `_`."""

_OPEN = ("", "nan", "na", "-")
"""What tools write for the spread of a single value."""

_MOST = 10**15
"""Values of a cell up to which sums of whole numbers stay exact."""

_LARGEST = 64 * 1024 * 1024
_REMEDY = "give the columns of the factors, then N, Mean and one of SD, Variance, SE"


@dataclass(frozen=True, slots=True)
class CellTable:
    """A table of cells.

    Attributes:
        factors: The names of the factor columns.
        groups: One row per cell: the factors as texts, `n`, `mean`, `variance`.
    """

    factors: tuple[str, ...]
    groups: "pd.DataFrame"


def read(path: str | PathLike[str], factors: tuple[str, ...] = ()) -> CellTable:
    """Read a table of cells, separated by commas, semicolons or tabs, with a heading.

    The columns left of the first statistic are factors; others (intervals, minima) are left out, unless they
    are asked for. The spread is the variance, else the standard deviation, else the standard error;
    it may be empty where n is 1.

    Args:
        path: The file.
        factors: Columns that are factors wherever they stand.

    Raises:
        InputError: The file is not such a table; the message names row and column.
    """
    import pandas as pd

    rows = _rows(Path(path))
    heading = next(rows, (0, []))[1]
    columns = _statistics(path, heading)
    factors = _factors(path, heading, columns, factors)
    cells: dict[tuple[str, ...], dict[str, object]] = {}
    for line, fields in rows:
        if len(fields) != len(heading):
            raise InputError(
                f"{path}, line {line}: {len(fields)} fields instead of {len(heading)}", "complete the row"
            )
        levels = _levels(path, line, {name: fields[heading.index(name)] for name in factors})
        key = tuple(levels.values())
        if key in cells:
            raise InputError(
                f"{path}, line {line}: the cell {', '.join(key)} is there twice",
                "remove one, or add the column that tells them apart",
            )
        numbers = _numbers(
            path, line, {name: (heading[place], fields[place]) for name, place in columns.items()}
        )
        cells[key] = {**levels, **_moments(path, line, numbers)}
    if not cells:
        raise InputError(f"{path} has no rows", _REMEDY)
    return CellTable(factors, pd.DataFrame(list(cells.values())))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with their line numbers."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(
                f"{path} is too large for a table of cells", "import samples with 'jitterlab import'"
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}", "name a CSV file or a recording"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text file (byte {error.start})", _REMEDY) from error
    if "\0" in text:
        raise InputError(f"{path} is no text file (it contains a zero byte)", _REMEDY)
    first = text.lstrip().split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}", _REMEDY) from error


def _statistics(path: str | PathLike[str], heading: list[str]) -> dict[str, int]:
    """The columns of n, the mean and one measure of spread."""
    found: dict[str, int] = {}
    for place, title in enumerate(heading):
        name = _statistic(title)
        if name in found:
            raise InputError(f"{path} has two columns for {name}: {heading[found[name]]}, {title}", _REMEDY)
        if name:
            found[name] = place
    spread = next((name for name in ("variance", "sd", "se") if name in found), None)
    for name, present in (("n", "n" in found), ("the mean", "mean" in found), ("the spread", spread)):
        if not present:
            titles = ", ".join(title[:40] for title in heading[:20])
            raise InputError(f"{path} has no column for {name}; its columns are: {titles or 'none'}", _REMEDY)
    assert spread is not None
    return {name: found[name] for name in ("n", "mean", spread)}


def _statistic(title: str) -> str:
    """Which statistic a column of that title holds; empty if none."""
    plain = re.sub(r"[\s._-]+", "_", title.casefold()).strip("_")
    return next((name for name, synonyms in NAMES.items() if plain in synonyms), "")


def _factors(
    path: str | PathLike[str], heading: list[str], columns: dict[str, int], wanted: tuple[str, ...]
) -> tuple[str, ...]:
    """The columns left of the statistics, and the wanted ones."""
    first = min(place for place, title in enumerate(heading) if _statistic(title))
    candidates = [title for title in heading if title not in {heading[place] for place in columns.values()}]
    for name in wanted:
        if name not in candidates:
            similar = [title for title in candidates if title.casefold() == name.casefold()]
            hint = f" (but '{similar[0]}': capital letters count)" if similar else ""
            raise InputError(
                f"{path} has no factor '{name}'{hint}", f"choose from: {', '.join(candidates) or 'none'}"
            )
    factors = tuple(title for title in heading if title in heading[:first] or title in wanted)
    for name in factors:
        if not name or factors.count(name) > 1:
            raise InputError(
                f"{path} has two columns named '{name}' or one without a name", "name every column once"
            )
    return factors


def _levels(path: str | PathLike[str], line: int, levels: dict[str, str]) -> dict[str, str]:
    for name, level in levels.items():
        if not level:
            raise InputError(
                f"{path}, line {line}, column '{name}' is empty", "repeat the level in every row"
            )
    return levels


def _numbers(path: str | PathLike[str], line: int, texts: dict[str, tuple[str, str]]) -> dict[str, float]:
    """The statistics of a row by name; the spread of a single value may be left open."""
    numbers: dict[str, float] = {}
    for name, (column, text) in texts.items():
        open_spread = numbers.get("n") == 1 and name != "mean" and text.casefold() in _OPEN
        numbers[name] = 0.0 if open_spread else _number(path, line, column, text)
    return numbers


def _number(path: str | PathLike[str], line: int, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(
            f"{path}, line {line}, column '{column}': '{text[:40]}' is no number",
            "write numbers like 12.5 or 1.2e4",
        )
    return value


def _moments(path: str | PathLike[str], line: int, numbers: dict[str, float]) -> dict[str, object]:
    n = numbers["n"]
    if not 1 <= n <= _MOST or n != int(n):
        raise InputError(
            f"{path}, line {line}: n is {n:g}", "give the number of values: whole, from 1 to 1e15"
        )
    name, spread = next((name, numbers[name]) for name in ("variance", "sd", "se") if name in numbers)
    if spread < 0:
        raise InputError(f"{path}, line {line}: {name} is {spread:g}", "give a spread of 0 or more")
    sd = {"variance": sqrt(spread), "sd": spread, "se": spread * sqrt(n)}[name]
    variance = spread if name == "variance" else sd * sd
    if not isfinite(variance * n) or not isfinite(numbers["mean"] * numbers["mean"] * n):
        raise InputError(f"{path}, line {line}: the numbers are too large", "use a larger unit")
    return {"n": int(n), "mean": numbers["mean"], "variance": variance}
