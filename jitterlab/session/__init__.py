# SPDX-License-Identifier: Apache-2.0
"""Sessions: the runs of a study, made one after another on a target, and recorded one by one."""

from jitterlab.session.events import Event, Observer, RunBegun, RunEnded, RunProgress
from jitterlab.session.feasibility import Feasibility, duration_s, examine
from jitterlab.session.lab import Remaining, begin, check_output, remaining, resume

__all__ = [
    "Event",
    "Feasibility",
    "Observer",
    "Remaining",
    "RunBegun",
    "RunEnded",
    "RunProgress",
    "begin",
    "check_output",
    "duration_s",
    "examine",
    "remaining",
    "resume",
]
