# SPDX-License-Identifier: Apache-2.0
"""Counting values while they pass by, in memory that grows with the distinct values only."""

import numpy as np

from jitterlab.recording.counts import Counts, IntArray

_DENSE_SPAN = 2**18
_PENDING = 2**20


class Tally:
    """Adds up the exact counts of values that come in portions."""

    def __init__(self) -> None:
        self._merged = Counts.of([])
        self._pending: list[Counts] = []
        self._waiting = 0

    def add(self, values: IntArray) -> None:
        """Count some values."""
        if len(values):
            self.add_counts(count(values))

    def add_counts(self, counts: Counts) -> None:
        """Add values that were counted before."""
        self._pending.append(counts)
        self._waiting += len(counts.values)
        if self._waiting > _PENDING + len(self._merged.values):
            self._merge()

    def counts(self) -> Counts:
        """The counts of all values so far."""
        self._merge()
        return self._merged

    def _merge(self) -> None:
        self._merged = Counts.merge([self._merged, *self._pending])
        self._pending = []
        self._waiting = 0


def count(values: IntArray) -> Counts:
    """The counts of at least one value: those close together by direct addressing, the rest by sorting."""
    low = int(values.min())
    span = max(_DENSE_SPAN, 2 * len(values))
    if int(values.max()) - low < span:
        return _count_dense(values, low)
    far = values >= low + span if low < 2**63 - span else np.zeros(len(values), np.bool_)
    return Counts.merge((_count_dense(values[~far], low), Counts.of(values[far])))


def _count_dense(values: IntArray, low: int) -> Counts:
    seen = np.bincount(values - low)
    offsets = np.flatnonzero(seen)
    return Counts(offsets + low, seen[offsets])
