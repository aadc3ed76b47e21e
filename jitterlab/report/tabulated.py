# SPDX-License-Identifier: Apache-2.0
"""The findings as tables."""

from jitterlab.analysis.findings import Findings
from jitterlab.analysis.tails import samples_needed
from jitterlab.report.scale import Scale
from jitterlab.report.tables import Column, Table, Value


def scale_of(found: Findings) -> Scale:
    """In which unit the response is shown: that of the typical median."""
    medians = sorted(cell.counts.quantile(0.5) for cell in found.cells.cells)
    return Scale.of(found.cells.unit, medians[len(medians) // 2])


def cells_table(found: Findings) -> Table:
    """The cells in numbers, one row per cell."""
    scale = scale_of(found)
    factors = tuple(Column(name) for name in found.cells.factors)
    numbers = ("min", "p50", "p99", "p99.9", "max", "sd")
    rows: list[tuple[Value, ...]] = []
    for row in found.rows:
        shown = (row.min, row.p50, row.p99, row.p999, row.max, row.sd)
        scaled = tuple(None if value is None else value / scale.divisor for value in shown)
        rows.append((*row.levels.values(), row.runs, row.n, *scaled, row.missed, row.lost))
    return Table(
        "cells",
        f"{found.cells.response.capitalize()} per cell",
        (
            *factors,
            Column("runs"),
            Column("n"),
            *(Column(name, scale.unit, decimals=1 if scale.unit == "µs" else None) for name in numbers),
            Column("missed"),
            Column("lost"),
        ),
        tuple(rows),
        "n: measured samples; sd: standard deviation; missed: periods without a sample; lost: samples not "
        f"kept. A dash stands where n is too small for a percentile (p99 needs {samples_needed(0.99):,} "
        f"samples, p99.9 {samples_needed(0.999):,}) or where nothing is known.",
    )


def worst_table(found: Findings) -> Table:
    """The largest samples with the time when they were due."""
    scale = scale_of(found)
    rows = tuple(
        (
            sample.value / scale.divisor,
            *sample.levels.values(),
            sample.run,
            sample.cpu,
            sample.due_s,
            sample.at,
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
        "due: since the start of the run; the wall-clock time is what to look for in the machine's logs. A "
        "dash stands where only counts were kept.",
    )
