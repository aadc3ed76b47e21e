# SPDX-License-Identifier: Apache-2.0
"""The runs of a recording: what the session says about each, and what the counts of each are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from jitterlab.recording.counts import Counts

Status = Literal["ok", "failed", "interrupted"]


class MeterReading(Protocol):
    """What a meter said about a run."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def unit(self) -> str:
        """Its unit."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """What a session knows about a run that has ended; samples and facts come from its stream.

    Attributes:
        run: Its number in the plan; block, cell and levels are looked up there.
        status: `ok`, `failed` (after all attempts) or `interrupted` (what was measured until then is valid).
        started_ns: When the last attempt began: ns since 1970, UTC.
        duration_s: How long the last attempt took, in seconds.
        attempts: How often it was tried.
        error: Why it failed; None if it did not.
        readings: What meters said, as {"<meter>.<reading>": reading}.
        log: What its programs wrote, kept in `logs/`; empty for none.
    """

    run: int
    status: Status
    started_ns: int
    duration_s: float
    attempts: int = 1
    error: str | None = None
    readings: Mapping[str, MeterReading] = field(default_factory=dict)
    log: str = ""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The exact value counts of one response in one run on one CPU.

    Attributes:
        run: The number of the run.
        block: The replicate it belongs to.
        cell: The number of its combination of levels.
        levels: The level of every factor.
        cpu: The CPU; None if the samples do not tell.
        counts: The counts of the measured part.
    """

    run: int
    block: int
    cell: int
    levels: Mapping[str, str]
    cpu: int | None
    counts: Counts
