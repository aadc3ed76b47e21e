# SPDX-License-Identifier: Apache-2.0
"""What a session tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass

from jitterlab.design import PlannedRun
from jitterlab.recording import RunRow
from jitterlab.workloads import Progress


@dataclass(frozen=True, slots=True)
class RunBegun:
    """A run begins: setting the machine up comes first, then warm-up and measurement.

    Attributes:
        planned: The run.
        attempt: Which attempt at it this is, from 1.
        failure: Why the attempt before failed; None in the first.
    """

    planned: PlannedRun
    attempt: int
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far the current run is."""

    planned: PlannedRun
    progress: Progress


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A run has ended, and what there is of it is on disk."""

    planned: PlannedRun
    row: RunRow
    last: Progress | None


Event = RunBegun | RunProgress | RunEnded
Observer = Callable[[Event], None]
