# SPDX-License-Identifier: Apache-2.0
"""The two sides of a comparison, and which of their runs may be compared with each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.autocorrelation import LONGEST
from jitterlab.analysis.cells import RunSummary, cells
from jitterlab.analysis.statistic import Statistic
from jitterlab.analysis.wording import listing, number
from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording

FEWEST_PAIRS = 3

UnitOfAnalysis = Literal["runs", "cells", "samples"]
Group = tuple[RunSummary, ...]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sides.

    Attributes:
        label: What it is called.
        runs: Its runs.
        series: Gives the samples of a run in order of time, by its number, or None if not there; only
            asked if there is a single run.
    """

    label: str
    runs: tuple[RunSummary, ...]
    series: Callable[[int], NDArray[np.float64] | None]


def of_recording(recording: Recording, label: str, response: str, where: Mapping[str, str]) -> Side:
    """The runs of a recording with some levels, as one side.

    Raises:
        InputError: The response, a factor or a level is not in the recording, or no run is left.
    """

    def series(run: int) -> NDArray[np.float64] | None:
        try:
            batches = recording.samples_of(run).select(["due", response]).batches()
        except InputError:  # it kept only counts
            return None
        columns: list[NDArray[np.float64]] = []
        rows = 0
        for batch in batches:
            columns.append(np.stack([np.asarray(column, dtype=np.float64) for column in batch.columns]))
            rows += batch.num_rows
            if rows >= LONGEST:
                break
        due, values = np.concatenate(columns, axis=1)[:, :LONGEST]
        return np.asarray(values[np.argsort(due, kind="stable")])

    return Side(label, cells(recording, response, where).runs, series)


@dataclass(frozen=True, slots=True)
class Matched:
    """The runs of two sides, cell by cell.

    Attributes:
        sides: The two sides.
        a: The runs of the first side, one group per matching cell.
        b: The runs of the second side, in the same cells.
        units_of_analysis: What is taken as independent: "runs", "cells" (one run per cell on each side), or
            "samples" (one run on each side).
        notes: What was left out, as sentences.
    """

    sides: tuple[Side, Side]
    a: tuple[Group, ...]
    b: tuple[Group, ...]
    units_of_analysis: UnitOfAnalysis
    notes: tuple[str, ...]

    @property
    def in_blocks(self) -> bool:
        """Whether every block holds one run of every cell and side, and no other."""
        blocks = [tuple(run.block for run in group) for group in (*self.a, *self.b)]
        return all(group == blocks[0] for group in blocks) and len(set(blocks[0])) == len(blocks[0])

    @property
    def runs(self) -> tuple[int, int]:
        """The number of runs on both sides."""
        return sum(map(len, self.a)), sum(map(len, self.b))

    def booted(self, boots: Sequence[str]) -> bool:
        """Whether the sides differ in what is set by a boot."""
        first, second = (
            {self._plot(run, boots) for group in side for run in group} for side in (self.a, self.b)
        )
        return first != second

    def plots(self, boots: Sequence[str]) -> list[list[int]]:
        """The places of the cells that were measured in the same boots."""
        found: dict[Key, list[int]] = {}
        for place, group in enumerate(self.a):
            found.setdefault(self._plot(group[0], boots), []).append(place)
        return list(found.values())

    @staticmethod
    def _plot(run: RunSummary, boots: Sequence[str]) -> Key:
        return tuple(run.levels[name] for name in boots if name in run.levels)

    def supporting(self, statistic: Statistic) -> "tuple[Matched, str]":
        """The same without runs of too few samples for a statistic, and a sentence about these.

        All are kept if a cell would be left with one run where it had more, or with none.
        """
        a, b = (
            tuple(tuple(run for run in group if run.counts.n >= statistic.needs) for group in side)
            for side in (self.a, self.b)
        )
        short = sum(self.runs) - sum(map(len, (*a, *b)))
        fewest = 2 if self.units_of_analysis == "runs" else 1
        if not short or min(map(len, (*a, *b))) < fewest:
            return self, ""
        few = f"less than {number(statistic.needs, 'sample')}"
        note = f"{statistic.name}: {number(short, 'run')} with {few} left out."
        return replace(self, a=a, b=b), note

    def blocks(self) -> tuple[list[list[int]], list[list[int]]]:
        """The block of every run of both sides, cell by cell."""
        first, second = ([[run.block for run in group] for group in side] for side in (self.a, self.b))
        return first, second

    def counts_of_blocks(self) -> tuple[list[list[Counts]], list[list[Counts]]]:
        """The values of both sides, cell by cell, once per block that holds all cells."""
        first, second = (_of_whole_blocks(side) for side in (self.a, self.b))
        return first, second

    def counts(self) -> tuple[list[list[Counts]], list[list[Counts]]]:
        """The values of every run of both sides, cell by cell."""
        first, second = ([[run.counts for run in group] for group in side] for side in (self.a, self.b))
        return first, second

    def pooled(self) -> tuple[Counts, Counts]:
        """The values of all runs of both sides."""
        return _pooled(self.a), _pooled(self.b)


def matched(a: Side, b: Side, match: Sequence[str]) -> Matched:
    """The runs of both sides that have the same levels of some factors.

    Cells with a single run on a side are left out if there are others.

    Raises:
        InputError: No cell is on both sides.
    """
    first, second = _by_levels(a, match), _by_levels(b, match)
    both = [key for key in first if key in second]
    if not both:
        raise InputError(
            f"{a.label} and {b.label} have no runs with the same levels of {', '.join(match) or 'anything'}",
            "compare recordings of the same study, or choose cells with --where",
        )
    alone = len(first) + len(second) - 2 * len(both)
    notes = [f"{number(alone, 'cell')} of only one side left out."] if alone else []
    repeated = [key for key in both if min(len(first[key]), len(second[key])) > 1]
    if repeated and len(repeated) < len(both):
        left = number(len(both) - len(repeated), "cell")
        notes.append(f"{left} with a single run on a side left out.")
    notes += [note for side in (a, b) if (note := _mixed(side, match))]
    chosen = repeated or both
    unit: UnitOfAnalysis = "runs" if repeated else "cells" if len(both) >= FEWEST_PAIRS else "samples"
    return Matched(
        (a, b), tuple(first[key] for key in chosen), tuple(second[key] for key in chosen), unit, tuple(notes)
    )


def _mixed(side: Side, match: Sequence[str]) -> str:
    """That the runs of a side differ in levels that are not kept apart; empty if they do not."""
    names = [name for name in side.runs[0].levels if name not in match]
    mixed = [name for name in names if len({run.levels[name] for run in side.runs}) > 1]
    if not mixed:
        return ""
    return f"{side.label} mixes levels of {listing(mixed)}, which widens the intervals."


def _by_levels(side: Side, match: Sequence[str]) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    for run in side.runs:
        key = tuple(run.levels[name] for name in match)
        groups[key] = (*groups.get(key, ()), run)
    return {key: tuple(sorted(group, key=lambda run: run.block)) for key, group in groups.items()}


def _of_whole_blocks(groups: Sequence[Group]) -> list[list[Counts]]:
    whole = set.intersection(*({run.block for run in group} for group in groups))
    return [
        [Counts.merge(run.counts for run in group if run.block == block) for block in sorted(whole)]
        for group in groups
    ]


def _pooled(groups: Sequence[Group]) -> Counts:
    return Counts.merge(run.counts for group in groups for run in group)
