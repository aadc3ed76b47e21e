# SPDX-License-Identifier: Apache-2.0
"""Colours that the colour-blind can tell apart, with at least 3 : 1 contrast to the paper of their theme.

Derived from the palette of Okabe and Ito (Color Universal Design, 2008), darkened for white and lightened
for dark paper.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a page: text, secondary text, grid, paper, series, and of counts from few to many."""

    ink: str
    muted: str
    grid: str
    paper: str
    colours: tuple[str, ...]
    scale: tuple[str, ...]


LIGHT = Theme(
    ink="#1b1f24",
    muted="#57606a",
    grid="#dde1e6",
    paper="#ffffff",
    colours=("#0072b2", "#c8500a", "#00835d", "#b0508a", "#8c6d00", "#2f9ad0", "#5b4fb0", "#444b54"),
    scale=("#c6dbef", "#6baed6", "#2171b5", "#08306b"),
)
DARK = Theme(
    ink="#e6e9ed",
    muted="#a3abb5",
    grid="#343b45",
    paper="#14181d",
    colours=("#56b4e9", "#f0853a", "#2fc79a", "#e58fc0", "#e6c229", "#3f87c9", "#a99df0", "#b4bcc6"),
    scale=("#23486b", "#3b7fb5", "#7fc0ee", "#e8f5ff"),
)
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
