# SPDX-License-Identifier: Apache-2.0
"""The legend of a figure: which name has which colour and which kind of line or point."""

from dataclasses import dataclass
from typing import Literal

from jitterlab.report.figure import Figure, HeatMap, Points, Series
from jitterlab.report.palette import LIGHT

Kind = Literal["solid", "dashed", "dotted", "point"]

STROKES: tuple[Kind, ...] = ("solid", "dashed", "dotted")


@dataclass(frozen=True, slots=True)
class Key:
    """One entry: a name, the index of its colour, and how it is drawn."""

    name: str
    colour: int
    kind: Kind


def legend(figure: Figure) -> tuple[Key, ...]:
    """The entries of a figure; none where a single name would say nothing."""
    named = {series.name: series for panel in figure.panels for series in panel.series if series.name}
    keys = tuple(_key(series) for series in named.values() if not isinstance(series, HeatMap))
    return keys if len(keys) > 1 else ()


def _key(series: Series) -> Key:
    assert not isinstance(series, HeatMap)
    rounds, colour = divmod(series.colour, len(LIGHT.colours))
    kind = "point" if isinstance(series, Points) else STROKES[rounds % len(STROKES)]
    return Key(series.name, colour, kind)
