# SPDX-License-Identifier: Apache-2.0
"""The doctor: what about a machine makes it late, with evidence, cost and remedy. It only reads."""

from collections.abc import Sequence

from jitterlab.doctor import environment, interrupts, kernel, memory, power, privileges, scheduling
from jitterlab.doctor.finding import Check, Finding, Observation, Severity, examine_one
from jitterlab.targets import Target

__all__ = ["CHECKS", "Check", "Finding", "Observation", "Severity", "examine"]

CHECKS: tuple[Check, ...] = (
    *power.CHECKS,
    *scheduling.CHECKS,
    *memory.CHECKS,
    *interrupts.CHECKS,
    *kernel.CHECKS,
    *environment.CHECKS,
    *privileges.CHECKS,
)
ORDER = ("late", "unknown", "ok")


def examine(target: Target, cpus: Sequence[int] | None = None) -> tuple[Finding, ...]:
    """What makes a target late, worst first, then what cannot be told, then what is well.

    Args:
        target: The machine.
        cpus: The CPUs that matter (those that are measured); all that are on line if None.
    """
    chosen = tuple(cpus) if cpus else target.info().cpus
    findings = [examine_one(check, target, chosen) for check in CHECKS]
    return tuple(sorted(findings, key=lambda found: (ORDER.index(found.verdict), -found.severity)))
