# SPDX-License-Identifier: Apache-2.0
"""The latency plot as OSADL draws it: how often each latency was seen, on a logarithmic scale, per CPU."""

from collections.abc import Mapping

import numpy as np

from jitterlab.analysis.cells import Cells
from jitterlab.recording import Counts
from jitterlab.report.figure import Axis, Figure, Mark, Panel, Steps
from jitterlab.report.figures.ranges import (
    BINS_PER_DECADE,
    edges,
    extremes,
    samples_of,
    selection,
    stairs,
    wide,
)
from jitterlab.report.names import number_of
from jitterlab.report.scale import Scale

OSADL_BINS = 1000
"""Up to so many bins of one unit a latency plot has equally wide bins, as OSADL's have."""

MOST_LINES = 96
MOST_LABELS = 3

PerCpu = Mapping[tuple[int, int | None], Counts]


def latency_plot(cells: Cells, scale: Scale, per_cpu: PerCpu) -> Figure:
    """How often each latency was seen, one line per CPU, one panel per cell.

    Args:
        cells: The cells.
        scale: In which unit they are shown.
        per_cpu: The counts of every cell (by its number) and CPU.
    """
    chosen = selection(cells.cells)
    low, high = min(c.counts.min for c in chosen.cells), max(c.counts.max for c in chosen.cells)
    unit = int(scale.divisor)
    equal = low >= 0 and high / unit <= OSADL_BINS
    borders = np.arange(0, high + 2 * unit, unit) if equal else edges(low, high)
    cpus, left_out = _drawn(per_cpu, MOST_LINES // len(chosen.cells))
    panels = []
    for cell in chosen.cells:
        lines = [(cpu, per_cpu[number_of(cell), cpu]) for cpu in cpus if (number_of(cell), cpu) in per_cpu]
        labelled = sorted((counts.max for _, counts in lines), reverse=True)[:MOST_LABELS][-1]
        series, marks = [], []
        for cpu, counts in lines:
            x, y = stairs(counts, borders, 0.5)
            name = "all CPUs" if cpu is None else f"CPU {cpu}"
            label = f"max {scale.say(counts.max)}" if counts.max >= labelled else ""
            series.append(Steps(name, x / scale.divisor, y, colour=cpus.index(cpu)))
            marks.append(Mark(counts.max / scale.divisor, label, colour=cpus.index(cpu)))
        panels.append(Panel(tuple(series), f"{chosen.name(cell)}: n = {cell.counts.n:,}", tuple(marks)))
    bins = f"1 {scale.unit} wide" if equal else f"in equal ratios, {BINS_PER_DECADE} per factor of ten"
    return Figure(
        "latency-plot",
        "Latency plot",
        f"How many of the {samples_of(chosen.cells)} had which {cells.response}, on a logarithmic scale, so "
        "that a single late sample is seen. One panel per cell, one line per CPU; dotted lines mark the "
        f"maxima. Bins are {bins}.{left_out}{chosen.sentence}",
        extremes(chosen, scale),
        Axis(cells.response, scale.unit, log=not equal and wide(low, high), low=0.0 if equal else None),
        Axis("samples per bin", log=True, low=0.7),
        tuple(panels),
    )


def _drawn(per_cpu: PerCpu, most: int) -> tuple[list[int | None], str]:
    """The CPUs with the largest maxima, in their order, and the sentence that says which were left out."""
    largest: dict[int | None, int] = {}
    for (_, cpu), counts in per_cpu.items():
        largest[cpu] = max(largest.get(cpu, counts.max), counts.max)
    kept = sorted(largest, key=lambda cpu: -largest[cpu])[:most]
    ordered = sorted(kept, key=lambda cpu: -1 if cpu is None else cpu)
    if len(kept) == len(largest):
        return ordered, ""
    return ordered, f" Of {len(largest)} CPUs the {len(kept)} with the largest maxima are drawn."
