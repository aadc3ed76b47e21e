# SPDX-License-Identifier: Apache-2.0
"""The client of `jitter-probe guard`, the only thing that changes a machine and always puts it back.

The guard is a process on the target that reads requests from its standard input (docs/guard.md). It puts
everything back when that input closes, so that the death of the laboratory or of the link does so too.
"""

from jitterlab.guard.client import Guard
from jitterlab.guard.knobs import Knob
from jitterlab.guard.oneshot import Restored, list_knobs, restore

__all__ = ["Guard", "Knob", "Restored", "list_knobs", "restore"]
