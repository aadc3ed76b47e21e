# SPDX-License-Identifier: Apache-2.0
"""A figure as the JSON that plotly.js draws.

Colours are written as `@0`, `@ink` or `@2/0.3` (with opacity); the page replaces them by those of its theme.
"""

import math
from typing import Any

from jitterlab.report.extent import extent, ticks
from jitterlab.report.figure import Axis, Figure, Mark, Panel
from jitterlab.report.traces import plain, trace

PANEL_PIXELS = 120
TALL_PANEL_PIXELS = 165
FEW_PANELS = 3
SINGLE_PIXELS = 300
FRAME_PIXELS = 90
ROW_PIXELS = 32
LINE_PIXELS = 15
GAP_PIXELS = 30
LEFT_PART = 0.35
"""Marks in so much of the axis from its left end are labelled on their right side."""


def chart(figure: Figure) -> dict[str, Any]:
    """The figure as `{"data": traces, "layout": layout}` for `Plotly.newPlot`; the page draws its legend."""
    traces = [
        trace(series, figure) | {"xaxis": f"x{_suffix(index)}", "yaxis": f"y{_suffix(index)}"}
        for index, panel in enumerate(figure.panels)
        for series in panel.series
    ]
    return {"data": traces, "layout": _layout(figure)}


def _suffix(index: int) -> str:
    return "" if index == 0 else str(index + 1)


def _layout(figure: Figure) -> dict[str, Any]:
    count = len(figure.panels)
    rows = sum(ROW_PIXELS + LINE_PIXELS * name.count("\n") for name in figure.y.categories)
    each = PANEL_PIXELS if count > FEW_PANELS else TALL_PANEL_PIXELS
    inner = each * count if count > 1 else max(SINGLE_PIXELS, rows)
    layout: dict[str, Any] = {
        "height": inner + FRAME_PIXELS,
        "showlegend": False,
        "margin": {"l": 8, "r": 12, "t": 22, "b": 8, "pad": 2},
        "hovermode": "closest",
        "font": {"color": "@ink", "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "annotations": [],
        "shapes": [],
    }
    gap = GAP_PIXELS / inner if count > 1 else 0.0
    height = (1 - gap * (count - 1)) / count
    for index, panel in enumerate(figure.panels):
        top = 1 - index * (height + gap)
        x_axis, y_axis = _axes(figure, index)
        y_axis["domain"] = [max(top - height, 0.0), top]
        suffix = _suffix(index)
        layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"] = x_axis, y_axis
        layout["annotations"] += _notes(panel, suffix, figure)
        layout["shapes"] += [_line(mark, suffix) for mark in panel.marks]
    return layout


def _axes(figure: Figure, index: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axes of a panel: x is shared, and labelled below the last one."""
    suffix, count = _suffix(index), len(figure.panels)
    last, several = index == count - 1, count > 1
    x_axis = _axis(figure.x, ticks(figure.x, *extent(figure, "x")))
    y_axis = _axis(figure.y, ticks(figure.y, *extent(figure, "y"), coarse=several))
    x_axis |= {"anchor": f"y{suffix}", "showticklabels": last}
    y_axis |= {"anchor": f"x{suffix}"}
    if last:
        x_axis["title"] = {"text": plain(figure.x.title), "standoff": 8}
    if index:
        x_axis["matches"] = "x"
    if several and not figure.y.categories:
        y_axis |= {"nticks": 4 if count > FEW_PANELS else 7} | (
            {"matches": "y"} if index and figure.shared_y else {}
        )
    elif not figure.y.categories:
        y_axis["title"] = {"text": plain(figure.y.title), "standoff": 8}
    return x_axis, y_axis


def _axis(axis: Axis, shown: tuple[tuple[float, str], ...]) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "type": "log" if axis.log else "linear",
        "gridcolor": "@grid",
        "zeroline": False,
        "linecolor": "@muted",
        "showline": True,
        "ticks": "outside",
        "tickcolor": "@muted",
        "tickformat": ",~g",
        "automargin": True,
    }
    if shown:
        drawn["tickmode"] = "array"
        drawn["tickvals"] = [position for position, _ in shown]
        drawn["ticktext"] = [plain(text) for _, text in shown]
    if axis.low is not None:
        drawn |= {"range": [math.log10(axis.low) if axis.log else axis.low, None], "autorange": "max"}
    if axis.categories:
        drawn["range"] = [-0.6, len(axis.categories) - 0.4]
    return drawn


def _notes(panel: Panel, suffix: str, figure: Figure) -> list[dict[str, Any]]:
    """The title of a panel, and what its marks say."""
    common = {"yref": f"y{suffix} domain", "showarrow": False}
    notes: list[dict[str, Any]] = []
    if panel.title:
        place = {"x": 0, "y": 1, "xref": f"x{suffix} domain", "xanchor": "left", "yanchor": "bottom"}
        notes.append(common | place | {"text": plain(panel.title), "font": {"size": 12}})
    for row, mark in enumerate(mark for mark in panel.marks if mark.label):
        anchor = "left" if _part(mark.x, figure) < LEFT_PART else "right"
        place = {"xref": f"x{suffix}", "x": _shown(mark.x, figure.x), "y": 1 - 0.14 * row, "xanchor": anchor}
        font = {"size": 11, "color": f"@{mark.colour}"}
        notes.append(common | place | {"text": plain(mark.label), "font": font, "yanchor": "top"})
    return notes


def _part(x: float, figure: Figure) -> float:
    """How far along the axis a position lies, 0 to 1."""
    ends = extent(figure, "x")
    low, high = (_shown(end, figure.x) for end in ends)
    return (_shown(x, figure.x) - low) / (high - low) if high > low else 0.0


def _shown(x: float, axis: Axis) -> float:
    return math.log10(x) if axis.log else x


def _line(mark: Mark, suffix: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": f"x{suffix}",
        "yref": f"y{suffix} domain",
        "x0": mark.x,
        "x1": mark.x,
        "y0": 0,
        "y1": 1,
        "line": {"color": f"@{mark.colour}", "width": 1, "dash": "dot"},
    }
