# SPDX-License-Identifier: Apache-2.0
"""The worst samples of a recording: what they were, where and when."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from jitterlab.analysis.cells import Cells, RunSummary
from jitterlab.errors import InputError
from jitterlab.recording import Counts, Recording

SHOWN = 10


@dataclass(frozen=True, slots=True)
class WorstSample:
    """One of the largest samples.

    Attributes:
        value: In the unit of the response.
        run: The number of its run.
        levels: The levels of that run.
        cpu: The CPU it ran on; None if the recording does not tell.
        due_s: When it was due, in seconds since the start of its run; None if only counts were kept.
        at: The same as wall-clock time (UTC, ISO 8601), to be looked up in the machine's logs; None if
            not known.
    """

    value: int
    run: int
    levels: Mapping[str, str]
    cpu: int | None
    due_s: float | None
    at: str | None


def worst_samples(recording: Recording, cells: Cells, shown: int = SHOWN) -> tuple[WorstSample, ...]:
    """The largest samples, the worst first; only the runs that hold them are read, one batch at a time."""
    everything = Counts.merge(cell.counts for cell in cells.cells)
    least = int(everything.top(shown)[-1])
    facts = {
        row["run"]: row["facts"] for row in recording.runs.to_arrow().select(["run", "facts"]).to_pylist()
    }
    found = [
        sample
        for run in cells.runs
        if run.counts.max >= least
        for sample in _of_run(recording, run, cells.response, least, facts[run.run])
    ]
    return tuple(sorted(found, key=lambda sample: -sample.value)[:shown])


def _of_run(
    recording: Recording, run: RunSummary, response: str, least: int, facts: str
) -> list[WorstSample]:
    try:
        samples = recording.samples_of(run.run).select(["cpu", "due", response])
    except InputError:  # it kept only counts
        values = run.counts.top(SHOWN)
        return [WorstSample(int(v), run.run, run.levels, None, None, None) for v in values if v >= least]
    origin = _origin_ns(facts)
    found = []
    for batch in samples.batches():
        late = np.flatnonzero(batch.column(2).to_numpy() >= least)
        for cpu, due, value in zip(*(batch.column(i).take(late).to_pylist() for i in range(3)), strict=True):
            at = None if origin is None else datetime.fromtimestamp((origin + due) / 1e9, UTC)
            stamp = None if at is None else at.isoformat(timespec="microseconds")
            found.append(WorstSample(value, run.run, run.levels, cpu, due / 1e9, stamp))
    return found


def _origin_ns(facts: str) -> int | None:
    """When the first source of a run started, in ns since 1970."""
    head: dict[str, Any] = json.loads(facts).get("head", {})
    starts = [source["start_ns"] for source in head.get("sources", [])]
    return min(starts) + int(head["realtime_offset_ns"]) if starts else None
