# SPDX-License-Identifier: Apache-2.0
"""Everything that the terminal and the report say about a recording, computed once."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jitterlab.analysis.cells import Cells, cells
from jitterlab.analysis.factorial import FactorialAnova, analyse, analyse_jitter
from jitterlab.analysis.overview import CellRow, overview
from jitterlab.analysis.worst import WorstSample, worst_samples
from jitterlab.recording import Counts, Recording


@dataclass(frozen=True, slots=True)
class Findings:
    """What a recording says.

    Attributes:
        title: Of the study.
        cells: The value counts of the response, per cell and run.
        per_cpu: The value counts per cell (by its number) and CPU.
        rows: The cells in numbers.
        worst: The largest samples.
        latency: What decides the mean; None if no factor varies.
        jitter: What decides the dispersion; None if no factor varies.
        tail: What decides the 99th percentile; None if no factor varies.
    """

    title: str
    cells: Cells
    per_cpu: Mapping[tuple[int, int | None], Counts]
    rows: tuple[CellRow, ...]
    worst: tuple[WorstSample, ...]
    latency: FactorialAnova | None
    jitter: FactorialAnova | None
    tail: FactorialAnova | None

    def to_dict(self) -> dict[str, Any]:
        """All but the counts themselves, ready for JSON."""
        analyses = {"latency": self.latency, "jitter": self.jitter, "tail": self.tail}
        return {
            "title": self.title,
            "response": self.cells.response,
            "unit": self.cells.unit,
            "cells": [asdict(row) for row in self.rows],
            "anova": {name: result and result.to_dict() for name, result in analyses.items()},
            "worst": [asdict(sample) for sample in self.worst],
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
    runs = recording.runs.to_arrow().to_pylist()
    return Findings(
        title=recording.manifest.title,
        cells=grouped,
        per_cpu=_per_cpu(recording, name),
        rows=overview(grouped, runs),
        worst=worst_samples(recording, grouped),
        latency=analyse(grouped) if grouped.varied else None,
        jitter=analyse_jitter(grouped) if grouped.varied else None,
        tail=analyse(grouped, statistic="p99") if grouped.varied else None,
    )


def _per_cpu(recording: Recording, response: str) -> dict[tuple[int, int | None], Counts]:
    parts: dict[tuple[int, int | None], list[Counts]] = {}
    for entry in recording.counts(response):
        parts.setdefault((entry.cell, entry.cpu), []).append(entry.counts)
    return {key: Counts.merge(counts) for key, counts in parts.items()}
