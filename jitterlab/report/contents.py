# SPDX-License-Identifier: Apache-2.0
"""What the HTML report says, in which order."""

import hashlib
import json
import tomllib
from datetime import UTC, datetime

from jitterlab import __version__
from jitterlab.analysis.findings import Findings
from jitterlab.analysis.wording import number
from jitterlab.recording import Recording
from jitterlab.report import figures, glossary
from jitterlab.report.attributed import anova_tables, attribution_table, differences_table
from jitterlab.report.figure import Figure
from jitterlab.report.scale import printable
from jitterlab.report.sections import Section, Source
from jitterlab.report.tables import Table
from jitterlab.report.tabulated import cells_table, checks_table, machine_table, worst_table

ID_DIGITS = 12


def sections(recording: Recording, found: Findings) -> tuple[Section, ...]:
    """The sections of the report, from the answer to what stands behind it."""
    drawn = figures.of(recording, found)

    def some(*names: str) -> tuple[Figure, ...]:
        return tuple(drawn[name] for name in names if name in drawn)

    parts = [
        Section("answer", "Answer"),
        Section("cells", "Cells", tables=(cells_table(found),), figures=some("boxes")),
        Section(
            "factors",
            "What the factors do",
            tables=(differences_table(found),) if found.differences else (),
            figures=tuple(
                figure
                for name, figure in drawn.items()
                if name == "effects" or name.startswith("interaction")
            ),
        ),
        *(_anova(found) if found.mean is not None else ()),
        Section(
            "distributions",
            "Distributions",
            figures=some("latency-plot", "histograms", "density", "cdf", "ccdf"),
        ),
        Section(
            "time",
            "Over time",
            figures=some("time-series", "run-order", "heat-map"),
            tables=_over_time(found),
        ),
        Section("checks", "Checks", tables=(checks_table(found),)),
        Section(
            "machine",
            "Machine and study",
            tables=(machine_table(recording.environment),),
            sources=(
                Source("Study file", printable_lines(recording.study), unfolded=True),
                Source("Everything known about the machine", _pretty(recording.environment)),
            ),
        ),
        Section("reading", "How to read this", glossary=glossary.WORDS),
    ]
    return tuple(part for part in parts if part.name == "answer" or part.filled)


def _over_time(found: Findings) -> tuple[Table, ...]:
    worst = (worst_table(found),) if found.worst else ()
    if found.attribution is None or not found.attribution.associations:
        return worst
    return (*worst, attribution_table(found.attribution))


def _anova(found: Findings) -> tuple[Section, ...]:
    """Mean and jitter with both units of analysis beside each other, median and p99 by runs only."""
    tables: list[Table] = []
    for name, result in (("mean", found.mean), ("jitter", found.jitter)):
        tables += anova_tables(result, name) if result is not None else ()
    for name, result in (("median", found.median), ("p99", found.tail)):
        tables += anova_tables(result, name)[1:] if result is not None else ()
    return (
        Section("anova", "Analysis of variance", (glossary.ANOVA,), tables=tuple(tables), side_by_side=True),
    )


def facts(recording: Recording, found: Findings) -> str:
    """What was measured, where and when, in one line."""
    manifest, cells = recording.manifest, found.cells.cells
    total = sum(cell.counts.n for cell in cells)
    amounts = (number(len(cells), "cell"), number(len(found.cells.runs), "run"), number(total, "sample"))
    machine, kernel = (str(manifest.target.get(key, "unknown")) for key in ("name", "kernel"))
    parts = (f"workload {manifest.workload}", ", ".join(amounts), f"target {machine}, kernel {kernel}")
    return printable(" · ".join((*parts, f"begun {_moment(manifest.created)}")))


def _moment(created: str) -> str:
    """A time in ISO 8601 as people read it; as it is where it is none."""
    try:
        return f"{datetime.fromisoformat(created).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return created


def provenance(recording: Recording) -> str:
    """Which program made the recording and the page, from which seed, and which recording it is."""
    manifest = recording.manifest
    content = json.dumps(manifest.to_json(), sort_keys=True, default=str)
    identity = hashlib.sha256(content.encode()).hexdigest()[:ID_DIGITS]
    programs = f"Recorded by jitterlab {manifest.jitterlab}, reported by jitterlab {__version__}"
    which = f"recording {recording.path.resolve().name}, id {identity}"
    parts = (programs, f"seed {_seed(recording.study)}", which)
    return printable(" · ".join(parts))


def _seed(study: str) -> str:
    """The seed of the order of the runs, from the study as given."""
    try:
        return str(tomllib.loads(study)["study"]["seed"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return "unknown"


def _pretty(value: object) -> str:
    return printable_lines(json.dumps(value, indent=2, ensure_ascii=False))


def printable_lines(text: str) -> str:
    """A text of several lines without other control characters."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())
