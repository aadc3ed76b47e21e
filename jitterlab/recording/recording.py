# SPDX-License-Identifier: Apache-2.0
"""A recording: everything one execution of a study left behind, as a folder of open formats."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jitterlab import __version__
from jitterlab.design import PlannedRun
from jitterlab.errors import InputError, RunError
from jitterlab.recording import folder, manifest, runs
from jitterlab.recording.appending import commit, prepare
from jitterlab.recording.columns import read_counts, verify
from jitterlab.recording.counts import Counts
from jitterlab.recording.folder import Folder
from jitterlab.recording.manifest import Manifest, RecordedResponse, TargetLike, WorkloadLike
from jitterlab.recording.reading import Worst, samples_table, worst_of
from jitterlab.recording.runs import RunCounts, RunRow
from jitterlab.recording.table import Table
from jitterlab.study.model import Study


class Recording:
    """A folder with the runs of a study, their samples and their value counts.

    Attributes:
        path: The folder.
        manifest: What `recording.json` says.
        environment: What the machine was like, as captured when the recording was begun.
    """

    path: Path
    manifest: Manifest
    environment: Mapping[str, Any]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = Folder(path)
        self.manifest = manifest.read(self._folder.manifest)
        self.environment = folder.read_json(self._folder.environment)
        self._planned = {run.run: run for run in self.manifest.plan}
        self._runs = runs.read(self._folder.runs, list(self.factors))
        self._statuses: dict[int, str] = dict(
            zip(self._runs["run"].to_pylist(), self._runs["status"].to_pylist(), strict=True)
        )

        runs.check_plan(self._runs, self._folder, self.manifest)

    @classmethod
    def create(  # noqa: PLR0917 - what a session has, in its order
        cls,
        path: str | PathLike[str],
        study: Study,
        plan: Sequence[PlannedRun],
        environment: Mapping[str, object],
        workload: WorkloadLike,
        target: TargetLike,
    ) -> "Recording":
        """Begin a recording in a new or empty folder.

        Args:
            path: The folder; it and its parents are made.
            study: The study as parsed, with its text.
            plan: All runs, in their order.
            environment: What the machine is like, as it goes into JSON.
            workload: What is run.
            target: Where it is run.

        Raises:
            InputError: The folder is not empty or cannot be made, or two columns would have one name.
        """
        return cls.begin(
            path,
            Manifest(
                title=study.title,
                workload=workload.name,
                responses=tuple(RecordedResponse(r.name, r.unit, r.summary) for r in workload.responses),
                factors=study.factors,
                plan=tuple(plan),
                target={
                    "name": target.name,
                    "architecture": target.architecture,
                    "kernel": target.kernel,
                    "cpus": list(target.cpus),
                    "privileged": target.privileged,
                },
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                jitterlab=__version__,
            ),
            study.text,
            environment,
        )

    @classmethod
    def begin(
        cls, path: str | PathLike[str], content: Manifest, study: str, environment: Mapping[str, object]
    ) -> "Recording":
        """Begin a recording from its manifest; see `create`.

        Raises:
            InputError: The folder is not empty or cannot be made, or two columns would have one name.
        """
        content.check_names()
        content = replace(content, study_crc32=zlib.crc32(study.encode()))
        files = Folder(Path(path))
        files.make()
        no_runs = runs.schema([factor.name for factor in content.factors]).empty_table()
        folder.write(files.study, study)
        folder.write(files.environment, json.dumps(environment, indent=1))
        folder.write(files.runs, runs.encode(no_runs))
        folder.write(files.manifest, json.dumps(content.to_json(), indent=1))
        return cls(files.path)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Recording":
        """Open a recording to read it; what was committed is there, however its writing ended.

        Raises:
            InputError: The folder is no recording, or it is damaged; the message names the file.
        """
        return cls(Path(path))

    @classmethod
    def reopen(cls, path: str | PathLike[str]) -> "Recording":
        """Open a recording to go on with it: what an interrupted append left is removed; see `missing`.

        Raises:
            InputError: The folder is no recording, or it is damaged; the message names the file.
        """
        recording = cls(Path(path))
        recording._folder.remove_leftovers(set(recording._statuses))
        return recording

    def __repr__(self) -> str:
        return f"Recording({str(self.path)!r}, {len(self._statuses)} of {len(self._planned)} runs)"

    @property
    def factors(self) -> dict[str, tuple[str, ...]]:
        """The factors by name, each with its levels in the order of the study."""
        return {factor.name: factor.levels for factor in self.manifest.factors}

    @property
    def responses(self) -> tuple[RecordedResponse, ...]:
        """What every sample measures."""
        return self.manifest.responses

    @property
    def study(self) -> str:
        """The text of the study as given.

        Raises:
            InputError: The file cannot be read, or it is not what the recording was begun with.
        """
        try:
            content = self._folder.study.read_bytes()
            text = content.decode()
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self._folder.study} cannot be read: {error}", "take it from a copy"
            ) from error
        if self.manifest.study_crc32 not in (None, zlib.crc32(content)):
            raise InputError(
                f"{self._folder.study} was changed after the recording was begun",
                "put it back as it was, or begin a new recording with it",
            )
        return text

    @property
    def missing(self) -> tuple[PlannedRun, ...]:
        """The runs of the plan that have not ended with status `ok`, in their order."""
        return tuple(run for run in self.manifest.plan if self._statuses.get(run.run) != "ok")

    def append(self, row: RunRow, stream: str | PathLike[str] | None) -> None:
        """Convert the stream of a run and commit the run; a failed run may have no stream (None).

        Durable when it returns. A kill at any moment leaves the recording with all of the run or none of it.
        A run that is there with another status than `ok` is replaced.

        Raises:
            InputError: The stream is damaged, or the run is not in the plan, or it is there already.
            RunError: The recording cannot be written, for instance because the disk is full.
        """
        planned = self._planned.get(row.run)
        if planned is None or self._statuses.get(row.run) == "ok":
            raise InputError(
                f"{self.path}: run {row.run} is not missing", "append the runs of the plan, each once"
            )
        units = {response.name: response.unit for response in self.responses}
        try:
            found = prepare(self._folder, row, None if stream is None else Path(stream), units)
            self._runs = commit(self._folder, self._runs, planned, row, found)
        except InputError:
            self._folder.remove_leftovers(set(self._statuses))
            raise
        except OSError as error:
            self._folder.remove_leftovers(set(self._statuses))
            raise RunError(
                f"{self.path}: run {row.run} cannot be written: {error.strerror or error}",
                "make space or choose another disk, then `jitterlab resume`; all runs before are kept",
            ) from error
        self._statuses[row.run] = row.status

    @property
    def runs(self) -> Table:
        """One row per run that has ended, in the order of the plan; see docs/recording-format.md."""
        return Table.of(self._runs)

    @property
    def samples(self) -> Table:
        """All measured samples: run, factors, cpu, source, period, due (ns since the run's start), responses.

        In the order of the runs; within a run those of each source are in the order of time. Runs that kept
        only counts, and failed runs, have no samples here.
        """
        return samples_table(
            self._folder, self._usable().filter(pc.field("raw")), self.factors, self.responses
        )

    def samples_of(self, run: int) -> Table:
        """The measured samples of one run, as `samples`.

        Raises:
            InputError: There is no such run, or it kept only counts.
        """
        one = self._usable().filter(pc.field("run") == run)
        if not one.num_rows:
            raise InputError(f"{self.path}: there is no run {run} with samples", "see `jitterlab show`")
        if not one["raw"][0].as_py():
            raise InputError(
                f"{self.path}: run {run} kept only counts, not the order of its samples",
                "use `counts`, or record it raw",
            )
        return samples_table(self._folder, one, self.factors, self.responses)

    def counts(self, response: str = "latency") -> Iterator[RunCounts]:
        """The value counts of a response: one entry per run and CPU, runs in order; failed runs are left out.

        Raises:
            InputError: There is no such response, or a file is missing or damaged.
        """
        names = [known.name for known in self.responses]
        if response not in names:
            raise InputError(
                f"{self.path}: there is no response '{response}'", f"choose one of: {', '.join(names)}"
            )
        for row in self._usable().select(["run", "files"]).to_pylist():
            run = row["run"]
            planned = self._planned[run]
            path = self._folder.counts(run)
            verify(path, runs.files_of(row, str(self._folder.runs)).get("counts"))
            for cpu, counts in read_counts(path, response):
                yield RunCounts(run, planned.block, planned.cell, planned.levels, cpu, counts)

    def worst(self, response: str = "latency", k: int = 10) -> list[Worst]:
        """The k largest samples, the largest first, with when and where they were.

        Of runs that kept only counts, as many are known as their workload kept (1,000 per CPU for `wakeup`).

        Raises:
            InputError: There is no such response, or a file is missing or damaged.
        """
        usable = self._usable().to_pylist()
        rows = [row for row in usable if row["raw"] or "worst" in runs.files_of(row, str(self.path))]
        kept = {row["run"] for row in rows}
        top = Counts.merge(entry.counts for entry in self.counts(response) if entry.run in kept).top(k)
        if not len(top):
            return []
        found = [worst for row in rows for worst in worst_of(self._folder, row, response, k, int(top[-1]))]
        return sorted(found, key=lambda worst: -worst.value)[:k]

    def _usable(self) -> pa.Table:
        return self._runs.filter((pc.field("status") != "failed") & pc.field("facts").is_valid())
