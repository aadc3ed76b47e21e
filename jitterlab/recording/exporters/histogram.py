# SPDX-License-Identifier: Apache-2.0
"""The histogram text of `cyclictest -h`, which many plot scripts read: whole µs, one column per CPU."""

from typing import IO

import numpy as np

from jitterlab.errors import InputError
from jitterlab.recording.counts import Counts, IntArray
from jitterlab.recording.exporters.selection import Selection

_LIMIT_US = 1_000_000
_NS_PER_US = 1_000
_ROWS_AT_ONCE = 10_000


def write(selection: Selection, table: str, file: IO[bytes]) -> None:  # noqa: ARG001 - it has one form only
    """Write the histogram of all selected runs; values from one second on are overflows.

    Raises:
        InputError: The response is no time, or there are negative values.
    """
    counts = list(selection.by_cpu().values())
    if selection.response.unit != "ns" or any(part.min < 0 for part in counts):
        raise InputError(
            f"'{selection.response.name}' is no time or has negative values, which cyclictest never writes",
            "export the table counts",
        )
    limit = min(max(part.max for part in counts) // _NS_PER_US + 1, _LIMIT_US)
    columns = np.array([_per_us(part, limit) for part in counts])
    file.write(b"# Histogram\n")
    for first in range(0, limit, _ROWS_AT_ONCE):
        rows = columns[:, first : first + _ROWS_AT_ONCE].T
        lines = ("\t".join(f"{cell:06d}" for cell in row) for row in rows.tolist())
        file.write("".join(f"{first + place:06d} {line}\n" for place, line in enumerate(lines)).encode())
    file.write(_totals(counts, columns).encode())


def _per_us(counts: Counts, limit: int) -> IntArray:
    """How many samples there are in every whole µs below a limit."""
    cells = np.zeros(limit, np.int64)
    whole = counts.values // _NS_PER_US
    inside = whole < limit
    np.add.at(cells, whole[inside], counts.counts[inside])
    return cells


def _totals(counts: list[Counts], columns: IntArray) -> str:
    inside = columns.sum(axis=1).tolist()
    beyond = [part.n - within for part, within in zip(counts, inside, strict=True)]
    return (
        f"# Total: {_line(inside, 9)}\n"
        f"# Min Latencies: {_line([part.min // _NS_PER_US for part in counts])}\n"
        f"# Avg Latencies: {_line([int(part.mean) // _NS_PER_US for part in counts])}\n"
        f"# Max Latencies: {_line([part.max // _NS_PER_US for part in counts])}\n"
        f"# Histogram Overflows: {_line(beyond)}\n"
    )


def _line(numbers: list[int], width: int = 5) -> str:
    return " ".join(f"{number:0{width}d}" for number in numbers)
