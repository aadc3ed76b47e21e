# SPDX-License-Identifier: Apache-2.0
"""Factors of placement: sibling threads, interrupts, and CPUs kept free of other tasks."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from jitterlab.errors import NotAvailableError
from jitterlab.factors import Bench
from jitterlab.factors.machine import DEFAULT, MachineFactor, MachineKnob, Words, confirm_held
from jitterlab.quantities import format_cpus, parse_cpus

AWAY = "away"
MEASURED = "measured"
NONE = "none"


class SiblingThreads(Words):
    """Simultaneous multithreading."""

    name = "smt"
    summary = "whether the second threads of cores (SMT, Hyper-Threading) are on line"
    family = "smt"
    allowed = "on or off"
    words: Mapping[str, str] = {"off": "off", "on": "on"}


def _cpus_of(bench: Bench, level: str) -> str:
    """The CPUs that a level names: `away` is all but the measured ones."""
    if level != AWAY:
        return level
    others = set(bench.target.info().cpus) - set(bench.measured_cpus)
    if not others:
        raise NotAvailableError(
            "there is no CPU to move things away to: all are measured", "leave at least one CPU unmeasured"
        )
    return format_cpus(others)


class KernelWork(MachineKnob):
    """The CPUs that the kernel's unbound work uses."""

    name = "workqueues"
    summary = (
        "CPUs that kernel work uses which is not bound to one: away from the measured ones, or those named"
    )
    family = "workqueues"
    allowed = f'{AWAY} (from the measured CPUs), or CPUs such as "0-1"'

    def parse_level(self, text: str) -> str:
        """`away`, or CPUs."""
        return text if text == AWAY else format_cpus(parse_cpus(text))

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The CPUs."""
        return {self.family: _cpus_of(bench, level)}


class InterruptAffinity(MachineFactor):
    """The CPUs that handle interrupts."""

    name = "irq_affinity"
    summary = "CPUs that handle interrupts: away from the measured ones, or those named"
    family = "irq_affinity"
    allowed = f'{AWAY} (from the measured CPUs), or CPUs such as "0-1"'

    def parse_level(self, text: str) -> str:
        """`away`, or CPUs."""
        return text if text == AWAY else format_cpus(parse_cpus(text))

    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """All interrupts that can be set, the default for new ones first."""
        found = bench.guard.knobs().values()
        return tuple(knob.name for knob in found if knob.family == self.family and knob.available)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The same CPUs for each interrupt."""
        return dict.fromkeys(self.concerned(bench), _cpus_of(bench, level))

    @contextmanager
    def hold(self, bench: Bench, level: str) -> Iterator[Mapping[str, object]]:
        """Move what can be moved; the evidence names what the kernel keeps in place."""
        if level == DEFAULT:
            yield self._as_found(bench)
            return
        moved: dict[str, str] = {}
        stayed: dict[str, str] = {}
        try:
            for knob, cpus in self.values(bench, level).items():
                try:
                    moved[knob] = bench.guard.set(knob, cpus)
                except NotAvailableError:
                    stayed[knob] = bench.guard.get(knob)
            if not moved:
                raise NotAvailableError("no interrupt could be moved", "its drivers or the hypervisor decide")
            yield {**moved, **{f"{knob} (stays)": cpus for knob, cpus in stayed.items()}}
            confirm_held(bench, moved)
        finally:
            for knob in reversed(moved):
                bench.guard.reset(knob)


class Isolation(MachineKnob):
    """CPUs kept free of all tasks but the measured ones, by a cpuset partition."""

    name = "isolation"
    summary = "CPUs kept free of other tasks at run time (cpuset partition)"
    family = "isolation"
    allowed = f'{NONE}, {MEASURED} (the measured CPUs), or CPUs such as "1-3"'

    def parse_level(self, text: str) -> str:
        """`none`, `measured`, or CPUs."""
        return text if text in (NONE, MEASURED) else format_cpus(parse_cpus(text))

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The CPUs."""
        return {self.family: format_cpus(bench.measured_cpus) if level == MEASURED else level}
