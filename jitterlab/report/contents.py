# SPDX-License-Identifier: Apache-2.0
"""What the HTML report says, in which order."""

import json

from jitterlab.analysis.findings import Findings
from jitterlab.analysis.wording import number
from jitterlab.recording import Recording
from jitterlab.report import figures
from jitterlab.report.scale import printable
from jitterlab.report.sections import Section, Source
from jitterlab.report.tabulated import cells_table, worst_table


def sections(recording: Recording, found: Findings) -> tuple[Section, ...]:
    """The sections of the report, from the answer to what stands behind it."""
    drawn = figures.of(recording, found)
    return (
        Section("answer", "Answer"),
        Section("cells", "Cells", tables=(cells_table(found),), figures=tuple(drawn[n] for n in ("boxes",))),
        Section(
            "distributions",
            "Distributions",
            figures=tuple(drawn[n] for n in ("latency-plot", "histograms", "density", "cdf", "ccdf")),
        ),
        Section(
            "time",
            "Over time",
            tables=(worst_table(found),),
            figures=tuple(drawn[n] for n in ("time-series", "run-order", "heat-map") if n in drawn),
        ),
        Section(
            "environment",
            "Machine and study",
            sources=(
                Source("Environment", _pretty(recording.environment)),
                Source("Study file", printable_lines(recording.study)),
            ),
        ),
    )


def facts(recording: Recording, found: Findings) -> str:
    """What was measured, where and when, in one line."""
    manifest, cells = recording.manifest, found.cells.cells
    total = sum(cell.counts.n for cell in cells)
    amounts = (number(len(cells), "cell"), number(len(found.cells.runs), "run"), number(total, "sample"))
    machine, kernel = (str(manifest.target.get(key, "unknown")) for key in ("name", "kernel"))
    parts = (f"workload {manifest.workload}", ", ".join(amounts), f"target {machine}, kernel {kernel}")
    return printable(" · ".join((*parts, f"begun {manifest.created}")))


def provenance(recording: Recording) -> str:
    """Which program made the recording."""
    return printable(f"Recorded by jitterlab {recording.manifest.jitterlab} into {recording.path.name}.")


def _pretty(value: object) -> str:
    return printable_lines(json.dumps(value, indent=2, ensure_ascii=False))


def printable_lines(text: str) -> str:
    """A text of several lines without other control characters."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())
