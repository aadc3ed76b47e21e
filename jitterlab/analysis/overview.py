# SPDX-License-Identifier: Apache-2.0
"""The cells at a glance: how many samples, how late, how much was missed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jitterlab.analysis import tails
from jitterlab.analysis.cells import Cell, Cells

PERCENTILES = (0.5, 0.99, 0.999)


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell in numbers; latencies in the unit of the response.

    Attributes:
        levels: The level of every factor.
        runs: Runs with samples.
        n: Measured samples.
        min: The smallest.
        p50: The median; this and the other percentiles are None where n does not support them.
        p99: The 99th percentile.
        p999: The 99.9th percentile.
        max: The largest.
        mean: The mean.
        sd: The standard deviation; None for a single sample.
        missed: Periods without a sample because the one before ended too late; None if not known.
        lost: Samples that were taken and not kept; None if not known.
    """

    levels: Mapping[str, str]
    runs: int
    n: int
    min: int
    p50: int | None
    p99: int | None
    p999: int | None
    max: int
    mean: float
    sd: float | None
    missed: int | None
    lost: int | None


def overview(cells: Cells, runs: Iterable[Mapping[str, Any]]) -> tuple[CellRow, ...]:
    """One row per cell, in the order of the plan.

    Args:
        cells: The cells.
        runs: The rows of the recording's table of runs: `run`, `missed`, `lost`.
    """
    known = {int(row["run"]): row for row in runs}
    return tuple(_row(cell, cells.unit, known) for cell in cells.cells)


def _row(cell: Cell, unit: str, known: Mapping[int, Mapping[str, Any]]) -> CellRow:
    counts = cell.counts
    p50, p99, p999 = (quantile.value for quantile in tails.quantiles(counts, unit, PERCENTILES))
    return CellRow(
        levels=cell.levels,
        runs=len(cell.runs),
        n=counts.n,
        min=counts.min,
        p50=p50,
        p99=p99,
        p999=p999,
        max=counts.max,
        mean=counts.mean,
        sd=counts.sd if counts.n > 1 else None,
        missed=_total(known[run.run]["missed"] for run in cell.runs),
        lost=_total(known[run.run]["lost"] for run in cell.runs),
    )


def _total(values: Iterable[int | None]) -> int | None:
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)
