# SPDX-License-Identifier: Apache-2.0
"""Factors: what a study can vary about a machine. One module per family of knobs.

A level lasts as long as its run. `hold` sets it before the run and puts back what was found after it, so that
every run starts from the same machine whatever ran before it, and no factor sees the levels of another's last
run. If the laboratory or the link dies in between, the guard puts things back. The level `default` leaves the
machine as found. Settings of single CPUs (governor, idle states) are set for the CPUs that are measured.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from jitterlab.guard import Guard
from jitterlab.registry import Availability
from jitterlab.targets import Target


@dataclass(frozen=True, slots=True)
class Bench:
    """What a factor works with while a study runs.

    Attributes:
        target: The machine.
        guard: The only thing that may change its settings.
        measured_cpus: The CPUs that the workload of this run measures on.
    """

    target: Target
    guard: Guard
    measured_cpus: tuple[int, ...]


class Factor(Protocol):
    """Something about a machine that can be set to a level for the time of one run.

    Attributes:
        name: What studies call it.
        summary: What it is, in one line.
        allowed: What a study may write as its levels, in words.
        between_boots: Whether another level needs a boot.
        busy: Whether holding it keeps the machine busy; such factors are held last, when all settings are in
            force.
    """

    name: str
    summary: str
    allowed: str
    between_boots: bool
    busy: bool

    def parse(self, level: object) -> str:
        """The canonical text of a level as written in a study.

        Raises:
            ValueError: It is not a level of this factor; the message says what is allowed.
        """

    def available(self, target: Target) -> Availability:
        """Whether the factor can be varied there, which levels there are, or the reason why not."""

    def hold(self, bench: Bench, level: str) -> AbstractContextManager[Mapping[str, object]]:
        """Hold a level during a run; yields what was read back as evidence that it is in force.

        Raises:
            NotAvailableError: The level could not be brought about.
        """
