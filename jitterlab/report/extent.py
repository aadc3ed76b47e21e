# SPDX-License-Identifier: Apache-2.0
"""Over which range a figure reaches, and where a logarithmic axis needs its ticks."""

import math
from typing import Literal

import numpy as np

from jitterlab.report.figure import Axis, Boxes, Figure, Intervals, Numbers, Series

LONGEST_NAME = 36
FEW_DECADES = 3.2
"""Up to so many decades an axis has ticks at 1, 2 and 5, beyond only at powers of ten."""


def _short(name: str) -> str:
    """A name whose lines leave room for the plot beside them."""
    lines = (
        line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…" for line in name.split("\n")
    )
    return "\n".join(lines)


def extent(figure: Figure, which: Literal["x", "y"]) -> tuple[float, float]:
    """The smallest and the largest position on an axis; only positive ones where it is logarithmic."""
    axis = figure.x if which == "x" else figure.y
    every = np.concatenate([_positions(series, which) for panel in figure.panels for series in panel.series])
    usable = every[every > 0] if axis.log else every
    return (float(usable.min()), float(usable.max())) if len(usable) else (1.0, 1.0)


def _positions(series: Series, which: Literal["x", "y"]) -> Numbers:
    if which == "y":
        return series.y
    match series:
        case Boxes(low=low, high=high) | Intervals(low=low, high=high):
            return np.concatenate((low, high))
        case _:
            return series.x


def ticks(axis: Axis, low: float, high: float, *, coarse: bool = False) -> tuple[tuple[float, str], ...]:
    """Where an axis has its ticks: as it says, at its categories, or at round numbers of a logarithmic one.

    Empty for a linear axis, whose ticks the renderer chooses.

    Args:
        axis: The axis.
        low: Where it begins.
        high: Where it ends.
        coarse: Whether there is room for few ticks only.
    """
    if axis.ticks or axis.categories:
        return axis.ticks or tuple((float(at), _short(name)) for at, name in enumerate(axis.categories))
    if not axis.log:
        return ()
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if math.log10(high / low) <= FEW_DECADES and not coarse else (1,)
    positions = [factor * 10.0**decade for decade in range(first, last + 1) for factor in factors]
    return tuple((position, f"{position:,.10g}") for position in positions)
