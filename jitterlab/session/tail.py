# SPDX-License-Identifier: Apache-2.0
"""What the TAIL of a stream says about the measuring threads, as readings; see docs/stream-format.md."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jitterlab.meters import Reading
from jitterlab.recording.stream import FRAME

UNITS = {
    "minor_faults": "1",
    "major_faults": "1",
    "voluntary_switches": "1",
    "involuntary_switches": "1",
    "migrations": "1",
    "user_ns": "ns",
    "system_ns": "ns",
    "cycles": "1",
    "instructions": "1",
    "cache_misses": "1",
}


def read_tail(stream: Path) -> dict[str, Any] | None:
    """The TAIL of a stream, found by stepping over the frames; None if there is none or it is damaged.

    Whether the frames themselves are whole is checked when the stream is recorded.
    """
    try:
        with stream.open("rb") as file:
            while len(header := file.read(FRAME.size)) == FRAME.size:
                kind, length, _, _, _ = FRAME.unpack(header)
                if kind == b"TAIL":
                    tail = json.loads(file.read(length))
                    return tail if isinstance(tail, dict) else None
                file.seek(length, os.SEEK_CUR)
    except (OSError, ValueError, RecursionError):
        return None
    return None


def thread_readings(tail: Mapping[str, Any]) -> dict[str, Reading]:
    """Sums over the measuring threads; a quantity that any of them could not measure is left out."""
    readings = {}
    for name, unit in UNITS.items():
        values = [source.get(name) for source in tail.get("sources", [])]
        if values and all(isinstance(value, int) for value in values):
            readings[f"threads.{name}"] = Reading(sum(values), unit)
    return readings
