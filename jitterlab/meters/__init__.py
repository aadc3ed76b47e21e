# SPDX-License-Identifier: Apache-2.0
"""Meters: what watches a run. One module per kind of meter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jitterlab.registry import Availability
from jitterlab.targets import Target


@dataclass(frozen=True, slots=True)
class Reading:
    """What a meter says about one run: a value with its unit."""

    value: float
    unit: str


class Meter(Protocol):
    """Something that is looked at before and after a run, and then says what happened between."""

    name: str
    summary: str

    def available(self, target: Target) -> Availability:
        """Whether it can be read there, or the reason why not."""

    def snapshot(self, target: Target) -> Any:  # noqa: ANN401
        """What it shows now; only the meter itself knows what is inside."""

    def readings(self, before: Any, after: Any) -> Mapping[str, Reading]:  # noqa: ANN401
        """What happened between two snapshots, by name; empty where nothing can be said."""
