# SPDX-License-Identifier: Apache-2.0
"""Cells: the exact value counts of a response per combination of levels and per run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from jitterlab.analysis import moments as mo
from jitterlab.analysis.statistic import Statistic
from jitterlab.analysis.wording import listing, number
from jitterlab.errors import InputError
from jitterlab.recording import Counts

if TYPE_CHECKING:
    import pandas as pd

    from jitterlab.recording import Recording

_MOST_NAMED = 5
"""Runs up to which each is named in a sentence."""

_COLUMNS = frozenset({"run", "block", "cell", "boot", "n", "mean", "variance"})


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run: where it stands in the design, and its measured values.

    Attributes:
        run: Its number in the plan.
        block: The replicate it belongs to.
        cell: The number of its combination of levels in the plan.
        levels: The level of every factor.
        counts: The exact value counts of the response.
    """

    run: int
    block: int
    cell: int
    levels: Mapping[str, str]
    counts: Counts


@dataclass(frozen=True)
class Cell:
    """One combination of levels with its runs in order of the plan."""

    levels: Mapping[str, str]
    runs: tuple[RunSummary, ...]

    @cached_property
    def counts(self) -> Counts:
        """The values of all its runs together."""
        return Counts.merge(run.counts for run in self.runs)

    @property
    def label(self) -> str:
        """The levels in words: `policy=fifo:80, load=none`."""
        return ", ".join(f"{name}={level}" for name, level in self.levels.items()) or "all"


@dataclass(frozen=True, slots=True)
class Cells:
    """All cells of one response.

    Attributes:
        factors: The factors with their levels, in the order of the study; only levels that have runs.
        response: Its name.
        unit: Its unit.
        cells: In the order of the plan.
        between_boots: The factors that change only with a boot of the target.
    """

    factors: Mapping[str, tuple[str, ...]]
    response: str
    unit: str
    cells: tuple[Cell, ...]
    between_boots: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """All runs in the order of the plan."""
        return tuple(sorted((run for cell in self.cells for run in cell.runs), key=lambda run: run.run))

    @property
    def varied(self) -> tuple[str, ...]:
        """The factors with at least two levels."""
        return tuple(name for name, levels in self.factors.items() if len(levels) > 1)

    def moments(self, transform: str | None = None) -> "pd.DataFrame":
        """One row per cell: its levels, `n`, `mean` and `variance`, of the samples as units.

        Args:
            transform: `log`, `log10` or `sqrt` of the response, exactly, from the counts.

        Raises:
            InputError: The transformation is not defined for a measured value.
        """
        return self._frame([(cell.levels, {}, mo.of_counts(cell.counts, transform)) for cell in self.cells])

    def distances(self) -> "pd.DataFrame":
        """As `moments`, of |x - median of the cell|: what the Brown-Forsythe test of dispersion analyses."""
        return self._frame([(cell.levels, {}, mo.around_median(cell.counts)) for cell in self.cells])

    def run_moments(
        self, statistic: "str | Statistic" = "mean", transform: str | None = None
    ) -> "pd.DataFrame":
        """One row per run: `run`, `block`, `cell`, its levels, `n` = 1, `mean` = the statistic, `variance` 0.

        Args:
            statistic: What stands for a run: `mean`, `median`, `sd`, `log_sd`, `min`, `p99`, `p99.9`, …
            transform: Applied to the statistic.

        Raises:
            InputError: The statistic is not known or not supported by the samples of a run.
        """
        of = Statistic.parse(statistic) if isinstance(statistic, str) else statistic
        rows = []
        for run in self.runs:
            value = of.of(run.counts, transform, where=f"run {run.run}")
            place = {"run": run.run, "block": str(run.block), "cell": run.cell}
            rows.append((run.levels, place, mo.Moments(1, value, 0.0)))
        return self._frame(rows)

    def supporting(self, of: Statistic) -> "tuple[Cells, str]":
        """The cells without runs of too few samples for a statistic, and a sentence about these.

        If no run has enough, all are kept.
        """
        short = [run for run in self.runs if run.counts.n < of.needs]
        if not short or len(short) == len(self.runs):
            return self, ""
        named = listing([f"run {run.run} ({number(run.counts.n, 'sample')})" for run in short[:_MOST_NAMED]])
        more = f" and {len(short) - _MOST_NAMED} more" if len(short) > _MOST_NAMED else ""
        kept = [run for run in self.runs if run not in short]
        note = f"Left out, because {of.name} needs {number(of.needs, 'sample')}: {named}{more}."
        return replace(self, factors=present(self.factors, kept), cells=group(kept)), note

    def _frame(self, rows: "list[tuple[Mapping[str, str], dict[str, Any], mo.Moments]]") -> "pd.DataFrame":
        import pandas as pd

        for name in self.factors:
            if name in _COLUMNS:
                raise InputError(
                    f"a factor is named '{name}', a column of the analysis", "give it another name"
                )
        return pd.DataFrame(
            [
                {**place, **{name: levels[name] for name in self.factors}}
                | {"n": moments.n, "mean": moments.mean, "variance": moments.variance}
                for levels, place, moments in rows
            ]
        )


