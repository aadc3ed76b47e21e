# SPDX-License-Identifier: Apache-2.0
"""The samples of a run in order of time: as many as a look at their order needs, however many there are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording import Recording

MOST = 200_000


@dataclass(frozen=True, slots=True)
class Series:
    """The first samples of one source (thread) of a run.

    Attributes:
        due_ns: When they were due, ascending, in ns after the start of the run; None if that is not known.
        values: What was measured, in the unit of the response.
    """

    due_ns: NDArray[np.int64] | None
    values: NDArray[np.int64]


def series_of(recording: Recording, run: int, response: str, most: int = MOST) -> Series | None:
    """The first samples of one source of a run; None if the run kept only counts.

    Args:
        recording: An open recording.
        run: The number of the run.
        response: What was measured.
        most: How many samples to read at most.
    """
    try:
        batches = recording.samples_of(run).select(["source", "due", response]).batches()
    except InputError:
        return None
    due: list[NDArray[np.int64]] = []
    values: list[NDArray[np.int64]] = []
    source, found, known = None, 0, True
    for batch in batches:
        known = known and not batch.column(1).null_count
        sources, times, measured = (batch.column(index).to_numpy(zero_copy_only=False) for index in range(3))
        if not len(sources):
            continue
        source = sources[0] if source is None else source
        mine = sources == source
        due.append(times[mine])
        values.append(measured[mine])
        found += int(mine.sum())
        if found >= most:
            break
    if not values:
        return None
    return Series(np.concatenate(due)[:most] if known else None, np.concatenate(values)[:most])
