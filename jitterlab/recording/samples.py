# SPDX-License-Identifier: Apache-2.0
"""Conversion of one stream to the samples and the value counts of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitterlab.errors import InputError
from jitterlab.recording.columns import ColumnFile, write_counts
from jitterlab.recording.counts import IntArray
from jitterlab.recording.folder import Folder, checksum, part
from jitterlab.recording.header import COUNTS_TABLE, SAMPLES_TABLE, WORST_TABLE, SourceTail, TableHead
from jitterlab.recording.intake import Intake
from jitterlab.recording.stream import StreamReader
from jitterlab.recording.units import stored_unit


@dataclass(frozen=True, slots=True)
class Converted:
    """What was found in a stream.

    Attributes:
        samples: How many samples the measured part has.
        warmup: How many samples the warm-up has; None if only counts were kept and the stream was cut.
        missed: How many periods were missed in the measured part; None if the stream does not tell.
        lost: How many samples were lost in the measured part; None if the stream does not tell.
        raw: Whether every sample was kept, and not only counts.
        error: What went wrong, as the stream tells; None for nothing.
        facts: HEAD and TAIL in full.
        files: The CRC-32 of every file that was written, by kind: samples, counts, worst.
    """

    samples: int
    warmup: int | None
    missed: int | None
    lost: int | None
    raw: bool
    error: str | None
    facts: Mapping[str, Any]
    files: Mapping[str, int]


def convert(reader: StreamReader, run: int, responses: Mapping[str, str], folder: Folder) -> Converted:
    """Write the samples and the counts of a stream.

    Args:
        reader: The stream.
        run: The number of its run.
        responses: Which responses it may hold, with their units in the recording.
        folder: Where to write samples, counts, and the largest samples if the stream has them beside its
            counts: as parts of files that are yet to be published.

    Raises:
        InputError: The stream is damaged, or does not hold what was announced.
        OSError: A file cannot be written.
    """
    for table in reader.head.tables:
        if table.name in {SAMPLES_TABLE, COUNTS_TABLE, WORST_TABLE}:
            _check_responses(table, responses, reader.name)
    tables = folder.tables_of_run(run)
    with ColumnFile(part(tables["samples"])) as samples, ColumnFile(part(tables["worst"])) as worst:
        intake = Intake(reader, run, samples, worst)
        for frame in reader.frames():
            intake.take(frame)
        intake.finish()
    found = np.where(intake.counted > 0, intake.counted, intake.measured)
    totals = reader.tail.sources if reader.tail else []
    _check_totals(totals, found, reader.name)
    write_counts(part(tables["counts"]), intake.counts(), responses)
    kept = int(intake.warmup.sum()) if intake.raw else None
    return Converted(
        samples=int(found.sum()),
        warmup=_sum([total.warmup for total in totals]) if totals else kept,
        missed=_sum([total.missed for total in totals]),
        lost=_sum([total.lost for total in totals]),
        raw=intake.raw,
        error=reader.tail.error if reader.tail else "the stream was cut: it has no TAIL",
        facts=reader.facts,
        files={kind: checksum(part(path)) for kind, path in tables.items() if part(path).exists()},
    )


def _check_responses(table: TableHead, responses: Mapping[str, str], name: str) -> None:
    absent = set(responses) - {column.name for column in table.responses}
    if absent and table.name != COUNTS_TABLE:
        raise InputError(
            f"{name}: table '{table.name}' lacks {', '.join(sorted(absent))}",
            "the writer of the stream is faulty",
        )
    for column in table.responses:
        if responses.get(column.name) != stored_unit(column.unit):
            expected = ", ".join(f"{response} ({unit})" for response, unit in responses.items())
            raise InputError(
                f"{name}: table '{table.name}' has '{column.name}' ({column.unit}), which the workload lacks",
                f"the responses of this recording are {expected}",
            )


def _check_totals(totals: Sequence[SourceTail], found: IntArray, name: str) -> None:
    """Compare with what the writer counted: lost frames and frames of a wrong source show here."""
    for source, total in enumerate(totals):
        if total.samples is not None and total.samples != found[source]:
            raise InputError(
                f"{name}: source {source} counted {total.samples} samples, not {found[source]}",
                "the stream is damaged or its writer faulty: measure that run again",
            )


def _sum(parts: Sequence[int | None]) -> int | None:
    """The sum; None if a part is unknown, or there is none."""
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None
