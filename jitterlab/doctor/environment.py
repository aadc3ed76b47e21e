# SPDX-License-Identifier: Apache-2.0
"""Checks of what the machine runs on: a hypervisor, and the time it takes away."""

import re

from jitterlab.doctor.finding import Check, Observation, Severity
from jitterlab.targets import Target

RECORD = "/run/jitterlab/guard.record"
_ROW = re.compile(r"^cpu(\d{1,5})((?: \d{1,19}){8})", re.MULTILINE | re.ASCII)
"""The first eight columns of a CPU in /proc/stat are all its time, the last of them stolen (man 5 proc)."""


def _virtualisation(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    flags = (target.read("/proc/cpuinfo") or "").split()
    kind = target.read("/sys/hypervisor/type")
    maker = target.read("/sys/class/dmi/id/sys_vendor")
    if "hypervisor" not in flags and kind is None:
        return Observation("ok" if flags else "unknown", "no hypervisor is shown")
    told = ", ".join(filter(None, (kind, maker))) or "the CPU flag `hypervisor`"
    return Observation("late", f"this is a virtual machine ({told})")


def _steal(target: Target, cpus: tuple[int, ...]) -> Observation:
    shares: dict[int, float] = {}
    for row in _ROW.finditer(target.read("/proc/stat") or ""):
        ticks = [int(field) for field in row[2].split()]
        if int(row[1]) in cpus and any(ticks):
            shares[int(row[1])] = ticks[-1] / sum(ticks)
    if not shares:
        return Observation("unknown", "/proc/stat shows no stolen time")
    told = ", ".join(f"CPU {cpu}: {share:.3%}" for cpu, share in shares.items())
    return Observation(
        "late" if any(shares.values()) else "ok", f"time stolen by the host since boot: {told}"
    )


def _left_over(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    if not target.glob(RECORD):
        return Observation("ok", "no laboratory has left settings changed")
    boot, text = target.read("/proc/sys/kernel/random/boot_id"), target.read(RECORD)
    if text and boot and boot not in text:
        return Observation("ok", f"{RECORD} is from before the last boot")
    return Observation("late", f"{RECORD} is there: a laboratory is at work here, or was killed")


CHECKS = (
    Check(
        "left-over settings",
        Severity.HUNDREDS_OF_US,
        "settings are not as their owner left them",
        "docs/guard.md",
        "wait for the other study to end; if there is none: sudo jitterlab restore",
        _left_over,
    ),
    Check(
        "virtualisation",
        Severity.MILLISECONDS,
        "timers, interrupts and idling go through a hypervisor, which may run something else at any moment",
        "https://docs.kernel.org/virt/kvm/index.html",
        "measure on hardware, or pin virtual CPUs to isolated CPUs of the host, with a real-time policy",
        _virtualisation,
    ),
    Check(
        "stolen time",
        Severity.MILLISECONDS,
        "the host ran something else while this CPU wanted to run",
        "man 5 proc (/proc/stat, steal)",
        "a host with fewer guests, or CPUs of its own for this guest",
        _steal,
    ),
)
