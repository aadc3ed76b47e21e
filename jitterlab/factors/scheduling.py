# SPDX-License-Identifier: Apache-2.0
"""Factors of scheduling: real-time bandwidth, migration of timers, the NMI watchdog."""

from collections.abc import Mapping

from jitterlab.factors import Bench
from jitterlab.factors.machine import SWITCH, MachineKnob, Words
from jitterlab.quantities import format_duration, parse_duration

UNLIMITED = "unlimited"


class RealTimeRuntime(MachineKnob):
    """The time per period that real-time tasks may use (RT bandwidth control)."""

    name = "rt_runtime"
    summary = "how much of each second real-time tasks may use before they are held back"
    family = "rt_runtime"
    allowed = f'{UNLIMITED}, or a time in whole microseconds such as "950ms"'

    def parse_level(self, text: str) -> str:
        """`unlimited`, or a duration."""
        if text == UNLIMITED:
            return text
        duration_ns = parse_duration(text)
        if duration_ns % 1000:
            raise ValueError(text)
        return format_duration(duration_ns)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """Microseconds, or -1."""
        del bench
        return {self.family: "-1" if level == UNLIMITED else str(parse_duration(level) // 1000)}


class TimerMigration(Words):
    """Whether the timers of idle CPUs move to busy ones."""

    name = "timer_migration"
    summary = "whether timers of idle CPUs are moved to busy ones"
    family = "timer_migration"
    allowed = "on or off"
    words: Mapping[str, str] = SWITCH


class NmiWatchdog(Words):
    """The hard lock-up detector."""

    name = "nmi_watchdog"
    summary = "the hard lock-up detector, which takes a performance counter and its interrupts"
    family = "nmi_watchdog"
    allowed = "on or off"
    words: Mapping[str, str] = SWITCH
