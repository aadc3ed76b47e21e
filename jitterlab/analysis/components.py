# SPDX-License-Identifier: Apache-2.0
"""Variance components: how much of the scatter is between the runs of a cell and how much inside them."""

from dataclasses import asdict, dataclass
from typing import Any

from jitterlab.analysis import moments as mo
from jitterlab.analysis.cells import Cells
from jitterlab.analysis.wording import percent


@dataclass(frozen=True, slots=True)
class Components:
    """The scatter of one response, pooled over the cells.

    Attributes:
        runs: Variance between runs of one cell, beyond what the samples inside them explain; cut off at 0;
            None if no cell has two runs, or no run two
            samples.
        samples: Variance inside runs, in the square of the response's unit.
        intraclass: Share of `runs` in their sum, the correlation of two samples of a run; None if `runs` is.
        samples_per_run: Average samples per run (weighted as the method needs it).
        effective: How many independent samples a run is worth; None if `runs` is.
        n: How many runs.
    """

    runs: float | None
    samples: float
    intraclass: float | None
    samples_per_run: float
    effective: float | None
    n: int

    def sentence(self) -> str:
        """What the components mean for the tests."""
        if self.intraclass is None or self.effective is None:
            lacking = "no combination was run twice" if self.samples_per_run > 1 else "runs hold one sample"
            return f"How much runs differ is not known: {lacking}."
        return (
            f"{percent(self.intraclass)} of the scatter is between runs of the same settings: "
            f"a run of {self.samples_per_run:,.0f} samples is worth {self.effective:,.0f} independent ones."
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields and the sentence, ready for JSON."""
        return {**asdict(self), "sentence": self.sentence()}


def components(cells: Cells, transform: str | None = None) -> Components:
    """The variance components by the analysis of variance method.

    Source: Searle, Casella and McCulloch, "Variance Components" (1992), section 3.6, runs in cells;
    Kalibera and Jones, "Rigorous benchmarking in reasonable time" (2013), use it on repeated runs.
    """
    between = inside = 0.0
    between_df = inside_df = 0
    weighted = 0.0
    total = 0
    for cell in cells.cells:
        parts = [mo.of_counts(run.counts, transform) for run in cell.runs]
        whole = mo.merge(parts)
        within = sum(part.sum_sq for part in parts)
        between += max(whole.sum_sq - within, 0.0)
        between_df += len(parts) - 1
        inside += within
        inside_df += whole.n - len(parts)
        weighted += whole.n - sum(part.n**2 for part in parts) / whole.n
        total += whole.n
    runs = len(cells.runs)
    scatter = inside / inside_df if inside_df else 0.0
    if not (between_df and inside_df):
        return Components(None, scatter, None, total / runs, None, runs)
    per_run = weighted / between_df
    component = max((between / between_df - scatter) / per_run, 0.0)
    both = component + scatter
    intraclass = component / both if both > 0 else 0.0
    effective = per_run / (1 + (per_run - 1) * intraclass)
    return Components(component, scatter, intraclass, per_run, effective, runs)
