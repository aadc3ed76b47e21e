# SPDX-License-Identifier: Apache-2.0
"""The findings as tables."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from jitterlab.analysis.findings import Findings
from jitterlab.analysis.wording import number
from jitterlab.recording import samples_needed
from jitterlab.report.names import CONTROL, controls, number_of
from jitterlab.report.scale import Scale
from jitterlab.report.tables import Column, Table, Value

PERCENTILES = {"min": "min", "p50": "p50", "p99": "p99", "p99.9": "p999", "max": "max", "sd": "sd"}
CELLS = (
    "n: measured samples; sd: standard deviation; missed: periods without a sample. A dash stands where n "
    f"is too small for a percentile (p99 needs {samples_needed(0.99):,} samples, p99.9 "
    f"{samples_needed(0.999):,}) or where nothing is known."
)
COARSE = 1000
"""A column whose values reach this is shown without decimals."""


def scale_of(found: Findings) -> Scale:
    """In which unit the response is shown: that of the typical median."""
    medians = sorted(cell.counts.quantile(0.5) for cell in found.cells.cells)
    return Scale.of(found.cells.unit, medians[len(medians) // 2])


def cells_table(found: Findings) -> Table:
    """The cells in numbers, one row per cell; what is the same in all of them stands in the caption."""
    scale = scale_of(found)
    columns: list[tuple[Column, Sequence[Value]]] = [
        (Column(name), [row.levels[name] for row in found.rows]) for name in found.cells.factors
    ]
    repeated = controls(found.cells.cells)
    if repeated:
        marks = [CONTROL if number_of(cell) in repeated else "" for cell in found.cells.cells]
        columns.append((Column(""), marks))
    runs, lost = [row.runs for row in found.rows], [row.lost for row in found.rows]
    same_runs, none_lost = len(set(runs)) == 1, set(lost) == {0}
    if not same_runs:
        columns.append((Column("runs"), runs))
    columns.append((Column("n"), [row.n for row in found.rows]))
    for name, field in PERCENTILES.items():
        values = [getattr(row, field) for row in found.rows]
        shown = [None if value is None else value / scale.divisor for value in values]
        coarse = max((value for value in shown if value is not None), default=0.0) >= COARSE
        columns.append((Column(name, scale.unit, decimals=0 if coarse else 1), shown))
    columns.append((Column("missed"), [row.missed for row in found.rows]))
    if not none_lost:
        columns.append((Column("lost"), lost))
    return Table(
        "cells",
        f"{found.cells.response.capitalize()} per cell",
        tuple(column for column, _ in columns),
        tuple(zip(*(values for _, values in columns), strict=True)),
        _caption(runs[0] if same_runs else None, none_lost=none_lost),
    )


def _caption(runs: int | None, *, none_lost: bool) -> str:
    per_cell = f"{number(runs, 'run')} per cell; " if runs is not None else ""
    return f"{per_cell}{'no sample was lost' if none_lost else 'lost: samples not kept'}; {CELLS}"


def checks_table(found: Findings) -> Table:
    """What was checked, and what follows."""
    words = {"fine": "fine", "mind": "note", "unknown": "cannot tell"}
    rows = tuple((check.name, words[check.verdict], check.sentence) for check in found.checks)
    return Table(
        "checks", "What was checked", (Column("checked"), Column("verdict"), Column("what was found")), rows
    )


def machine_table(environment: Mapping[str, Any]) -> Table:
    """What is known about the machine in single values; long lists are left to the full text."""
    values = {key: value for key, value in environment.items() if not isinstance(value, Mapping)}
    processor = environment.get("cpu")
    if isinstance(processor, Mapping):
        values |= {f"cpu {key.removeprefix('cpu ')}": value for key, value in processor.items()}
    rows = tuple(
        (key.replace("_", " "), _said(value))
        for key, value in values.items()
        if value is not None and _said(value)
    )
    return Table("machine", "The machine", (Column("what"), Column("value")), rows)


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else " ".join(str(value).split())


def worst_table(found: Findings) -> Table:
    """The largest samples with the time when they were due."""
    scale = scale_of(found)
    levels = {run.run: run.levels for run in found.cells.runs}
    rows = tuple(
        (
            sample.value / scale.divisor,
            *levels[sample.run].values(),
            sample.run,
            sample.cpu,
            None if sample.due_ns is None else sample.due_ns / 1e9,
            _wall_clock(sample.wall_ns),
        )
        for sample in found.worst
    )
    return Table(
        "worst",
        f"The {len(rows)} worst samples",
        (
            Column(found.cells.response, scale.unit, decimals=1),
            *(Column(name) for name in found.cells.factors),
            Column("run"),
            Column("CPU"),
            Column("due", "s", decimals=6),
            Column("due (UTC)"),
        ),
        rows,
        "due: since the start of the run; the wall-clock time is what to look for in the machine's logs. "
        "Runs that kept only counts are not in this table.",
    )


def _wall_clock(wall_ns: int | None) -> str | None:
    if wall_ns is None:
        return None
    return datetime.fromtimestamp(wall_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
