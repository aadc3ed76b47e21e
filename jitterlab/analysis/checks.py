# SPDX-License-Identifier: Apache-2.0
"""What a text book would check before it believes an analysis, checked and said."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from jitterlab.analysis import assumptions
from jitterlab.analysis.autocorrelation import autocorrelation
from jitterlab.analysis.cells import Cell, Cells
from jitterlab.analysis.compare import compare
from jitterlab.analysis.drift import over_session, within_run
from jitterlab.analysis.factorial import FactorialAnova
from jitterlab.analysis.modes import in_runs, modes
from jitterlab.analysis.periodicity import periodicity
from jitterlab.analysis.series import MOST, Series, series_of
from jitterlab.analysis.sides import Side
from jitterlab.recording import Recording

LOOKED_AT = 4
"""Of so many cells the order of samples (in their first run) and the modes are looked at."""

FEWEST_SAMPLES = 8
CONTROL = "A/A control"

Verdict = Literal["fine", "mind", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """One assumption and whether it holds.

    Attributes:
        name: What was checked.
        verdict: `fine`, `mind` (it does not hold: the sentence says what follows), or `unknown`.
        sentence: What was found, with numbers, and what it means.
        of_study: Whether it is about the study as a whole, not about one of its runs or cells.
    """

    name: str
    verdict: Verdict
    sentence: str
    of_study: bool = True


def checks(recording: Recording, cells: Cells, mean: FactorialAnova | None) -> tuple[Check, ...]:
    """All checks; those about order look at a bounded number of samples of a few runs."""
    found = [*_control(cells), _session(cells)]
    if mean is not None:
        found.append(_repeated(mean))
        found += [_assumption(check) for check in assumptions.check(cells)]
    for cell in cells.cells[:LOOKED_AT]:
        found += [*_order(recording, cells, cell), _modes(cells, cell)]
    return tuple(found)


def control_of(cells: Cells) -> tuple[Cell, Cell] | None:
    """A cell and its repetition under another number, which differ by chance only; None without control."""
    seen: dict[tuple[str, ...], Cell] = {}
    for cell in cells.cells:
        levels = tuple(cell.levels.values())
        if levels in seen:
            return seen[levels], cell
        seen[levels] = cell
    return None


def _control(cells: Cells) -> Iterator[Check]:
    pair = control_of(cells)
    if pair is None:
        return
    first, second = (
        Side(label, cell.runs, lambda _: None)
        for label, cell in zip(("the cell", "its control"), pair, strict=True)
    )
    found = compare(first, second, cells.response, cells.unit).decisive
    differs = found.p is not None and found.p < 0.05
    verdict: Verdict = "unknown" if found.p is None else ("mind" if differs else "fine")
    said = {
        "mind": "differ, though their settings are the same: something that is not in the study acts, unless "
        "this is the one such check of 20 that fails by chance",
        "fine": "do not differ detectably, as it must be",
        "unknown": "cannot be compared",
    }[verdict]
    what = f"Two cells with the settings {pair[0].label} {said}. "
    yield Check(CONTROL, verdict, what + found.sentence())


def _assumption(check: assumptions.Check) -> Check:
    verdict: Verdict = "unknown" if check.holds is None else ("fine" if check.holds else "mind")
    return Check(check.name.capitalize(), verdict, check.sentence)


def _repeated(mean: FactorialAnova) -> Check:
    intraclass = mean.components.intraclass
    verdict: Verdict = "unknown" if intraclass is None else ("mind" if intraclass > 0 else "fine")
    return Check("Samples of one run alike", verdict, mean.components.sentence())


def _session(cells: Cells) -> Check:
    runs = cells.runs
    drift = over_session([run.counts.quantile(0.5) for run in runs], [run.cell for run in runs])
    verdict: Verdict = "unknown" if drift.refusal else ("fine" if drift.stable else "mind")
    return Check("Drift over the session", verdict, drift.sentence())


def _order(recording: Recording, cells: Cells, cell: Cell) -> Iterator[Check]:
    run = cell.runs[0]
    where = f"run {run.run} ({cell.label})"
    series = series_of(recording, run.run, cells.response)
    if series is None or len(series.values) < FEWEST_SAMPLES:
        kept = "The run kept too few samples in their order."
        yield Check(f"Order of samples, {where}", "unknown", kept, of_study=False)
        return
    yield from _of_series(series, cells.unit, where)


def _of_series(series: Series, unit: str, where: str) -> Iterator[Check]:
    looked_at = f"The first {MOST:,} samples of one CPU: " if len(series.values) == MOST else "One CPU: "
    dependence = autocorrelation(series.values)
    verdict: Verdict = "mind" if dependence.dependent else "fine"
    yield Check(f"Independence, {where}", verdict, looked_at + dependence.sentence(), of_study=False)
    drift = within_run(series.values, unit)
    verdict = "unknown" if drift.refusal else ("fine" if drift.stable else "mind")
    yield Check(f"Warm-up and drift, {where}", verdict, looked_at + drift.sentence(), of_study=False)
    if series.due_ns is None:
        unknown = "The recording does not tell when samples were due."
        yield Check(f"Regular spacing, {where}", "unknown", unknown, of_study=False)
        return
    regular = periodicity(series.due_ns, series.values, unit)
    verdict = "unknown" if regular.refusal else ("fine" if regular.period_ns is None else "mind")
    yield Check(f"Regular spacing, {where}", verdict, looked_at + regular.sentence(), of_study=False)


def _modes(cells: Cells, cell: Cell) -> Check:
    found = modes(cell.counts, cells.unit)
    verdict: Verdict = "unknown" if found.refusal else ("mind" if found.multimodal else "fine")
    told = f"{found.sentence()} {in_runs(found, [run.counts for run in cell.runs])}".rstrip()
    return Check(f"Modes, {cell.label}", verdict, told, of_study=False)
