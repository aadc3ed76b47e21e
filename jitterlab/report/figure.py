# SPDX-License-Identifier: Apache-2.0
"""A figure as data: what is drawn, in which unit, and what a reader has to know; not how it is drawn.

The same `Figure` becomes an interactive chart (`report.plotly`) and a picture (`report.pictures`).
Positions on an axis with categories are their indices 0, 1, …
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it shows, in which unit.

    Attributes:
        label: What is shown, without unit.
        unit: Its unit; empty for numbers without one.
        log: Whether it is logarithmic.
        categories: The names along an axis without numbers; a line feed breaks a long name.
        ticks: Positions and texts that replace the usual ones.
        low: Where the axis begins; None where the data decide.
    """

    label: str
    unit: str = ""
    log: bool = False
    categories: tuple[str, ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()
    low: float | None = None

    @property
    def title(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Steps:
    """A step line: `y[i]` holds from `x[i]` up to `x[i + 1]`; `filled` down to the axis."""

    name: str
    x: Numbers
    y: Numbers
    colour: int = 0
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """Points joined by lines, with intervals where there is `low` and `high`; `bare` hides the points."""

    name: str
    x: Numbers
    y: Numbers
    colour: int = 0
    low: Numbers | None = None
    high: Numbers | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Points that stand alone; `notes` says something about each; `small` ones step back behind others."""

    name: str
    x: Numbers
    y: Numbers
    colour: int = 0
    notes: tuple[str, ...] = ()
    symbol: str = "circle"
    small: bool = False


@dataclass(frozen=True, slots=True)
class Intervals:
    """Estimates with their intervals, lying along the x axis."""

    name: str
    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    colour: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Boxes:
    """Lying box plots, one per category of the y axis: whiskers, quartiles and the median."""

    name: str
    y: Numbers
    low: Numbers
    q1: Numbers
    median: Numbers
    q3: Numbers
    high: Numbers
    colour: int = 0


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Counts: `z[j, i]` lies between `x[i]`, `x[i + 1]` and `y[j]`, `y[j + 1]`; NaN where empty."""

    name: str
    x: Numbers
    y: Numbers
    z: Numbers


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the panel at `x` that says something: a maximum, a mean, no effect."""

    x: float
    label: str
    colour: int = 0


Series = Steps | Lines | Points | Intervals | Boxes | HeatMap


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of a figure; its panels lie below each other and share the x axis."""

    series: tuple[Series, ...]
    title: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure.

    Attributes:
        name: How it is asked for on the command line.
        title: What it shows.
        caption: What a reader has to know to read it: n, bins, whiskers, what was thinned out.
        alt: The same for somebody who cannot see it: what can be read off it.
        x: The x axis.
        y: The y axis.
        panels: The plots, from top to bottom.
        shared_y: Whether all panels share the y axis, so that heights can be compared.
    """

    name: str
    title: str
    caption: str
    alt: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]
    shared_y: bool = True
