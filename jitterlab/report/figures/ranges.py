# SPDX-License-Identifier: Apache-2.0
"""What figures of distributions share: which cells they show, over which range, with how many points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cell
from jitterlab.analysis.wording import number
from jitterlab.recording import Counts
from jitterlab.report.figure import Axis, Numbers
from jitterlab.report.names import cell_names, number_of
from jitterlab.report.scale import Scale

MOST_CELLS = 12
WIDE_RATIO = 20
BINS = 120
BINS_PER_DECADE = 50
CURVE_POINTS = 300


@dataclass(frozen=True, slots=True)
class Selection:
    """The cells that a figure shows, their names, and the sentence that says which were left out."""

    cells: tuple[Cell, ...]
    names: Mapping[int, str]
    sentence: str

    def name(self, cell: Cell) -> str:
        """What a cell is called."""
        return self.names[number_of(cell)]


def selection(cells: Sequence[Cell], join: str = " · ") -> Selection:
    """All cells that hold samples, or the 6 with the lowest and the 6 with the highest 99th percentile."""
    names = cell_names(cells, join)
    filled = [cell for cell in cells if cell.counts.n]
    if len(filled) <= MOST_CELLS:
        return Selection(tuple(filled), names, "")
    order = sorted(range(len(filled)), key=lambda index: filled[index].counts.quantile(0.99))
    half = MOST_CELLS // 2
    kept = sorted(order[:half] + order[-half:])
    sentence = (
        f" Of {len(filled)} cells, the {half} with the lowest and the {half} with the highest p99 are shown."
    )
    return Selection(tuple(filled[index] for index in kept), names, sentence)


def extremes(chosen: Selection, scale: Scale) -> str:
    """Median and maximum of every cell in words."""
    ends = [(chosen.name(c), c.counts.quantile(0.5), c.counts.max) for c in chosen.cells]
    return "; ".join(f"{name}: median {scale.say(p50)}, maximum {scale.say(top)}" for name, p50, top in ends)


def samples_of(cells: Sequence[Cell]) -> str:
    """How many samples are shown, as a part of a caption."""
    return number(sum(cell.counts.n for cell in cells), "sample")


def wide(low: float, high: float) -> bool:
    """Whether a range is so wide that it needs a logarithmic axis."""
    return low > 0 and high / low > WIDE_RATIO


def latency_axis(label: str, scale: Scale, low: float, high: float) -> Axis:
    """The axis of a response from `low` to `high` (in the recorded unit)."""
    return Axis(label, scale.unit, log=wide(low, high))


def body(cells: Sequence[Cell], share: float = 0.99) -> tuple[int, int]:
    """From the smallest value to the largest quantile at `share`: where nearly all samples lie."""
    return min(cell.counts.min for cell in cells), max(cell.counts.quantile(share) for cell in cells)


def edges(low: int, high: int, bins: int = BINS) -> NDArray[np.int64]:
    """Edges of bins from `low` to beyond `high`: equally wide, or in equal ratios where that is far."""
    if wide(low, high):
        count = int(np.ceil(np.log10(high / low) * BINS_PER_DECADE)) + 1
        ratios = low * 10 ** (np.arange(count + 1) / BINS_PER_DECADE)
        return np.unique(np.round(ratios).astype(np.int64))
    width = max(1, -(-(high - low + 1) // bins))
    return low + np.arange((high - low) // width + 2, dtype=np.int64) * width


def stairs(counts: Counts, borders: NDArray[np.int64], floor: float) -> tuple[Numbers, Numbers]:
    """A histogram as a step line: x in the recorded unit, counts as y, `floor` where a bin is empty."""
    seen = counts.histogram(borders).astype(np.float64)
    drawn = np.concatenate((np.where(seen > 0, seen, floor), [floor]))
    changed = np.flatnonzero(np.concatenate(([True], drawn[1:] != drawn[:-1])))
    return borders[changed].astype(np.float64), drawn[changed]


def thinned(x: Numbers, y: Numbers, *, log_x: bool, log_y: bool) -> tuple[Numbers, Numbers]:
    """A curve with points that lie too close to be told apart on a screen left out; both ends stay."""
    if len(x) <= CURVE_POINTS:
        return x, y
    length = _travelled(x, log=log_x) + _travelled(y, log=log_y)
    steps = np.floor(length / length[-1] * CURVE_POINTS)
    kept = np.flatnonzero(np.concatenate(([True], steps[1:] != steps[:-1])))
    kept = np.union1d(kept, [len(x) - 1])
    return x[kept], y[kept]


def _travelled(values: Numbers, *, log: bool) -> Numbers:
    """How far along its axis a monotonous curve has come at each point, from 0 to 1."""
    shown = np.log(values) if log else values
    far = np.abs(shown - shown[0])
    return np.asarray(far / far[-1] if far[-1] else far, dtype=np.float64)
