# SPDX-License-Identifier: Apache-2.0
"""HdrHistogram log, version 1.2: one tagged interval per run and CPU, three significant digits."""

from typing import IO

from hdrh.histogram import HdrHistogram

from jitterlab.errors import InputError
from jitterlab.recording.exporters.selection import Selection
from jitterlab.recording.runs import RunCounts

_DIGITS = 3
_HEADER = (
    "#[Histogram log format version 1.2]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)
_PER_UNIT = 1_000_000
"""The maximum of an interval is written in ms where values are ns, as other writers do."""


def write(selection: Selection, table: str, file: IO[bytes]) -> None:  # noqa: ARG001 - it has one form only
    """Write the log; the tags are `run<number>` or `run<number>.cpu<number>`.

    Raises:
        InputError: There are negative values, which the format cannot hold.
    """
    rows = selection.recording.runs.to_arrow().select(["run", "started", "duration_s"]).to_pylist()
    times = {row["run"]: (_seconds(row["started"]), row["duration_s"] or 0.0) for row in rows}
    file.write(_HEADER.encode())
    for entry in selection.counts():
        histogram = _histogram(entry)
        start, length = times[entry.run]
        tag = f"run{entry.run}" if entry.cpu is None else f"run{entry.run}.cpu{entry.cpu}"
        interval = f"Tag={tag},{start:.3f},{length:.3f},{entry.counts.max / _PER_UNIT:.3f}"
        file.write(f"{interval},{histogram.encode().decode()}\n".encode())


def _seconds(started: object) -> float:
    """Seconds since 1970; 0 if unknown."""
    timestamp = getattr(started, "timestamp", None)
    return float(timestamp()) if timestamp else 0.0


def _histogram(entry: RunCounts) -> HdrHistogram:
    if entry.counts.min < 0:
        raise InputError(
            f"run {entry.run} has negative values, which HdrHistogram cannot hold", "export the table counts"
        )
    histogram = HdrHistogram(1, max(entry.counts.max, 2), _DIGITS)
    for value, count in zip(entry.counts.values.tolist(), entry.counts.counts.tolist(), strict=True):
        histogram.record_value(value, count)
    return histogram
