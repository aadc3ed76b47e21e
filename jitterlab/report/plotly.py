# SPDX-License-Identifier: Apache-2.0
"""A figure as the JSON that plotly.js draws.

Colours are written as `@0`, `@ink` or `@2/0.3` (with opacity); the page replaces them by those of its theme.
"""

import html
import math
from typing import Any

import numpy as np

from jitterlab.report.figure import (
    Axis,
    Boxes,
    Figure,
    HeatMap,
    Intervals,
    Lines,
    Mark,
    Numbers,
    Panel,
    Points,
    Series,
    Steps,
)

PANEL_PIXELS = 120
SINGLE_PIXELS = 400
FRAME_PIXELS = 110
ROW_PIXELS = 30
LINE_PIXELS = 15
GAP_PIXELS = 30
COLOURS = 8
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star")
DASHES = ("solid", "dash", "dot")


def chart(figure: Figure) -> dict[str, Any]:
    """The figure as `{"data": traces, "layout": layout}`, ready for `Plotly.newPlot`."""
    traces: list[dict[str, Any]] = []
    shown: set[str] = set()
    for index, panel in enumerate(figure.panels):
        for series in panel.series:
            trace = _trace(series, figure) | _anchor(index)
            trace |= {"name": _text(series.name), "legendgroup": _text(series.name)}
            trace["showlegend"] = bool(series.name) and series.name not in shown
            shown.add(series.name)
            traces.append(trace)
    return {"data": traces, "layout": _layout(figure, legend=len(shown - {""}) > 1)}


def _layout(figure: Figure, *, legend: bool) -> dict[str, Any]:
    count = len(figure.panels)
    rows = sum(ROW_PIXELS + LINE_PIXELS * name.count("\n") for name in figure.y.categories)
    inner = PANEL_PIXELS * count if count > 1 else max(SINGLE_PIXELS - FRAME_PIXELS, rows)
    layout: dict[str, Any] = {
        "height": inner + FRAME_PIXELS,
        "showlegend": legend,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1 + 26 / inner, "yanchor": "bottom"},
        "margin": {"l": 8, "r": 12, "t": 34, "b": 8, "pad": 2},
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
        suffix = "" if index == 0 else str(index + 1)
        last = index == count - 1
        x_axis = _axis(figure.x, title=last) | {"anchor": f"y{suffix}", "showticklabels": last}
        if index:
            x_axis["matches"] = "x"
        y_axis = _axis(figure.y, title=count == 1) | {
            "anchor": f"x{suffix}",
            "domain": [max(top - height, 0.0), top],
        }
        if count > 1 and not figure.y.categories:
            y_axis |= {"nticks": 4} | ({"matches": "y"} if index and figure.shared_y else {})
        layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"] = x_axis, y_axis
        layout["annotations"] += _notes(panel, suffix, figure.x)
        layout["shapes"] += [_line(mark, suffix) for mark in panel.marks]
    return layout


def _axis(axis: Axis, *, title: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "type": "log" if axis.log else "linear",
        "gridcolor": "@grid",
        "zeroline": False,
        "linecolor": "@muted",
        "showline": True,
        "ticks": "outside",
        "tickcolor": "@muted",
        "automargin": True,
        "tickformat": ",~g",
    }
    if title:
        shown["title"] = {"text": _text(axis.title), "standoff": 8}
    if axis.log:
        shown |= {"tickformat": ",~g", "minor": {"ticks": "outside", "tickcolor": "@grid"}}
    if axis.low is not None:
        shown |= {"range": [math.log10(axis.low) if axis.log else axis.low, None], "autorange": "max"}
    ticks = axis.ticks or tuple(enumerate(axis.categories))
    if ticks:
        shown |= {
            "tickmode": "array",
            "tickvals": [float(position) for position, _ in ticks],
            "ticktext": [_text(text) for _, text in ticks],
        }
    if axis.categories:
        shown |= {"range": [-0.6, len(axis.categories) - 0.4], "type": "linear"}
    return shown


def _anchor(index: int) -> dict[str, str]:
    suffix = "" if index == 0 else str(index + 1)
    return {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}


def _notes(panel: Panel, suffix: str, axis: Axis) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    if panel.title:
        notes.append(
            {
                "text": _text(panel.title),
                "xref": f"x{suffix} domain",
                "yref": f"y{suffix} domain",
                "x": 0,
                "y": 1,
            }
            | {
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12},
                "align": "left",
            }
        )
    for row, mark in enumerate(mark for mark in panel.marks if mark.label):
        notes.append(
            {
                "text": _text(mark.label),
                "xref": f"x{suffix}",
                "yref": f"y{suffix} domain",
                "y": 1 - 0.14 * row,
            }
            | {"x": math.log10(mark.x) if axis.log else mark.x, "xanchor": "right", "yanchor": "top"}
            | {"showarrow": False, "font": {"size": 11, "color": f"@{mark.colour}"}}
        )
    return notes


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


