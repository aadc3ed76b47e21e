# SPDX-License-Identifier: Apache-2.0
"""Checks of privileges: real-time priorities and locked memory for ordinary users."""

import re

from jitterlab.doctor.finding import Check, Observation, Severity
from jitterlab.targets import Target

WANTED_PRIORITY = 80
WANTED_LOCK = 64 * 1024 * 1024
UNLIMITED = float("inf")
LIMITS = "/etc/security/limits.d/99-jitterlab.conf"


def _soft_limit(limits: str, name: str) -> float | None:
    match = re.search(rf"^{name}\s+(\d+|unlimited)\s", limits, re.MULTILINE)
    if match is None:
        return None
    return UNLIMITED if match[1] == "unlimited" else float(match[1])


def _priority(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    if target.info().privileged:
        return Observation("ok", "root may use any real-time priority")
    limit = _soft_limit(target.read("/proc/self/limits") or "", "Max realtime priority")
    if limit is None:
        return Observation("unknown", "/proc/self/limits is not readable")
    return Observation(
        "ok" if limit >= WANTED_PRIORITY else "late", f"highest real-time priority is {limit:.0f}"
    )


def _memory(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    if target.info().privileged:
        return Observation("ok", "root may lock any amount of memory")
    limit = _soft_limit(target.read("/proc/self/limits") or "", "Max locked memory")
    if limit is None:
        return Observation("unknown", "/proc/self/limits is not readable")
    told = "unlimited" if limit == UNLIMITED else f"{limit / 1024:.0f} KiB"
    return Observation("ok" if limit >= WANTED_LOCK else "late", f"memory that may be locked: {told}")


CHECKS = (
    Check(
        "real-time privilege",
        Severity.MILLISECONDS,
        "without a real-time priority a task waits for all others of its CPU",
        "man 7 sched, man 5 limits.conf",
        f"echo '@realtime - rtprio 99' | sudo tee -a {LIMITS}; sudo groupadd -f realtime; "
        "sudo gpasswd -a $USER realtime; log in again",
        _priority,
    ),
    Check(
        "memory privilege",
        Severity.HUNDREDS_OF_US,
        "memory that cannot be locked may have to be brought in when it is touched",
        "man 2 mlock, man 5 limits.conf",
        f"echo '@realtime - memlock unlimited' | sudo tee -a {LIMITS}; sudo groupadd -f realtime; "
        "sudo gpasswd -a $USER realtime; log in again",
        _memory,
    ),
)
