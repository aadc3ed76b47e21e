# SPDX-License-Identifier: Apache-2.0
"""Figures of how a response went over time: inside one run, and from run to run through the session."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cells, RunSummary
from jitterlab.analysis.wording import number
from jitterlab.recording import Counts, Recording
from jitterlab.report.figure import Axis, Figure, HeatMap, Lines, Panel, Points
from jitterlab.report.figures.ranges import edges, latency_axis, wide
from jitterlab.report.names import cell_names, level_names, number_of
from jitterlab.report.scale import Scale

BUCKETS = 400
MOST_OUTLIERS = 50
_NO_CPU = -1
MOST_SHADES = 8000
FAR_OUT = 3.0
"""Tukey's outer fence, in interquartile ranges above the third quartile (Exploratory Data Analysis, 1977)."""


def time_series(recording: Recording, cells: Cells, scale: Scale) -> Figure | None:
    """The samples of the run with the latest sample, thinned so that all extremes stay, outliers marked.

    None if all runs kept only counts, or nobody knows when the samples were due.
    """
    kept = dict(zip(recording.runs["run"].tolist(), recording.runs["raw"].tolist(), strict=True))
    candidates = [run for run in cells.runs if kept[run.run]]
    if not candidates:
        return None
    run = max(candidates, key=lambda candidate: candidate.counts.max)
    q1, q3 = run.counts.quantile(0.25), run.counts.quantile(0.75)
    fence = q3 + FAR_OUT * (q3 - q1)
    outliers = int(run.counts.counts[run.counts.values > fence].sum())
    lowest_marked = (
        max(fence, int(run.counts.top(MOST_OUTLIERS + 1)[-1])) if outliers > MOST_OUTLIERS else fence
    )
    thin = _thinned(recording, run.run, cells.response, lowest_marked)
    if thin is None:
        return None
    series: list[Lines | Points] = [
        Lines(f"CPU {cpu}" if cpu >= 0 else "samples", x / 1e9, y / scale.divisor, colour=index, bare=True)
        for index, (cpu, (x, y)) in enumerate(sorted(thin.lines.items()))
    ]
    notes = tuple(f"{scale.say(value)} at {due / 1e9:.6f} s, CPU {cpu}" for due, value, cpu in thin.outliers)
    if thin.outliers:
        due, values, _ = (np.array(column, dtype=np.float64) for column in zip(*thin.outliers, strict=True))
        series.append(Points("outlier", due / 1e9, values / scale.divisor, 3, notes, "x"))
    marked = (
        f"{number(outliers, 'sample')} lie above {scale.say(fence)} (third quartile + 3 interquartile ranges)"
    )
    shown = (
        f", the largest {len(thin.outliers)} are marked"
        if outliers > len(thin.outliers)
        else " and are marked"
    )
    return Figure(
        "time-series",
        f"Run {run.run} over time",
        f"Of the runs that kept their samples the one with the largest: {level_names(run.levels)}, block "
        f"{run.block}, n = {run.counts.n:,}. Of every 1/{BUCKETS} of its time the smallest and the largest "
        f"sample of each CPU are drawn, so that no extreme is lost. {marked}{shown if outliers else ''}.",
        f"Maximum {scale.say(run.counts.max)}, median {scale.say(run.counts.quantile(0.5))}, {marked}.",
        Axis("time in the run", "s"),
        latency_axis(cells.response, scale, run.counts.min, run.counts.max),
        (Panel(tuple(series)),),
    )


