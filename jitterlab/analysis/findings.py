# SPDX-License-Identifier: Apache-2.0
"""Everything that the terminal and the report say about a recording, computed once."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from jitterlab.analysis.attribution import Attribution, of_recording
from jitterlab.analysis.cautions import Caution, cautions
from jitterlab.analysis.cells import Cells, cells
from jitterlab.analysis.checks import Check, checks
from jitterlab.analysis.conclusions import Answer, answer, as_papers
from jitterlab.analysis.differences import Difference, differences
from jitterlab.analysis.factorial import FactorialAnova, analyse, analyse_jitter, default_formula
from jitterlab.analysis.machine import of_machine
from jitterlab.analysis.overview import CellRow, overview
from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording
from jitterlab.recording.reading import Worst

WORST = 10
COMPARED = ("median", "p99", "sd")
FORMAT, VERSION = "jitterlab-findings", 1


@dataclass(frozen=True, slots=True)
class Findings:
    """What a recording says.

    Attributes:
        title: Of the study.
        cells: The value counts of the response, per cell and run.
        per_cpu: The value counts per cell (by its number) and CPU.
        rows: The cells in numbers.
        answers: What decides, in sentences.
        cautions: What limits the numbers, with remedies.
        checks: Whether what the tests assume holds.
        worst: The largest samples of the runs that kept their samples.
        differences: Between the levels of every factor, in the median, the 99th percentile and the
            standard deviation of a run.
        attribution: What goes along with late runs of the same settings; None if runs have too few samples.
        mean: What decides the mean; None if no factor varies.
        median: What decides the median; None if no factor varies.
        jitter: What decides the dispersion; None if no factor varies.
        tail: What decides the (logarithm of the) 99th percentile; None if no factor varies.
    """

    title: str
    cells: Cells
    per_cpu: Mapping[tuple[int, int | None], Counts]
    rows: tuple[CellRow, ...]
    answers: tuple[Answer, ...]
    cautions: tuple[Caution, ...]
    checks: tuple[Check, ...]
    worst: tuple[Worst, ...]
    differences: tuple[Difference, ...]
    attribution: Attribution | None
    mean: FactorialAnova | None
    median: FactorialAnova | None
    jitter: FactorialAnova | None
    tail: FactorialAnova | None

    def to_dict(self) -> dict[str, Any]:
        """All but the counts themselves, ready for JSON."""
        analyses = {"mean": self.mean, "median": self.median, "jitter": self.jitter, "p99": self.tail}
        lists = ("answers", "cautions", "checks", "worst", "differences")
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "response": self.cells.response,
            "unit": self.cells.unit,
            "cells": [asdict(row) for row in self.rows],
            **{name: [asdict(item) for item in getattr(self, name)] for name in lists},
            "attribution": self.attribution and asdict(self.attribution),
            "anova": {name: result and result.to_dict() for name, result in analyses.items()},
        }


def findings(recording: Recording, response: str | None = None) -> Findings:
    """What a recording says about a response (the first one unless named).

    Everything but the worst samples and the checks of order comes from the stored counts, so that the time
    hardly grows with the number of samples.

    Raises:
        InputError: There is no measured run, or no such response.
    """
    name = response or recording.responses[0].name
    grouped = cells(recording, name)
    rows = recording.runs.to_arrow().to_pylist()
    varied = bool(grouped.varied)
    mean = analyse(grouped) if varied else None
    median = analyse(grouped, statistic="median") if varied else None
    jitter = analyse_jitter(grouped) if varied else None
    tail = _tail(grouped) if varied else None
    attribution = _attribution(recording, name)
    typical = answer(f"What decides {name}?", f"the median {name}", "median", grouped, median)
    scatter = answer("What decides jitter?", "the jitter (standard deviation)", "sd", grouped, jitter)
    late = answer("What decides the tail?", "the 99th percentile", "p99", grouped, tail)
    going_along = (attribution.sentence(),) if attribution is not None and attribution.found else ()
    aliased = (mean.aliasing,) if mean is not None and mean.aliasing else ()
    typical = replace(typical, sentences=(*typical.sentences, *aliased, *as_papers(mean)))
    late = replace(late, sentences=(*late.sentences, *going_along))
    return Findings(
        title=recording.manifest.title,
        cells=grouped,
        per_cpu=_per_cpu(recording, name),
        rows=overview(grouped, rows),
        answers=(typical, scatter, late) if varied else (typical,),
        cautions=(
            *cautions(rows, len(recording.manifest.plan)),
            *of_machine(recording.environment, grouped.factors),
        ),
        checks=checks(recording, grouped, mean),
        worst=tuple(recording.worst(name, WORST)),
        differences=_differences(grouped),
        attribution=attribution,
        mean=mean,
        median=median,
        jitter=jitter,
        tail=tail,
    )


def _tail(cells: Cells) -> FactorialAnova:
    """The analysis of the 99th percentiles, of their logarithms where they have one.

    Tails differ by factors, and runs with long tails scatter more: on a logarithmic scale both fit the model.
    """
    with suppress(InputError):
        logarithmic = analyse(cells, replace(default_formula(cells), transform="log"), "p99")
        if logarithmic.runs is not None:
            return logarithmic
    return analyse(cells, statistic="p99")


def _differences(cells: Cells) -> tuple[Difference, ...]:
    """Every pair of levels of every factor, in every statistic that the samples of a run support."""
    found: list[Difference] = []
    for statistic, factor in product(COMPARED, cells.varied):
        with suppress(InputError):
            found += differences(cells, factor, statistic)
    return tuple(found)


def _attribution(recording: Recording, response: str) -> Attribution | None:
    with suppress(InputError):
        return of_recording(recording, response, "p99")
    return None


def _per_cpu(recording: Recording, response: str) -> dict[tuple[int, int | None], Counts]:
    parts: dict[tuple[int, int | None], list[Counts]] = {}
    for entry in recording.counts(response):
        parts.setdefault((entry.cell, entry.cpu), []).append(entry.counts)
    return {key: Counts.merge(counts) for key, counts in parts.items()}
