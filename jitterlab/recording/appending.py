# SPDX-License-Identifier: Apache-2.0
"""Adding a run to a recording so that a kill between any two writes leaves it whole or absent."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jitterlab.design import PlannedRun
from jitterlab.errors import InputError
from jitterlab.recording import runs
from jitterlab.recording.folder import Folder, part, publish, write
from jitterlab.recording.runs import RunRow
from jitterlab.recording.samples import Converted, convert
from jitterlab.recording.stream import StreamReader


def prepare(folder: Folder, row: RunRow, stream: Path | None, units: Mapping[str, str]) -> Converted | None:
    """Write the files of a run beside their final names.

    Args:
        folder: The recording.
        row: What the session knows about the run.
        stream: Its samples; None if it has none.
        units: The responses of the recording with their units.

    Raises:
        InputError: The stream is missing or damaged.
        OSError: A file cannot be written.
    """
    if row.log:
        part(folder.log(row.run)).write_text(row.log)
    if stream is None:
        return None
    try:
        file = stream.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"{stream} is missing", "measure that run again") from error
    with file:
        return convert(StreamReader(file, str(stream)), row.run, units, folder)


def commit(
    folder: Folder, table: pa.Table, planned: PlannedRun, row: RunRow, found: Converted | None
) -> pa.Table:
    """Name the files of a run, then write its row, which makes it part; returns the new table of runs.

    A run that is there already is taken out first, row before files, so that no row names files of another.

    Raises:
        OSError: A file cannot be written.
    """
    others = table.filter(pc.field("run") != row.run)
    if others.num_rows < table.num_rows:
        write(folder.runs, runs.encode(others))
        for file in folder.of_run(row.run):
            file.unlink(missing_ok=True)
    for file in folder.of_run(row.run):
        if part(file).exists():
            publish(file)
    table = runs.with_run(others, planned, row, found)
    write(folder.runs, runs.encode(table))
    return table
