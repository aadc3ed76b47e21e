# SPDX-License-Identifier: Apache-2.0
"""From imported runs to a recording: what was varied, which run is which cell and block."""

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from jitterlab import __version__
from jitterlab.design import PlannedRun
from jitterlab.errors import InputError
from jitterlab.recording.importers.encoding import write_stream
from jitterlab.recording.importers.imported import ImportedRun
from jitterlab.recording.manifest import RESERVED, Manifest
from jitterlab.recording.recording import Recording
from jitterlab.recording.runs import RunRow
from jitterlab.study.model import StudyFactor

Given = Mapping[str, Sequence[str]]
"""Factors from outside the files: one level for all files, or one per file."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file and the runs that were found in it."""

    path: Path
    runs: Sequence[ImportedRun]


def record(
    files: Sequence[ImportedFile], output: str | PathLike[str], given: Given | None = None
) -> Recording:
    """Record imported runs in a new folder.

    What the files themselves vary becomes factors, beside those that are given; several files without any are
    told apart by a factor `file`. Runs with the same levels are replicates.

    Raises:
        InputError: The files measure different things, a factor lacks a level, or the folder is not empty.
    """
    runs = [run for file in files for run in file.runs]
    responses = {run.response for run in runs}
    if len({(response.name, response.unit) for response in responses}) != 1:
        names = ", ".join(sorted(f"{response.name} ({response.unit})" for response in responses))
        raise InputError(f"the files measure different things: {names}", "import them one by one")
    levels = _levels(files, given or {})
    manifest = Manifest(
        title=_title([file.path.name for file in files]),
        workload="imported",
        responses=(runs[0].response,),
        factors=_factors(levels),
        plan=_plan(levels),
        target={"name": "imported"},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        jitterlab=__version__,
    )
    environment = {
        "imported": [
            {"file": str(file.path), "tool": run.tool, **dict(run.settings)}
            for file in files
            for run in file.runs
        ]
    }
    recording = Recording.begin(output, manifest, "# Imported: there was no study file.\n", environment)
    try:
        _append(recording, runs)
    except BaseException:
        shutil.rmtree(recording.path, ignore_errors=True)
        raise
    return recording


def _append(recording: Recording, runs: Sequence[ImportedRun]) -> None:
    for number, run in enumerate(runs, 1):
        with tempfile.NamedTemporaryFile(prefix="jitterlab-import-") as stream:
            write_stream(run, stream.file)
            stream.flush()
            recording.append(RunRow(number, "ok", run.started_ns, run.duration_s), stream.name)


def _title(names: Sequence[str]) -> str:
    return f"Imported from {', '.join(names[:5])}" + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _levels(files: Sequence[ImportedFile], given: Given) -> list[dict[str, str]]:
    """The levels of every run: those given, and those that differ within the files."""
    for name, texts in given.items():
        if len(texts) not in {1, len(files)}:
            raise InputError(
                f"factor '{name}' has {len(texts)} levels for {len(files)} files",
                "give one level, or one per file",
            )
    own = [run.levels for file in files for run in file.runs]
    varied = [name for name in dict.fromkeys(name for levels in own for name in levels) if _varies(name, own)]
    if len(files) > 1 and not given:
        given = {"file": _names([file.path for file in files])}
    result = []
    for number, file in enumerate(files):
        outside = {name: texts[number if len(texts) > 1 else 0] for name, texts in given.items()}
        for run in file.runs:
            absent = [name for name in varied if name not in run.levels and name not in outside]
            if absent:
                raise InputError(
                    f"{file.path} does not say its level of '{absent[0]}', which other files vary",
                    f"give it with --factor {absent[0]}=LEVEL,…, or import the files apart",
                )
            inside = {_column(name): run.levels[name] for name in varied if name in run.levels}
            result.append(inside | outside)
    return result


def _column(name: str) -> str:
    """What a file calls a factor, as a name that a column may have."""
    plain = re.sub(r"\W+", "_", name).strip("_") or "parameter"
    return f"parameter_{plain}" if plain in RESERVED or plain[0].isdigit() else plain


def _varies(name: str, own: Sequence[Mapping[str, str]]) -> bool:
    return len({levels.get(name) for levels in own}) > 1


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of files without their suffixes, or whole paths where these are not unique."""
    stems = [path.stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def _factors(levels: Sequence[Mapping[str, str]]) -> tuple[StudyFactor, ...]:
    names = dict.fromkeys(name for own in levels for name in own)
    return tuple(StudyFactor(name, tuple(dict.fromkeys(own[name] for own in levels))) for name in names)


def _plan(levels: Sequence[dict[str, str]]) -> tuple[PlannedRun, ...]:
    """Cells in the order in which they come first; the n-th run of a cell is in block n."""
    cells: dict[tuple[tuple[str, str], ...], int] = {}
    seen: dict[int, int] = {}
    plan = []
    for number, own in enumerate(levels, 1):
        cell = cells.setdefault(tuple(sorted(own.items())), len(cells) + 1)
        seen[cell] = seen.get(cell, 0) + 1
        plan.append(PlannedRun(number, seen[cell], cell, own))
    return tuple(plan)
