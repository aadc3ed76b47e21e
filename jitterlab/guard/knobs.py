# SPDX-License-Identifier: Apache-2.0
"""What the guard says of each setting of a machine."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting of a machine that the guard can change.

    Attributes:
        name: Its name, with the CPU, state or interrupt it belongs to: `governor/0`, `idle_disable/0/2`.
        summary: What it means.
        unit: The unit of its values; None for words.
        value: Its value now; None if it cannot be read or is not there.
        original: What it was before the guard changed it; None if it is as found.
        allowed: The words that it takes; empty if it takes numbers or CPUs only.
        lowest: The lowest number that it takes now; None for words.
        highest: The highest number that it takes now; None for words.
        available: Whether it can be set.
        reason: Why it cannot be set, as a sentence; None if it can be.
        remedy: What can be done about that; None if it can be set or nothing is known.
    """

    name: str
    summary: str
    unit: str | None
    value: str | None
    original: str | None
    allowed: tuple[str, ...]
    lowest: int | None
    highest: int | None
    available: bool
    reason: str | None
    remedy: str | None

    @property
    def family(self) -> str:
        """The name without CPU, state or interrupt: `governor`."""
        return self.name.partition("/")[0]


def parse_knobs(answer: dict[str, Any]) -> dict[str, Knob]:
    """The knobs of the guard's answer to `list`, by name."""
    return {
        item["knob"]: Knob(
            name=item["knob"],
            summary=item["summary"],
            unit=item["unit"],
            value=item["value"],
            original=item["original"],
            allowed=tuple(item["allowed"]),
            lowest=item.get("lowest"),
            highest=item.get("highest"),
            available=item["available"],
            reason=item["reason"],
            remedy=item["remedy"],
        )
        for item in answer["knobs"]
    }
