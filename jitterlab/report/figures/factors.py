# SPDX-License-Identifier: Apache-2.0
"""Figures of what factors do: interactions of two factors, and effects with their intervals."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from jitterlab.analysis.bootstrap import FEWEST_RUNS, over_runs
from jitterlab.analysis.cells import Cells
from jitterlab.analysis.differences import Difference
from jitterlab.analysis.factorial import FactorialAnova
from jitterlab.analysis.wording import number
from jitterlab.report.figure import Axis, Figure, Intervals, Lines, Mark, Numbers, Panel, Points
from jitterlab.report.scale import Scale, printable

MOST_PAIRS = 6
STATISTICS = (("median", 0.5), ("99th percentile", 0.99))
SEED = 1
SHIFT = 0.06


def interactions(cells: Cells, scale: Scale, median: FactorialAnova | None) -> list[Figure]:
    """One figure per pair of factors, those that interact most first, or one for the only factor.

    Args:
        cells: The cells.
        scale: In which unit they are shown.
        median: The analysis of the medians, which says how much pairs interact.
    """
    varied = cells.varied
    if len(varied) < 2:
        return [_interaction(cells, scale, factor, None) for factor in varied]
    table = median and (median.runs or median.samples)
    strength = {term.term: term.omega_sq or 0.0 for term in table.effects} if table else {}
    pairs = sorted(combinations(varied, 2), key=lambda pair: -strength.get(":".join(pair), 0.0))
    return [_interaction(cells, scale, *pair) for pair in pairs[:MOST_PAIRS]]


def _interaction(cells: Cells, scale: Scale, across: str, by: str | None) -> Figure:
    panels = [_panel(cells, scale, (across, by), statistic) for statistic in STATISTICS]
    names = [across] if by is None else [across, by]
    slug = "-".join(re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "factor" for name in names)
    others = "" if len(cells.varied) <= len(names) else " All levels of the other factors are averaged over."
    parallel = (
        "" if by is None else f" Parallel lines mean that {printable(by)} adds the same at every level."
    )
    title = " and ".join(printable(name) for name in names)
    return Figure(
        f"interaction-{slug}",
        f"Effect of {title}",
        "Averages over runs of the median and of the 99th percentile of each run "
        f"({number(len(cells.runs), 'run')}), with 95 % bootstrap intervals over runs where there are at "
        f"least {FEWEST_RUNS}; small points are the runs.{parallel}{others}",
        "; ".join(_said(panel.series, panel.title, cells.factors[across], scale) for panel in panels),
        Axis(printable(across), categories=tuple(printable(level) for level in cells.factors[across])),
        Axis(cells.response, scale.unit),
        tuple(panels),
        shared_y=False,
    )


def _panel(cells: Cells, scale: Scale, pair: tuple[str, str | None], statistic: tuple[str, float]) -> Panel:
    across, by = pair
    title, p = statistic
    series: list[Lines | Points] = []
    levels = cells.factors[by] if by else ("",)
    for colour, level in enumerate(levels):
        values = _values(cells, {by: level} if by else {}, across, p)
        x = np.arange(len(values)) + SHIFT * (colour - (len(levels) - 1) / 2)
        intervals = [over_runs(found / scale.divisor, scale.unit, seed=SEED) for found in values]
        middle = np.array([interval.estimate for interval in intervals])
        low = np.array([i.estimate if i.low is None else i.low for i in intervals])
        high = np.array([i.estimate if i.high is None else i.high for i in intervals])
        every = np.concatenate(values) / scale.divisor
        name = f"{printable(by)} = {printable(level)}" if by else ""
        series.append(Points(name, np.repeat(x, [len(v) for v in values]), every, colour, small=True))
        series.append(Lines(name, np.asarray(x, dtype=np.float64), middle, colour, low, high))
    return Panel(tuple(series), f"{title} ({scale.unit})")


def _values(cells: Cells, where: Mapping[str, str], across: str, p: float) -> list[Numbers]:
    """The statistic of every run with these levels, per level of the factor along the axis."""
    return [
        np.array(
            [
                float(run.counts.quantile(p))
                for run in cells.runs
                if run.levels[across] == level
                and all(run.levels[name] == wanted for name, wanted in where.items())
            ]
        )
        for level in cells.factors[across]
    ]


def _said(series: tuple[object, ...], title: str, levels: tuple[str, ...], scale: Scale) -> str:
    lines = [line for line in series if isinstance(line, Lines)]
    said = [
        f"{printable(level)} {scale.say(float(value) * scale.divisor)}"
        for line in lines
        for level, value in zip(levels, line.y.tolist(), strict=True)
    ]
    return f"{title}: {', '.join(said)}"


def effects(found: Sequence[Difference], scale: Scale) -> Figure | None:
    """The differences between levels with their intervals; None if there is none with an interval."""
    shown = [(one, one.contrast.difference_interval) for one in reversed(found)]
    drawn = [(one, ends) for one, ends in shown if ends is not None]
    if not drawn:
        return None
    names = tuple(f"{printable(one.factor)}\n{_pair(one)}" for one, _ in drawn)
    x = np.array([one.contrast.difference for one, _ in drawn], dtype=np.float64) / scale.divisor
    low, high = np.array([ends for _, ends in drawn]).T / scale.divisor
    notes = tuple(_effect(one, ends, scale) for one, ends in drawn)
    contrast = drawn[0][0].contrast
    intervals = Intervals("", x, np.arange(len(x), dtype=np.float64), low, high, notes=notes)
    return Figure(
        "effects",
        f"Differences of the {contrast.statistic}",
        "How much later (right) or earlier (left) runs with the first level are than runs with the second, "
        f"in the {contrast.statistic} of a run, with {contrast.confidence:.0%} intervals over runs "
        f"({contrast.method}). An interval that holds 0 (dotted) is compatible with no difference.",
        "; ".join(notes),
        Axis("difference", scale.unit),
        Axis("levels", categories=names),
        (Panel((intervals,), marks=(Mark(0.0, ""),)),),
    )


def _pair(one: Difference) -> str:
    return f"{printable(one.level)} − {printable(one.reference)}"


def _effect(one: Difference, ends: tuple[float, float], scale: Scale) -> str:
    difference = scale.say(one.contrast.difference or 0.0)
    interval = f"{scale.say(ends[0])} to {scale.say(ends[1])}"
    units = number(one.n + one.reference_n, one.counted)
    return f"{printable(one.factor)}: {_pair(one)} = {difference} ({interval}), n = {units}"
