# SPDX-License-Identifier: Apache-2.0
"""What an importer finds in a file: runs, whose sources have samples in order, or counts only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitterlab.recording.counts import Counts, IntArray
from jitterlab.recording.manifest import RecordedResponse

LATENCY = RecordedResponse("latency", "ns", "how late the thread ran after its timer expired")
NS_PER_UNIT = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Series:
    """Samples in the order in which they were taken.

    Attributes:
        values: The response of each, in the unit of the response.
        due_ns: When each was due, in ns after the start of the source; None if periods tell it.
        periods: The number of the period of each; None if `due_ns` tells it.
    """

    values: IntArray
    due_ns: IntArray | None = None
    periods: IntArray | None = None


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """A thread, CPU or client of a tool.

    Attributes:
        name: What the tool calls it.
        data: Its samples, or the counts that are all that is left of them.
        cpu: The CPU it ran on, as the tool says; None if it does not.
        interval_ns: How long a period is; None if unknown.
        missed: How many periods were missed; None if the tool does not tell.
        lost: How many samples the file does not hold, for instance beyond a histogram; None if unknown.
    """

    name: str
    data: Series | Counts
    cpu: int | None = None
    interval_ns: int | None = None
    missed: int | None = None
    lost: int | None = None

    @property
    def n(self) -> int:
        """How many samples there are."""
        return self.data.n if isinstance(self.data, Counts) else len(self.data.values)


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """One run of a tool.

    Attributes:
        tool: The tool with its version where the file tells it.
        sources: What was measured.
        response: What the samples are.
        resolution_ns: The step of the values; None for values that are no times.
        levels: What the file itself says was varied.
        started_ns: When it began: ns since 1970, UTC; None if unknown.
        duration_s: How long it took; None if unknown.
        settings: What else the file tells: command line, system.
    """

    tool: str
    sources: tuple[ImportedSource, ...]
    response: RecordedResponse = LATENCY
    resolution_ns: float | None = 1
    levels: Mapping[str, str] = field(default_factory=dict)
    started_ns: int | None = None
    duration_s: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
