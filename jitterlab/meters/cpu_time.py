# SPDX-License-Identifier: Apache-2.0
"""Where the time of all CPUs went during a run: user, system, interrupts, stolen by a hypervisor."""

import re
from collections.abc import Mapping

from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target

STAT = "/proc/stat"
# Order of the fields in /proc/stat, see proc(5). It counts in ticks of 1/100 s everywhere (USER_HZ).
FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
TICKS_PER_S = 100


class CpuTime:
    """Seconds of CPU time by use, over all CPUs, and stolen time per CPU; resolution 10 ms."""

    name = "cpu_time"
    summary = "user, system, interrupt, idle and stolen time of all CPUs"

    def available(self, target: Target) -> Availability:
        """Everywhere where there is a /proc/stat."""
        return (
            Availability() if self.snapshot(target) else Availability(f"{STAT} is not readable; mount /proc")
        )

    def snapshot(self, target: Target) -> dict[str, list[int]]:
        """Ticks by field, for `cpu` (all) and each CPU."""
        lines = re.findall(r"^(cpu\d*)((?: +\d+){8,})", target.read(STAT) or "", re.MULTILINE)
        return {name: [int(ticks) for ticks in values.split()[: len(FIELDS)]] for name, values in lines}

    def readings(self, before: dict[str, list[int]], after: dict[str, list[int]]) -> Mapping[str, Reading]:
        """Seconds between the snapshots."""
        spent = {
            cpu: dict(
                zip(
                    FIELDS,
                    (now - then for then, now in zip(before[cpu], after[cpu], strict=True)),
                    strict=True,
                )
            )
            for cpu in before.keys() & after.keys()
        }
        total = {field: Reading(ticks / TICKS_PER_S, "s") for field, ticks in spent.pop("cpu", {}).items()}
        stolen = {
            f"steal.{cpu}": Reading(fields["steal"] / TICKS_PER_S, "s")
            for cpu, fields in sorted(spent.items())
        }
        return total | stolen
