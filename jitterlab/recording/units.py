# SPDX-License-Identifier: Apache-2.0
"""From the columns of a stream to int64 in ns, bytes or 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.counts import IntArray

NS_PER_S = 1_000_000_000
_LARGEST = 2**63 - 1


def stored_unit(unit: str) -> str:
    """The unit in a recording of a column of a stream: ticks become ns, all others stay."""
    return "ns" if unit == "tick" else unit


def to_stored(column: NDArray[Any], unit: str, tick_hz: int, where: str) -> IntArray:
    """A column as int64 in the unit of `stored_unit`, fractions rounded to the nearest (halves up).

    Args:
        column: Integers or floating-point numbers.
        unit: Their unit: `tick`, `ns`, `byte` or `1`.
        tick_hz: How many ticks there are in a second.
        where: What to call the column in messages.

    Raises:
        InputError: A value is not finite, or does not fit into 64 bits.
    """
    if column.dtype.kind == "f":
        return _from_floats(column.astype(np.float64), NS_PER_S / tick_hz if unit == "tick" else 1.0, where)
    if column.dtype == np.uint64 and len(column) and int(column.max()) > _LARGEST:
        raise InputError(f"{where} holds {int(column.max())}, more than 63 bits", "the writer is faulty")
    values = column.astype(np.int64)
    return _ticks_to_ns(values, tick_hz, where) if unit == "tick" and tick_hz != NS_PER_S else values


def _from_floats(values: NDArray[np.float64], factor: float, where: str) -> IntArray:
    scaled = np.floor(values * factor + 0.5)
    if not bool(np.all(np.abs(scaled) < float(_LARGEST))):
        raise InputError(
            f"{where} holds a value that is no number or does not fit into 64 bits", "the writer is faulty"
        )
    return scaled.astype(np.int64)


def _ticks_to_ns(ticks: IntArray, tick_hz: int, where: str) -> IntArray:
    """Exact: whole seconds and the rest apart, so that nothing overflows for up to 9e9 ticks per second."""
    seconds, rest = np.divmod(ticks, tick_hz)
    if len(seconds) and max(abs(int(seconds.max())), abs(int(seconds.min()))) >= _LARGEST // NS_PER_S:
        raise InputError(f"{where} holds a time of more than 292 years", "the writer is faulty")
    nanoseconds: IntArray = seconds * NS_PER_S + (rest * NS_PER_S + tick_hz // 2) // tick_hz
    return nanoseconds