def _trace(series: Series, figure: Figure) -> dict[str, Any]:
    match series:
        case Steps():
            return _steps(series, figure)
        case Lines():
            return _lines(series, figure)
        case Points():
            return _points(series, figure)
        case Intervals():
            return _intervals(series, figure)
        case Boxes():
            return _boxes(series, figure)
        case HeatMap():
            return _heat_map(series, figure)


def _steps(series: Steps, figure: Figure) -> dict[str, Any]:
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "line": _stroke(series.colour) | {"shape": "hv"},
        "hovertemplate": _hover(figure, "%{x:.4~g}", "%{y:.4~g}"),
    }
    if series.filled:
        trace |= {"fill": "tozeroy", "fillcolor": f"@{series.colour}/0.3"}
    return trace


def _lines(series: Lines, figure: Figure) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines" if series.bare else "lines+markers",
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "line": _stroke(series.colour),
        "marker": {"size": 8, "symbol": SYMBOLS[series.colour % COLOURS]},
        "hovertemplate": _hover(figure, "%{x:.4~g}", "%{y:.4~g}"),
    }
    if series.low is not None and series.high is not None:
        trace["error_y"] = _error(series.y, series.low, series.high)
    return trace


def _points(series: Points, figure: Figure) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "text": [_text(note) for note in series.notes],
        "marker": {
            "size": 4 if series.small else 8,
            "opacity": 0.5 if series.small else 1,
            "color": f"@{series.colour}",
            "symbol": series.symbol,
        },
        "hovertemplate": "%{text}<extra></extra>"
        if series.notes
        else _hover(figure, "%{x:.4~g}", "%{y:.4~g}"),
    }


def _intervals(series: Intervals, figure: Figure) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "error_x": _error(series.x, series.low, series.high),
        "text": [_text(note) for note in series.notes],
        "marker": {"size": 9, "color": f"@{series.colour}"},
        "hovertemplate": "%{text}<extra></extra>"
        if series.notes
        else _hover(figure, "%{x:.4~g}", "%{y:.4~g}"),
    }


def _boxes(series: Boxes, figure: Figure) -> dict[str, Any]:
    unit = _text(figure.x.unit)
    return {
        "type": "box",
        "orientation": "h",
        "y": _numbers(series.y),
        "lowerfence": _numbers(series.low),
        "q1": _numbers(series.q1),
        "median": _numbers(series.median),
        "q3": _numbers(series.q3),
        "upperfence": _numbers(series.high),
        "line": {"color": f"@{series.colour}", "width": 1.6},
        "fillcolor": f"@{series.colour}/0.3",
        "width": 0.5,
        "xhoverformat": ".4~g",
        "hoverlabel": {"namelength": -1},
        "hovertext": unit,
    }


def _heat_map(series: HeatMap, figure: Figure) -> dict[str, Any]:
    with np.errstate(invalid="ignore", divide="ignore"):
        shade = np.log10(series.z)
    top = float(np.nanmax(shade)) if np.isfinite(shade).any() else 1.0
    decades = range(math.floor(top) + 1)
    return {
        "type": "heatmap",
        "x": _numbers(series.x),
        "y": _numbers(series.y),
        "z": [_numbers(row) for row in shade],
        "customdata": [_numbers(row) for row in series.z],
        "zmin": 0,
        "zmax": max(top, 1.0),
        "colorscale": "@scale",
        "colorbar": {
            "title": {"text": _text(series.name), "side": "right"},
            "tickvals": list(decades),
            "ticktext": [f"{10**decade:,}" for decade in decades],
            "thickness": 12,
            "outlinewidth": 0,
        },
        "hovertemplate": _hover(figure, "%{x:.4~g}", "%{y:.4~g}", "%{customdata:,}"),
    }


def _stroke(colour: int) -> dict[str, Any]:
    """After eight colours the same come again, dashed."""
    return {"width": 1.7, "color": f"@{colour}", "dash": DASHES[colour // COLOURS % len(DASHES)]}


def _error(middle: Numbers, low: Numbers, high: Numbers) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": _numbers(high - middle),
        "arrayminus": _numbers(middle - low),
        "thickness": 1.6,
        "width": 5,
    }


def _hover(figure: Figure, x: str, y: str, z: str = "") -> str:
    parts = [f"{_text(figure.x.label)}: {'%{x}' if figure.x.categories else x} {_text(figure.x.unit)}"]
    parts.append(f"{_text(figure.y.label)}: {'%{y}' if figure.y.categories else y} {_text(figure.y.unit)}")
    if z:
        parts.append(z)
    return "<br>".join(parts)


def _numbers(values: Numbers) -> list[float | None]:
    """Five significant digits are finer than a screen; NaN becomes null."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]


def _text(text: str) -> str:
    """A text that plotly shows as it is: it reads its texts as a small HTML, and `%{…}` as a field."""
    return html.escape(text).replace("{", "&#123;").replace("\n", "<br>")
