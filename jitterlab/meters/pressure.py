# SPDX-License-Identifier: Apache-2.0
"""Pressure stall information: for how long tasks waited for CPU, memory or storage during a run."""

import re
from collections.abc import Mapping

from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target

RESOURCES = ("cpu", "memory", "io")


class Pressure:
    """Microseconds during which some or all tasks stalled, from the kernel's running totals."""

    name = "pressure"
    summary = "time during which some or all tasks waited for CPU, memory or storage"

    def available(self, target: Target) -> Availability:
        """Where the kernel has PSI (4.20 and later) and it is switched on."""
        if self.snapshot(target):
            return Availability()
        return Availability("/proc/pressure is not readable; boot with psi=1, on a kernel with CONFIG_PSI")

    def snapshot(self, target: Target) -> dict[str, int]:
        """Running totals in microseconds by resource and kind."""
        return {
            f"{resource}.{kind}": int(total)
            for resource in RESOURCES
            for kind, total in re.findall(
                r"^(some|full) .*total=(\d+)", target.read(f"/proc/pressure/{resource}") or "", re.MULTILINE
            )
        }

    def readings(self, before: dict[str, int], after: dict[str, int]) -> Mapping[str, Reading]:
        """Microseconds between the snapshots."""
        return {name: Reading(after[name] - before[name], "us") for name in before if name in after}
