# SPDX-License-Identifier: Apache-2.0
"""Recordings: a folder of open formats per execution of a study, and the exact counts of its samples."""

from jitterlab.recording.counts import Counts, samples_needed
from jitterlab.recording.recording import Recording
from jitterlab.recording.runs import RunCounts, RunRow
from jitterlab.recording.table import Table

__all__ = ["Counts", "Recording", "RunCounts", "RunRow", "Table", "samples_needed"]
