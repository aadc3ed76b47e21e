# SPDX-License-Identifier: Apache-2.0
"""Factors of idling: which idle states the measured CPUs may enter, and the PM QoS latency limit."""

import re
from collections.abc import Mapping

from jitterlab.errors import NotAvailableError
from jitterlab.factors import Bench
from jitterlab.factors.machine import DEFAULT, MachineFactor, MachineKnob, join_reason
from jitterlab.guard import list_knobs
from jitterlab.quantities import format_duration, parse_duration
from jitterlab.registry import Availability
from jitterlab.targets import Target

STATES = "/sys/devices/system/cpu/cpu{cpu}/cpuidle/state*"
ALL = "all"


def _states(target: Target, cpu: int) -> list[tuple[int, str, int]]:
    """Number, name and exit latency (µs) of each idle state of a CPU, shallowest first."""
    states = []
    for path in target.glob(STATES.format(cpu=cpu)):
        name, latency = target.read(f"{path}/name"), target.read(f"{path}/latency")
        if name is not None and latency is not None and latency.isdecimal():
            states.append((int(path.rpartition("state")[2]), name, int(latency)))
    return states


class IdleStates(MachineFactor):
    """The deepest idle state that the measured CPUs may enter."""

    name = "idle_states"
    summary = "deepest idle state of the measured CPUs, by name or by exit latency"
    family = "idle_disable"
    allowed = f'{ALL}, the deepest state to use by name (POLL, C1), or by exit latency such as "10us"'

    def parse_level(self, text: str) -> str:
        """`all`, the name of a state, or a duration."""
        if text[:1].isdigit():
            return format_duration(parse_duration(text))
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 _-]{0,30}", text, re.ASCII):
            raise ValueError(text)
        return text

    def available(self, target: Target) -> Availability:
        """The names of the states that the CPUs have, and any exit latency."""
        knobs = [knob for knob in list_knobs(target).values() if knob.family == self.family]
        if not any(knob.available for knob in knobs):
            return Availability(join_reason(knobs[0]))
        names = [name for cpu in target.info().cpus for _, name, _ in _states(target, cpu)]
        return Availability(levels=(DEFAULT, ALL, *dict.fromkeys(names)), also=r"\d.*")

    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """One knob for each state of each measured CPU."""
        return tuple(
            f"{self.family}/{cpu}/{state}"
            for cpu in bench.measured_cpus
            for state, _, _ in _states(bench.target, cpu)
        )

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """1 (not to be used) for each state deeper than the level says, 0 for the others."""
        values: dict[str, str] = {}
        for cpu in bench.measured_cpus:
            states = _states(bench.target, cpu)
            usable = self._usable(cpu, states, level)
            values |= {
                f"{self.family}/{cpu}/{state}": str(int(state not in usable)) for state, _, _ in states
            }
        return values

    def _usable(self, cpu: int, states: list[tuple[int, str, int]], level: str) -> set[int]:
        if level == ALL:
            return {state for state, _, _ in states}
        if level[:1].isdigit():
            usable = {state for state, _, latency_us in states if latency_us * 1000 <= parse_duration(level)}
        else:
            deepest = [state for state, name, _ in states if name.casefold() == level.casefold()]
            usable = {state for state, _, _ in states if deepest and state <= deepest[0]}
        if not usable:
            names = ", ".join(f"{name} ({latency_us} µs)" for _, name, latency_us in states)
            raise NotAvailableError(
                f"CPU {cpu} has no idle state that '{level}' would leave in use",
                f"its states are: {names or 'none'}",
            )
        return usable


class DmaLatency(MachineKnob):
    """The PM QoS request that keeps all CPUs out of idle states with a longer exit latency."""

    name = "dma_latency"
    summary = "longest exit latency of idle states on the whole machine (PM QoS, /dev/cpu_dma_latency)"
    family = "dma_latency"
    allowed = '"none", or a time in whole microseconds such as "0us"'

    def parse_level(self, text: str) -> str:
        """`none`, or a duration."""
        if text == "none":
            return text
        duration_ns = parse_duration(text)
        if duration_ns % 1000:
            raise ValueError(text)
        return format_duration(duration_ns)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """Microseconds."""
        del bench
        return {self.family: level if level == "none" else str(parse_duration(level) // 1000)}
