# SPDX-License-Identifier: Apache-2.0
"""Which part of a recording is exported: some of its runs, one response."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jitterlab.errors import InputError
from jitterlab.recording.counts import Counts
from jitterlab.recording.manifest import RecordedResponse
from jitterlab.recording.recording import Recording
from jitterlab.recording.runs import RunCounts


@dataclass(frozen=True, slots=True)
class Cell:
    """All samples of one cell: its number, its levels, how many runs it has, and their counts."""

    cell: int
    levels: Mapping[str, str]
    runs: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Selection:
    """Some runs of a recording and one response.

    Attributes:
        recording: The recording.
        response: The response.
        runs: The numbers of the runs, ascending; only of those that can be analysed.
    """

    recording: Recording
    response: RecordedResponse
    runs: tuple[int, ...]

    @classmethod
    def of(cls, recording: Recording, response: str | None, where: Mapping[str, str]) -> "Selection":
        """The runs with some levels, and a response (by default the first).

        Raises:
            InputError: There is no such response, factor or level, or no run is left.
        """
        known = {found.name: found for found in recording.responses}
        name = response or next(iter(known))
        if name not in known:
            raise InputError(
                f"{recording.path}: there is no response '{name}'", f"choose one of: {', '.join(known)}"
            )
        for factor, level in where.items():
            levels = recording.factors.get(factor, ())
            if level not in levels:
                raise InputError(
                    f"{recording.path}: there is no {factor}={level}",
                    f"choose one of: {', '.join(levels) or ', '.join(recording.factors)}",
                )
        rows = recording.runs.to_arrow().drop_columns(["facts"]).to_pylist()
        runs = [
            row["run"]
            for row in rows
            if row["samples"] is not None
            and row["status"] != "failed"
            and all(row[factor] == level for factor, level in where.items())
        ]
        if not runs:
            raise InputError(f"{recording.path}: there is no measured run to export", "see `jitterlab show`")
        return cls(recording, known[name], tuple(runs))

    def counts(self) -> Iterator[RunCounts]:
        """The value counts per run and CPU."""
        return (entry for entry in self.recording.counts(self.response.name) if entry.run in self.runs)

    def by_cpu(self) -> dict[int | None, Counts]:
        """The value counts of all runs together, per CPU."""
        parts: dict[int | None, list[Counts]] = {}
        for entry in self.counts():
            parts.setdefault(entry.cpu, []).append(entry.counts)
        ordered = sorted(parts, key=lambda cpu: -1 if cpu is None else cpu)
        return {cpu: Counts.merge(parts[cpu]) for cpu in ordered}

    def cells(self) -> list[Cell]:
        """The value counts of all runs and CPUs of each cell together."""
        found: dict[int, list[RunCounts]] = {}
        for entry in self.counts():
            found.setdefault(entry.cell, []).append(entry)
        return [
            Cell(
                cell,
                entries[0].levels,
                len({entry.run for entry in entries}),
                Counts.merge(entry.counts for entry in entries),
            )
            for cell, entries in sorted(found.items())
        ]
