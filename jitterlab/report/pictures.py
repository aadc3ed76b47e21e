# SPDX-License-Identifier: Apache-2.0
"""A figure as a picture, PNG or SVG, drawn by matplotlib."""

import io
import textwrap
from math import ceil
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from jitterlab.report.extent import extent, ticks
from jitterlab.report.figure import (
    Boxes,
    Figure,
    HeatMap,
    Intervals,
    Lines,
    Mark,
    Panel,
    Points,
    Series,
    Steps,
)
from jitterlab.report.legend import Key, legend
from jitterlab.report.palette import LIGHT, MARKERS

Format = Literal["png", "svg"]

WIDTH_INCHES = 8.0
PANEL_INCHES = 1.3
SINGLE_INCHES = 3.4
ROW_INCHES = 0.32
LINE_INCHES = 0.15
TITLE_INCHES = 0.38
KEY_INCHES = 0.2
KEY_COLUMNS = 4
DOTS_PER_INCH = 150
CAPTION_CHARACTERS = 145
DASHES = ("solid", "dashed", "dotted")
SHADES = LinearSegmentedColormap.from_list("counts", LIGHT.scale)
SYMBOLS = {"circle": "o", "x": "x"}


def picture(figure: Figure, kind: Format) -> bytes:
    """The figure with its title, legend and caption as the bytes of a PNG or SVG file."""
    keys = legend(figure)
    caption = textwrap.fill(_plain(figure.caption), CAPTION_CHARACTERS)
    above = TITLE_INCHES + KEY_INCHES * ceil(len(keys) / KEY_COLUMNS)
    below = 0.2 + 0.16 * (caption.count("\n") + 1)
    height = _plot_inches(figure) + above + below
    canvas = Canvas(figsize=(WIDTH_INCHES, height), layout="constrained")
    room = (0, below / height, 1, 1 - (above + below) / height)
    canvas.get_layout_engine().set(rect=room)  # type: ignore[union-attr,call-arg]
    canvas.text(0.01, 1 - 0.1 / height, _plain(figure.title), va="top", weight="bold", fontsize=12)
    canvas.text(0.01, 0.1 / height, caption, va="bottom", fontsize=7.5, color=LIGHT.muted)
    _legend(canvas, keys, 1 - TITLE_INCHES / height)
    plots = canvas.subplots(len(figure.panels), 1, sharex=True, sharey=figure.shared_y, squeeze=False)[:, 0]
    for axes, panel in zip(plots, figure.panels, strict=True):
        _panel(axes, panel, figure)
    for axes in plots:
        _limits(axes, figure)
    plots[-1].set_xlabel(_plain(figure.x.title))
    if not figure.y.categories:
        canvas.supylabel(_plain(figure.y.title), fontsize=10)
    written = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else None
    canvas.savefig(written, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return written.getvalue()


def _plot_inches(figure: Figure) -> float:
    if len(figure.panels) > 1:
        return PANEL_INCHES * len(figure.panels) + 0.5
    rows = sum(ROW_INCHES + LINE_INCHES * name.count("\n") for name in figure.y.categories)
    return max(SINGLE_INCHES, rows + 0.6)


def _panel(axes: Axes, panel: Panel, figure: Figure) -> None:
    for set_scale, axis in ((axes.set_xscale, figure.x), (axes.set_yscale, figure.y)):
        set_scale("log" if axis.log else "linear")
    axes.grid(color=LIGHT.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    for series in panel.series:
        _draw(axes, series)
    for row, mark in enumerate(panel.marks):
        _mark(axes, mark, row)
    if panel.title:
        axes.set_title(_plain(panel.title), loc="left", fontsize=9)


def _limits(axes: Axes, figure: Figure) -> None:
    """Where the axes begin and have their ticks; once all panels are drawn, since they share their axes."""
    if figure.x.low is not None:
        axes.set_xlim(left=figure.x.low)
    if figure.y.low is not None:
        axes.set_ylim(bottom=figure.y.low)
    _ticks(axes, figure, "x")
    _ticks(axes, figure, "y")


def _draw(axes: Axes, series: Series) -> None:
    match series:
        case Steps(x=x, y=y, filled=filled):
            style = _style(series.colour)
            axes.step(x, y, where="post", **style)  # type: ignore[arg-type]
            if filled:
                axes.fill_between(x, y, step="post", color=style["color"], alpha=0.3, linewidth=0)
        case Lines(x=x, y=y, low=low, high=high, bare=bare):
            marker = "" if bare else MARKERS[series.colour % len(MARKERS)]
            error = None if low is None or high is None else np.array([y - low, high - y])
            axes.errorbar(x, y, error, marker=marker, markersize=5, capsize=3, **_style(series.colour))  # type: ignore[arg-type]
        case Points(x=x, y=y, symbol=symbol, small=small):
            size, opacity = (2.5, 0.5) if small else (5, 1)
            colour, marker = _colour(series.colour), SYMBOLS[symbol]
            axes.plot(x, y, marker, linestyle="", color=colour, markersize=size, alpha=opacity)
        case Intervals(x=x, y=y, low=low, high=high):
            error = np.array([x - low, high - x])
            axes.errorbar(x, y, xerr=error, fmt="o", color=_colour(series.colour), capsize=4)
        case Boxes():
            _boxes(axes, series)
        case HeatMap(x=x, y=y, z=z):
            top = max(float(np.nanmax(z, initial=10.0)), 10.0)
            mesh = axes.pcolormesh(
                x, y, z, norm=LogNorm(1, top), cmap=LinearSegmentedColormap.from_list("counts", LIGHT.scale)
            )
            axes.figure.colorbar(mesh, ax=axes, label=_plain(series.name))


def _boxes(axes: Axes, series: Boxes) -> None:
    columns = (series.low, series.q1, series.median, series.q3, series.high)
    names = ("whislo", "q1", "med", "q3", "whishi")
    stats = [dict(zip(names, box, strict=True)) for box in np.array(columns).T.tolist()]
    axes.bxp(
        stats,
        positions=series.y.tolist(),
        orientation="horizontal",
        showfliers=False,
        widths=0.5,
        patch_artist=True,
        boxprops={"facecolor": _colour(series.colour), "alpha": 0.5},
        medianprops={"color": LIGHT.ink},
    )


def _mark(axes: Axes, mark: Mark, row: int) -> None:
    axes.axvline(mark.x, color=_colour(mark.colour), linewidth=1, linestyle=":")
    if mark.label:
        axes.annotate(
            _plain(mark.label),
            (mark.x, 0.95 - 0.15 * row),
            xycoords=("data", "axes fraction"),
            xytext=(-3, 0),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=7.5,
            color=_colour(mark.colour),
        )


def _ticks(axes: Axes, figure: Figure, which: Literal["x", "y"]) -> None:
    axis, drawn = (figure.x, axes.xaxis) if which == "x" else (figure.y, axes.yaxis)
    shown = ticks(axis, *extent(figure, which), coarse=which == "y" and len(figure.panels) > 1)
    if shown:
        low, high = drawn.get_view_interval()
        inside = [(at, text) for at, text in shown if axis.categories or low <= at <= high]
        drawn.set_major_locator(FixedLocator([at for at, _ in inside]))
        drawn.set_ticklabels([_plain(text) for _, text in inside])
        drawn.set_minor_locator(NullLocator())
    else:
        drawn.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    if axis.categories:
        limits = (-0.6, len(axis.categories) - 0.4)
        if which == "x":
            axes.set_xlim(*limits)
        else:
            axes.set_ylim(*limits)


def _legend(canvas: Canvas, keys: tuple[Key, ...], top: float) -> None:
    if not keys:
        return
    drawn = [
        Line2D([], [], color=LIGHT.colours[key.colour], marker="o", linestyle="")
        if key.kind == "point"
        else Line2D([], [], color=LIGHT.colours[key.colour], linestyle=key.kind)
        for key in keys
    ]
    labels = [_plain(key.name) for key in keys]
    drawn_legend = canvas.legend(
        drawn, labels, loc="upper left", bbox_to_anchor=(0, top), ncols=KEY_COLUMNS, fontsize=8, frameon=False
    )
    drawn_legend.set_in_layout(False)


def _style(index: int) -> dict[str, object]:
    return {
        "color": _colour(index),
        "linewidth": 1.4,
        "linestyle": DASHES[index // len(LIGHT.colours) % len(DASHES)],
    }


def _colour(index: int) -> str:
    return LIGHT.colours[index % len(LIGHT.colours)]


def _plain(text: str) -> str:
    """A text that matplotlib shows as it is: a dollar sign would begin mathematics."""
    return text.replace("$", r"\$")
