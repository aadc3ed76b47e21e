# SPDX-License-Identifier: Apache-2.0
"""Checks of memory: huge pages, swap, merging of pages, migration between nodes."""

from jitterlab.doctor.finding import ADMIN_GUIDE, Check, Observation, Severity
from jitterlab.targets import Target

HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"


def _huge_pages(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    text = target.read(HUGE_PAGES)
    if text is None:
        return Observation("ok", "this kernel has no transparent huge pages")
    return Observation("late" if "[always]" in text else "ok", f"transparent huge pages: {text}")


def _swap(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    swaps = target.read("/proc/swaps")
    if swaps is None:
        return Observation("ok", "this kernel does not swap")
    areas = [line.split()[0] for line in swaps.splitlines()[1:] if line.split()]
    return Observation("late" if areas else "ok", f"swap areas: {', '.join(areas) or 'none'}")


def _merging(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    run = target.read("/sys/kernel/mm/ksm/run")
    if run is None:
        return Observation("ok", "this kernel does not merge pages")
    return Observation("late" if run == "1" else "ok", f"ksm/run is {run}")


def _nodes(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    balancing = target.read("/proc/sys/kernel/numa_balancing")
    nodes = len(target.glob("/sys/devices/system/node/node[0-9]*"))
    if balancing is None:
        return Observation("ok", "this kernel does not move pages between nodes")
    return Observation(
        "late" if balancing != "0" and nodes > 1 else "ok",
        f"numa_balancing is {balancing}, {nodes} memory nodes",
    )


CHECKS = (
    Check(
        "huge pages",
        Severity.HUNDREDS_OF_US,
        "page faults of any program may wait for memory to be compacted, and khugepaged locks its memory map",
        f"{ADMIN_GUIDE}/mm/transhuge.html",
        f"echo madvise | sudo tee {HUGE_PAGES}",
        _huge_pages,
    ),
    Check(
        "swap",
        Severity.MILLISECONDS,
        "memory that is not locked may be read back from disk when it is touched",
        "man 2 mlockall, man 8 swapoff",
        "lock memory with mlockall (the probe does), or sudo swapoff --all",
        _swap,
    ),
    Check(
        "page merging",
        Severity.TENS_OF_US,
        "writing to a merged page faults and copies it",
        f"{ADMIN_GUIDE}/mm/ksm.html",
        "echo 2 | sudo tee /sys/kernel/mm/ksm/run",
        _merging,
    ),
    Check(
        "page migration",
        Severity.TENS_OF_US,
        "pages are unmapped now and then to see who uses them, and moved to another memory node",
        f"{ADMIN_GUIDE}/sysctl/kernel.html#numa-balancing",
        "sudo sysctl kernel.numa_balancing=0",
        _nodes,
    ),
)