def cells(recording: "Recording", response: str = "latency", where: Mapping[str, str] | None = None) -> Cells:
    """The cells of a recording; the CPUs of a run are put together.

    Args:
        recording: An open recording.
        response: The response.
        where: Only runs with these levels, as {factor: level}.

    Raises:
        InputError: The response or a factor or level is not in the recording, or no run is left.
    """
    units = {known.name: known.unit for known in recording.responses}
    if response not in units:
        raise InputError(
            f"{recording.path} has no response '{response}'", f"choose one of: {', '.join(units) or 'none'}"
        )
    chosen = dict(where or {})
    _check_levels(recording, chosen)
    runs = [
        run for run in _runs(recording, response) if all(run.levels[name] == chosen[name] for name in chosen)
    ]
    if not runs:
        raise InputError(
            f"{recording.path} has no measured run{' with these levels' if chosen else ''}",
            "finish it with 'jitterlab resume'",
        )
    between = tuple(factor.name for factor in recording.manifest.factors if factor.between_boots)
    return Cells(present(recording.factors, runs), response, units[response], group(runs), between)


def present(factors: Mapping[str, tuple[str, ...]], runs: "list[RunSummary]") -> dict[str, tuple[str, ...]]:
    """The factors with only those levels that have runs."""
    found = {name: {run.levels[name] for run in runs} for name in factors}
    return {
        name: tuple(level for level in levels if level in found[name]) for name, levels in factors.items()
    }


def group(runs: "list[RunSummary]") -> tuple[Cell, ...]:
    """The runs by their combination of levels, in the order in which the combinations are numbered."""
    ordered = sorted(runs, key=lambda run: (run.cell, run.run))
    return tuple(
        Cell(members[0].levels, members)
        for members in (tuple(found) for _, found in groupby(ordered, key=lambda run: run.cell))
    )


def _runs(recording: "Recording", response: str) -> list[RunSummary]:
    """The runs that have samples, with the counts of their CPUs put together."""
    entries = sorted(recording.counts(response), key=lambda entry: entry.run)
    runs = []
    for _, found in groupby(entries, key=lambda entry: entry.run):
        parts = list(found)
        counts = Counts.merge(part.counts for part in parts)
        first = parts[0]
        if counts.n:
            runs.append(RunSummary(first.run, first.block, first.cell, first.levels, counts))
    return runs


def _check_levels(recording: "Recording", chosen: Mapping[str, str]) -> None:
    for name, level in chosen.items():
        if name not in recording.factors:
            raise InputError(
                f"{recording.path} has no factor '{name}'", f"choose one of: {', '.join(recording.factors)}"
            )
        if level not in recording.factors[name]:
            raise InputError(
                f"factor '{name}' of {recording.path} has no level '{level}'",
                f"choose one of: {', '.join(recording.factors[name])}",
            )
