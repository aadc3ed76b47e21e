# SPDX-License-Identifier: Apache-2.0
"""A recording: everything one execution of a study left behind, as a folder of open formats."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path

from jitterlab.recording.manifest import (
    Manifest,
    PlannedRun,
    RecordedFactor,
    RecordedResponse,
    RunLike,
    StudyLike,
)
from jitterlab.recording.manifest import WorkloadLike
from jitterlab.recording.runs import RunCounts, RunRow
from jitterlab.recording.table import Table
from jitterlab.targets import TargetInfo


class Recording:
    """A folder with the runs of a study, their samples and their value counts.

    Attributes:
        path: The folder.
        manifest: What `recording.json` says.
        environment: What the machine was like, as captured when the recording was begun.
    """

    path: Path
    manifest: Manifest
    environment: Mapping[str, object]

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        study: StudyLike,
        plan: Sequence[RunLike],
        environment: Mapping[str, object],
        workload: WorkloadLike,
        target: TargetInfo,
    ) -> "Recording":
        """Begin a recording in a new or empty folder."""
        raise NotImplementedError

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Recording":
        """Open a recording to read it; what was committed is there, however its writing ended."""
        raise NotImplementedError

    @classmethod
    def reopen(cls, path: str | PathLike[str]) -> "Recording":
        """Open a recording to go on with it: what an interrupted append left is removed."""
        raise NotImplementedError

    @property
    def factors(self) -> dict[str, tuple[str, ...]]:
        """The factors by name, each with its levels in the order of the study."""
        raise NotImplementedError

    @property
    def responses(self) -> tuple[RecordedResponse, ...]:
        """What every sample measures."""
        raise NotImplementedError

    @property
    def missing(self) -> tuple[PlannedRun, ...]:
        """The runs of the plan that have no row with status `ok`, in their order."""
        raise NotImplementedError

    def append(self, row: RunRow, stream: str | PathLike[str] | None) -> None:
        """Convert the stream of a run and commit the run; a failed run may have no stream (None).

        A run that is there with another status than `ok` is replaced.
        """
        raise NotImplementedError

    @property
    def runs(self) -> Table:
        """One row per committed run."""
        raise NotImplementedError

    @property
    def samples(self) -> Table:
        """All measured samples: run, factors, cpu, source, period, due (ns since the run's start), responses."""
        raise NotImplementedError

    def samples_of(self, run: int) -> Table:
        """The measured samples of one run, as `samples`."""
        raise NotImplementedError

    def counts(self, response: str = "latency") -> Iterator[RunCounts]:
        """The value counts of a response: one entry per run and CPU, runs in order; failed runs are left out."""
        raise NotImplementedError


__all__ = ["RecordedFactor", "Recording"]
