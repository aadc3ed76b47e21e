# SPDX-License-Identifier: Apache-2.0
"""How many interrupts and soft interrupts every CPU served during a run."""

from collections.abc import Mapping

from jitterlab.meters import Reading
from jitterlab.registry import Availability
from jitterlab.targets import Target

# Lines of /proc/interrupts that are worth a column of their own; numbered lines are devices.
NAMED = {
    "LOC": "timer",
    "RES": "reschedule",
    "CAL": "call",
    "TLB": "tlb",
    "NMI": "nmi",
    "IPI0": "reschedule",
    "IPI1": "call",
}
NOT_COUNTS = ("ERR", "MIS")

Table = dict[str, dict[str, int]]


def parse_table(text: str) -> Table:
    """{row: {cpu: count}} of /proc/interrupts or /proc/softirqs: a head with the CPUs' names, then rows."""
    lines = text.splitlines()
    if not lines:
        return {}
    cpus = [name.lower() for name in lines[0].split()]
    table: Table = {}
    for line in lines[1:]:
        row, _, rest = line.partition(":")
        counts = rest.split()[: len(cpus)]
        if len(counts) == len(cpus) and all(count.isdigit() for count in counts):
            table[row.strip()] = dict(zip(cpus, map(int, counts), strict=True))
    return table


def _differences(before: Table, after: Table) -> Table:
    return {
        row: {cpu: count - before[row][cpu] for cpu, count in counts.items() if cpu in before[row]}
        for row, counts in after.items()
        if row in before
    }


def _readings(by_name: Mapping[str, Mapping[str, int]]) -> dict[str, Reading]:
    return {
        f"{name}.{cpu}": Reading(count, "1")
        for name, counts in by_name.items()
        for cpu, count in counts.items()
    }


class _Table:
    name: str
    path: str

    def available(self, target: Target) -> Availability:
        """Everywhere where the kernel shows the table."""
        return (
            Availability()
            if self.snapshot(target)
            else Availability(f"{self.path} is not readable; mount /proc")
        )

    def snapshot(self, target: Target) -> Table:
        """The whole table."""
        return parse_table(target.read(self.path) or "")


class Interrupts(_Table):
    """Interrupts per CPU: all, by devices, and those that CPUs and timers raise."""

    name = "interrupts"
    summary = "interrupts per CPU: all, of devices, of timers, between CPUs"
    path = "/proc/interrupts"

    def readings(self, before: Table, after: Table) -> Mapping[str, Reading]:
        """Counts between the snapshots."""
        groups: dict[str, dict[str, int]] = {}
        for row, counts in _differences(before, after).items():
            if row in NOT_COUNTS:
                continue
            named = "device" if row.isdigit() else NAMED.get(row)
            for group in filter(None, ("all", named)):
                into = groups.setdefault(group, {})
                for cpu, count in counts.items():
                    into[cpu] = into.get(cpu, 0) + count
        return _readings(groups)


class SoftInterrupts(_Table):
    """Soft interrupts per CPU and kind."""

    name = "softirqs"
    summary = "soft interrupts per CPU and kind"
    path = "/proc/softirqs"

    def readings(self, before: Table, after: Table) -> Mapping[str, Reading]:
        """Counts between the snapshots."""
        return _readings({row.lower(): counts for row, counts in _differences(before, after).items()})
