# SPDX-License-Identifier: Apache-2.0
"""hyperfine: `--export-json`."""

from pathlib import Path

import numpy as np
from pydantic import Field

from jitterlab.recording.importers.imported import ImportedRun, ImportedSource, Series
from jitterlab.recording.importers.reading import Part, read_json, wrong
from jitterlab.recording.manifest import RecordedResponse

NAME = "hyperfine"
SUMMARY = "hyperfine --export-json"

_WALL_TIME = RecordedResponse("wall_time", "ns", "from the start of the command to its end")
_LONGEST_S = 10**9


class _Command(Part):
    command: str = Field(max_length=100_000)
    times: list[float] | None = Field(default=None, max_length=10**7)
    parameters: dict[str, str] = Field(default_factory=dict)


class _Result(Part):
    results: list[_Command] = Field(min_length=1, max_length=65_536)


def recognises(beginning: bytes, path: Path) -> bool:  # noqa: ARG001 - the name says nothing here
    """Whether a file is from this tool, as its first bytes tell."""
    return beginning.lstrip().startswith(b"{") and b'"results"' in beginning and b'"command"' in beginning


def read(path: Path) -> list[ImportedRun]:
    """One run per command; its parameters are factors, or the command itself where it has none.

    Raises:
        InputError: It is not from hyperfine, damaged, or holds no times.
    """
    runs = []
    for result in read_json(path, _Result).results:
        if not result.times:
            raise wrong(path, f"'{result.command[:60]}' has no times", "export JSON, not the table")
        seconds = np.array(result.times)
        if not bool(np.all((seconds >= 0) & (seconds < _LONGEST_S))):
            raise wrong(path, f"'{result.command[:60]}' has a time that cannot be")
        times = np.rint(seconds * 1e9).astype(np.int64)
        series = Series(times, periods=np.arange(len(times), dtype=np.int64))
        runs.append(
            ImportedRun(
                tool=NAME,
                sources=(ImportedSource("command", series),),
                response=_WALL_TIME,
                levels=result.parameters or {"command": result.command},
                settings={"command": result.command},
            )
        )
    return runs
