# SPDX-License-Identifier: Apache-2.0
"""Checks of interrupts: those of devices on the measured CPUs, and the NMI watchdog."""

import re

from jitterlab.doctor.finding import ADMIN_GUIDE, Check, Observation, Severity
from jitterlab.targets import Target

QUIET_PER_S = 0.1


def device_interrupts(text: str) -> dict[int, int]:
    """How many interrupts of devices each CPU has handled since boot, from the text of /proc/interrupts.

    Rows of devices begin with a number, those of the CPU itself (timer, IPI) with letters.
    """
    heading, _, rows = text.partition("\n")
    cpus = [int(number) for number in re.findall(r"\bCPU(\d{1,5})\b", heading, re.ASCII)]
    totals = dict.fromkeys(cpus, 0)
    row = re.compile(rf"^[ ]*\d+:((?:[ ]+\d{{1,19}}){{{len(cpus)}}})\b", re.MULTILINE | re.ASCII)
    for counts in row.findall(rows):
        for cpu, count in zip(cpus, counts.split(), strict=True):
            totals[cpu] += int(count)
    return totals


def _devices(target: Target, cpus: tuple[int, ...]) -> Observation:
    totals = device_interrupts(target.read("/proc/interrupts") or "")
    uptime = re.match(r"\d{1,12}\.\d+", target.read("/proc/uptime") or "", re.ASCII)
    here = {cpu: totals[cpu] for cpu in cpus if cpu in totals}
    if not here or not uptime:
        return Observation("unknown", "/proc/interrupts or /proc/uptime is not readable")
    per_s = {cpu: count / max(float(uptime[0]), 1.0) for cpu, count in here.items()}
    told = ", ".join(f"CPU {cpu}: {rate:.3g}/s" for cpu, rate in per_s.items())
    return Observation(
        "late" if max(per_s.values()) > QUIET_PER_S else "ok", f"interrupts of devices since boot: {told}"
    )


def _watchdog(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    watchdog = target.read("/proc/sys/kernel/nmi_watchdog")
    if watchdog is None:
        return Observation("ok", "this kernel has no NMI watchdog")
    return Observation("late" if watchdog == "1" else "ok", f"nmi_watchdog is {watchdog}")


CHECKS = (
    Check(
        "interrupts",
        Severity.TENS_OF_US,
        "interrupts of devices, and the soft interrupts they raise, run before any task of their CPU",
        "https://docs.kernel.org/core-api/irq/irq-affinity.html",
        "vary it with the factor irq_affinity, boot with irqaffinity=0, and stop irqbalance",
        _devices,
    ),
    Check(
        "NMI watchdog",
        Severity.UNDER_10_US,
        "a performance counter interrupts each CPU periodically, and is not free for measuring",
        f"{ADMIN_GUIDE}/lockup-watchdogs.html",
        "sudo sysctl kernel.nmi_watchdog=0",
        _watchdog,
    ),
)