class _Thinned:
    """What is left of the samples of a run: per CPU the extremes of each part of its time; outliers."""

    def __init__(self, ends_ns: int) -> None:
        self._width = max(ends_ns // BUCKETS + 1, 1)
        self._low: dict[int, NDArray[np.int64]] = {}
        self._high: dict[int, NDArray[np.int64]] = {}
        self.outliers: list[tuple[int, int, int]] = []

    def add(self, cpu: int, due: NDArray[np.int64], values: NDArray[np.int64], fence: float) -> None:
        if cpu not in self._low:
            self._low[cpu] = np.full(BUCKETS, np.iinfo(np.int64).max)
            self._high[cpu] = np.full(BUCKETS, np.iinfo(np.int64).min)
        bucket = np.clip(due // self._width, 0, BUCKETS - 1)
        np.minimum.at(self._low[cpu], bucket, values)
        np.maximum.at(self._high[cpu], bucket, values)
        for index in np.flatnonzero(values > fence)[: MOST_OUTLIERS - len(self.outliers)].tolist():
            self.outliers.append((int(due[index]), int(values[index]), cpu))

    @property
    def lines(self) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Per CPU the line through the smallest and the largest sample of each part of the time."""
        drawn = {}
        for cpu, low in self._low.items():
            seen = np.flatnonzero(low <= self._high[cpu])
            x = (np.repeat(seen, 2) + np.tile((0.25, 0.75), len(seen))) * self._width
            drawn[cpu] = (x, np.column_stack((low[seen], self._high[cpu][seen])).ravel().astype(np.float64))
        return drawn


def _thinned(recording: Recording, run: int, response: str, fence: float) -> _Thinned | None:
    samples = recording.samples_of(run)
    ends_ns = 0
    for batch in samples.select(["due"]).batches():
        if batch.column(0).null_count:
            return None
        ends_ns = max(ends_ns, int(np.max(batch.column(0).to_numpy(), initial=0)))
    thin = _Thinned(ends_ns)
    for batch in samples.select(["cpu", "due", response]).batches():
        cpus, due, values = (batch.column(index).fill_null(_NO_CPU).to_numpy() for index in range(3))
        for cpu in np.unique(cpus).tolist():
            mine = cpus == cpu
            thin.add(int(cpu), due[mine], values[mine], fence)
    return thin


def run_order(cells: Cells, scale: Scale) -> Figure:
    """The median and the 99th percentile of every run, in the order in which they were planned."""
    names = cell_names(cells.cells)
    panels = []
    for title, p in (("median of the run", 0.5), ("99th percentile of the run", 0.99)):
        series = []
        for index, cell in enumerate(cells.cells):
            x = np.array([run.run for run in cell.runs], dtype=np.float64)
            y = np.array([run.counts.quantile(p) for run in cell.runs]) / scale.divisor
            notes = tuple(f"run {run.run}, block {run.block}, {names[run.cell]}" for run in cell.runs)
            series.append(Points(names[number_of(cell)], x, y, index, notes))
        panels.append(Panel(tuple(series), f"{title} ({scale.unit})"))
    every = [run.counts.quantile(0.5) for run in cells.runs]
    return Figure(
        "run-order",
        "Runs in their order",
        f"One point per run ({number(len(cells.runs), 'run')}), coloured by cell. If the machine does not "
        "drift, the points of one colour scatter around one height from left to right.",
        f"Run medians lie between {scale.say(min(every))} and {scale.say(max(every))}.",
        Axis("run"),
        Axis(cells.response, scale.unit),
        tuple(panels),
        shared_y=False,
    )


def heat_map(cells: Cells, scale: Scale) -> Figure:
    """How often each value was seen in each run, as shades, so that modes and shifts show."""
    runs = cells.runs
    everything = Counts.merge(run.counts for run in runs)
    fine = edges(everything.min, everything.max)
    borders = fine[:: -(-len(fine) * len(runs) // MOST_SHADES)]
    borders = np.append(borders, fine[-1]) if borders[-1] < fine[-1] else borders
    shades = np.array([_shades(run, borders) for run in runs]).T
    x = np.array([run.run - 0.5 for run in runs] + [runs[-1].run + 0.5])
    unit = Axis(cells.response, scale.unit, log=wide(everything.min, everything.max))
    return Figure(
        "heat-map",
        "Runs as a heat map",
        f"One column per run ({number(len(runs), 'run')}, {number(everything.n, 'sample')}), from the first "
        f"to the last; the colour says how many samples lie in a bin of {cells.response}. Empty bins are "
        "left blank, so that a single sample can be told from none.",
        f"Values from {scale.say(everything.min)} to {scale.say(everything.max)} over "
        f"{number(len(runs), 'run')}.",
        Axis("run"),
        unit,
        (Panel((HeatMap("samples", x, borders / scale.divisor, shades),)),),
    )


def _shades(run: RunSummary, borders: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
    seen = run.counts.histogram(borders).astype(np.float64)
    return np.where(seen > 0, seen, np.nan)
