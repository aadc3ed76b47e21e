# SPDX-License-Identifier: Apache-2.0
"""Two recordings, or two groups of cells, side by side: how much better or worse, and how surely.

Runs are the units: samples inside a run are not independent, and how much runs of the same settings differ
can only be seen by repeating them. Runs are compared inside matching cells, so that the other factors neither
help nor disturb, and inside blocks where both sides were measured in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jitterlab.analysis.contrast import Contrast, Verdict
from jitterlab.analysis.distances import SMALLEST_P, Distances, distances, shuffled_p
from jitterlab.analysis.drift import over_session
from jitterlab.analysis.sidecontrast import contrast_of
from jitterlab.analysis.sides import Matched, Side, UnitOfAnalysis, matched
from jitterlab.analysis.statistic import Statistic
from jitterlab.analysis.wording import number, probability
from jitterlab.errors import InputError

USUAL = ("mean", "median", "p99", "p99.9", "sd")
_SINGLE_RUNS = (
    "There is only one run on each side: how other runs of the same settings would differ cannot be known "
    "from them; repeat the runs to compare the settings."
)
_APART = (
    "The sides were recorded at different times: whatever else changed in between is part of the difference. "
    "Levels of one study are interleaved, which rules that out."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides compared; the first is the reference.

    Attributes:
        a: Label of the first side.
        b: Label of the second side.
        response: What was compared.
        unit: Its unit.
        units_of_analysis: What was taken as independent: "runs", "cells" (one run per cell on each side), or
            "samples" (one run on each side).
        runs_a: Number of runs of the first side.
        runs_b: Number of runs of the second side.
        cells: Number of matching cells inside which runs were compared.
        contrasts: One per statistic.
        primary: The statistic that the verdict goes by.
        distances: How far the distributions are apart.
        distances_p: Probability of distributions so far apart if the sides were one, by shuffling runs; None
            if there are too few runs.
        notes: What a reader must know, as sentences.
    """

    a: str
    b: str
    response: str
    unit: str
    units_of_analysis: UnitOfAnalysis
    runs_a: int
    runs_b: int
    cells: int
    contrasts: tuple[Contrast, ...]
    primary: str
    distances: Distances
    distances_p: float | None
    notes: tuple[str, ...]

    @property
    def decisive(self) -> Contrast:
        """The contrast that the verdict goes by."""
        return next(found for found in self.contrasts if found.statistic == self.primary)

    @property
    def verdict(self) -> Verdict:
        """Whether the second side is better, worse, equivalent, or it cannot be told."""
        return self.decisive.verdict

    def sentence(self) -> str:
        """The verdict in words."""
        basis = f"{number(self.runs_b, 'run')} of {self.b} against {number(self.runs_a, 'run')} of {self.a}"
        if self.units_of_analysis == "samples" and self.decisive.difference_interval is not None:
            basis += ": true of these runs, not of their settings"
        return f"{self.decisive.sentence()[:-1]} ({self.response}; {basis})."

    def shape(self) -> str:
        """How far the distributions are apart, and whether runs of one side differ as much, in words."""
        if self.distances.kolmogorov_smirnov == 0:
            return self.distances.sentence()
        if self.distances_p is None:
            return f"{self.distances.sentence()} There are too few runs to say whether that is chance."
        chance = f"shuffling runs between the sides: {probability(self.distances_p)}"
        verdict = "more than" if self.distances_p <= SMALLEST_P else "not clearly more than"
        return f"{self.distances.sentence()} That is {verdict} runs of one side differ ({chance})."


def compare(
    a: Side,
    b: Side,
    response: str,
    unit: str,
    *,
    match: Sequence[str] = (),
    statistics: Sequence[str] = USUAL,
    primary: str = "median",
    margin: float = 0.0,
    interleaved: bool = True,
    boots: Sequence[str] = (),
    seed: int = 0,
) -> Comparison:
    """Compare two sides; the first is the reference, and lower is better.

    Args:
        a: The reference.
        b: What is compared with it.
        response: Name of the response.
        unit: Its unit.
        match: Factors of both sides whose levels must agree for runs to be compared.
        statistics: What stands for a run: see `Statistic`.
        primary: The statistic that the verdict goes by.
        margin: Relative difference that does not matter, 0 to 1: 0.05 is 5 %.
        interleaved: Whether the runs of both sides were taken in turn, in one session.
        boots: The factors that are set by a boot, which all runs of the boot share.
        seed: Seed of the resampling.

    Raises:
        InputError: No cell is on both sides, a statistic is not known, or the margin is not from 0 to 1.
    """
    if not 0 <= margin < 1:
        raise InputError(f"a margin of {margin:g} is not from 0 to 1", "write a margin such as 5%")
    chosen = [Statistic.parse(name) for name in dict.fromkeys((*statistics, primary))]
    pairs = matched(a, b, match)
    return Comparison(
        a=a.label,
        b=b.label,
        response=response,
        unit=unit,
        units_of_analysis=pairs.units_of_analysis,
        runs_a=pairs.runs[0],
        runs_b=pairs.runs[1],
        cells=len(pairs.a),
        contrasts=tuple(
            contrast_of(statistic, pairs, unit, margin, seed, interleaved=interleaved, boots=boots)
            for statistic in chosen
        ),
        primary=primary,
        distances=distances(*pairs.pooled(), unit),
        distances_p=_shuffled_p(pairs, seed, together=pairs.booted(boots) or not interleaved),
        notes=(
            *pairs.notes,
            *(note for statistic in chosen if (note := pairs.supporting(statistic)[1])),
            *_notes(pairs, interleaved=interleaved),
        ),
    )


def _notes(pairs: Matched, *, interleaved: bool) -> list[str]:
    """What limits the intervals, as sentences."""
    notes = [_SINGLE_RUNS] if pairs.units_of_analysis == "samples" else []
    if interleaved:
        return notes
    for side in pairs.sides:
        runs = sorted(side.runs, key=lambda run: run.run)
        found = over_session([run.counts.quantile(0.5) for run in runs], [run.cell for run in runs])
        if not (found.stable or found.refusal):
            notes.append(f"{side.label}: {found.sentence()} So its runs depend on each other.")
    return [*notes, _APART]


def _shuffled_p(pairs: Matched, seed: int, *, together: bool) -> float | None:
    """By shuffling runs, or blocks as wholes where all runs of a block belong to one side."""
    whole = pairs.counts_of_blocks()
    if together and all(side[0] for side in whole):
        return shuffled_p(*whole, seed=seed, together=True)
    return shuffled_p(*pairs.counts(), seed=seed)
