# SPDX-License-Identifier: Apache-2.0
"""The series of a figure as traces of plotly.js; colours as `report.plotly` writes them."""

import html
import math
from typing import Any

import numpy as np

from jitterlab.report.figure import Boxes, Figure, HeatMap, Intervals, Lines, Numbers, Points, Series, Steps

COLOURS = 8
DASHES = ("solid", "dash", "dot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star")


def trace(series: Series, figure: Figure) -> dict[str, Any]:
    """One series as one trace."""
    return _drawn(series, figure) | {"name": plain(series.name), "meta": series.name}


def _drawn(series: Series, figure: Figure) -> dict[str, Any]:
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
        "text": [plain(note) for note in series.notes],
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
        "text": [plain(note) for note in series.notes],
        "marker": {"size": 9, "color": f"@{series.colour}"},
        "hovertemplate": "%{text}<extra></extra>"
        if series.notes
        else _hover(figure, "%{x:.4~g}", "%{y:.4~g}"),
    }


def _boxes(series: Boxes, figure: Figure) -> dict[str, Any]:
    unit = plain(figure.x.unit)
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
            "title": {"text": plain(series.name), "side": "right"},
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
    parts = [f"{plain(figure.x.label)}: {'%{x}' if figure.x.categories else x} {plain(figure.x.unit)}"]
    parts.append(f"{plain(figure.y.label)}: {'%{y}' if figure.y.categories else y} {plain(figure.y.unit)}")
    if z:
        parts.append(z)
    return "<br>".join(parts)


def _numbers(values: Numbers) -> list[float | None]:
    """Five significant digits are finer than a screen; NaN becomes null."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]


def plain(text: str) -> str:
    """A text that plotly shows as it is: it reads a small HTML, `%{…}` as a field, `$…$` as mathematics."""
    text = html.escape(text, quote=False).replace("{", "&#123;").replace("$", "&#36;")
    return text.replace("\n", "<br>")
