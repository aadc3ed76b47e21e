# SPDX-License-Identifier: Apache-2.0
"""Figures of how a response is distributed: histograms, boxes, distribution functions."""

import numpy as np

from jitterlab.analysis.cells import Cell, Cells
from jitterlab.analysis.wording import number, percent
from jitterlab.report.figure import Axis, Boxes, Figure, Lines, Mark, Panel, Points, Steps
from jitterlab.report.figures.ranges import (
    Selection,
    body,
    edges,
    extremes,
    latency_axis,
    samples_of,
    selection,
    stairs,
    thinned,
    wide,
)
from jitterlab.report.scale import Scale

SHARES = tuple((10.0**-k, f"{100 * 10.0**-k:.10g} %") for k in range(10))


def density(cells: Cells, scale: Scale) -> Figure:
    """The share of samples per bin of every cell over one another."""
    chosen = selection(cells.cells)
    borders = edges(*body(chosen.cells))
    series = []
    for index, cell in enumerate(chosen.cells):
        x, y = stairs(cell.counts, borders, 0.0)
        series.append(Steps(chosen.name(cell), x / scale.divisor, 100 * y / cell.counts.n, colour=index))
    return Figure(
        "density",
        "Empirical density",
        f"The share of the samples of each cell that lie in each of {len(borders) - 1} bins; "
        f"{samples_of(chosen.cells)}. "
        f"{_cut(chosen.cells, scale)}{chosen.sentence}",
        _medians(chosen, scale),
        latency_axis(cells.response, scale, *body(chosen.cells)),
        Axis("share of samples per bin", "%"),
        (Panel(tuple(series)),),
    )


def cdf(cells: Cells, scale: Scale) -> Figure:
    """The share of samples at or below each value."""
    chosen = selection(cells.cells)
    low, high = body(chosen.cells, 0.999)
    series = []
    for index, cell in enumerate(chosen.cells):
        values, shares = cell.counts.cdf()
        inside = values <= high
        x, y = values[inside] / scale.divisor, 100 * shares[inside]
        series.append(
            Steps(chosen.name(cell), *thinned(x, y, log_x=wide(low, high), log_y=False), colour=index)
        )
    return Figure(
        "cdf",
        "Cumulative distribution",
        f"The share of samples at or below each {cells.response}; {samples_of(chosen.cells)}. Where a curve "
        f"crosses 50 % lies the median. {_cut(chosen.cells, scale, 0.999)}{chosen.sentence}",
        _medians(chosen, scale),
        latency_axis(cells.response, scale, low, high),
        Axis("share of samples at or below", "%"),
        (Panel(tuple(series)),),
    )


def ccdf(cells: Cells, scale: Scale) -> Figure:
    """The share of samples at or above each value, on a logarithmic scale down to one sample."""
    chosen = selection(cells.cells)
    low, high = body(chosen.cells, 1.0)
    log = wide(low, high)
    series = []
    for index, cell in enumerate(chosen.cells):
        values, shares = cell.counts.ccdf()
        x, y = thinned(values / scale.divisor, shares, log_x=log, log_y=True)
        series.append(Lines(chosen.name(cell), x, y, colour=index, bare=True))
    return Figure(
        "ccdf",
        "Tail of the distribution",
        f"The share of samples at or above each {cells.response}, on a logarithmic scale; "
        f"{samples_of(chosen.cells)}. Every curve ends at its maximum, at one sample of n. Where it crosses "
        f"1 % lies the 99th percentile.{chosen.sentence}",
        extremes(chosen, scale),
        latency_axis(cells.response, scale, low, high),
        Axis("share of samples at or above", log=True, ticks=SHARES),
        (Panel(tuple(series)),),
    )


def boxes(cells: Cells, scale: Scale) -> Figure:
    """Quartiles, 1st and 99th percentile, and maximum of every cell."""
    chosen = selection(cells.cells, "\n")
    counts = [cell.counts for cell in reversed(chosen.cells)]
    rows = np.arange(len(counts), dtype=np.float64)
    quantiles = np.array([c.quantiles((0.01, 0.25, 0.5, 0.75, 0.99)) for c in counts]).T / scale.divisor
    top = np.array([c.max for c in counts]) / scale.divisor
    maxima = Points(
        "maximum", top, rows, 1, tuple(f"maximum {scale.say(c.max)}, n = {c.n:,}" for c in counts), "x"
    )
    return Figure(
        "boxes",
        "Box plots",
        "Box: from the first to the third quartile, with the median. Whiskers: from the 1st to the 99th "
        f"percentile. Cross: the maximum. {samples_of(chosen.cells)}.{chosen.sentence}",
        extremes(chosen, scale),
        latency_axis(cells.response, scale, float(quantiles.min()), float(top.max())),
        Axis("cell", categories=tuple(chosen.name(cell) for cell in reversed(chosen.cells))),
        (Panel((Boxes("p1, quartiles, p99", rows, *quantiles), maxima)),),
    )


def histograms(cells: Cells, scale: Scale) -> Figure:
    """A histogram per cell below each other on one shared axis, with the mean of each marked."""
    chosen = selection(cells.cells)
    borders = edges(*body(chosen.cells))
    panels = []
    for index, cell in enumerate(chosen.cells):
        x, y = stairs(cell.counts, borders, 0.0)
        mean = Mark(cell.counts.mean / scale.divisor, f"mean {scale.say(cell.counts.mean)}", colour=index)
        title = f"{chosen.name(cell)}: n = {cell.counts.n:,} in {number(len(cell.runs), 'run')}"
        panels.append(Panel((Steps("", x / scale.divisor, y, index, filled=True),), title, (mean,)))
    return Figure(
        "histograms",
        "Histograms",
        f"How many samples of each cell lie in each of {len(borders) - 1} bins, with the mean as a dotted "
        f"line. All panels share the axis. {_cut(chosen.cells, scale)}{chosen.sentence}",
        "; ".join(f"{chosen.name(c)}: mean {scale.say(c.counts.mean)}" for c in chosen.cells),
        latency_axis(cells.response, scale, *body(chosen.cells)),
        Axis("samples"),
        tuple(panels),
    )


def _medians(chosen: Selection, scale: Scale) -> str:
    return "; ".join(f"{chosen.name(c)}: median {scale.say(c.counts.quantile(0.5))}" for c in chosen.cells)


def _cut(cells: tuple[Cell, ...], scale: Scale, share: float = 0.99) -> str:
    """The sentence that says what lies beyond the range that is shown."""
    high = body(cells, share)[1]
    beyond = sum(int(cell.counts.counts[cell.counts.values > high].sum()) for cell in cells)
    if not beyond:
        return "All samples are shown."
    part = beyond / sum(cell.counts.n for cell in cells)
    return f"{number(beyond, 'sample')} ({percent(part)}) above {scale.say(high)} lie beyond the right edge."
