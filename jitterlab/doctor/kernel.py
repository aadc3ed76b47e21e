# SPDX-License-Identifier: Apache-2.0
"""Checks of the kernel: preemption, clock source, tracing, mitigations."""

import re

from jitterlab.doctor.finding import ADMIN_GUIDE, Check, Observation, Severity
from jitterlab.targets import Target

FAST_CLOCKS = {
    "tsc",
    "arch_sys_counter",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "timebase",
    "riscv_clocksource",
}
CLOCK = "/sys/devices/system/clocksource/clocksource0"
DEBIAN_FLAVOUR = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armmp", "i686": "686-pae"}


def _preemption(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    version = target.read("/proc/version") or ""
    real_time = target.read("/sys/kernel/realtime") == "1" or "PREEMPT_RT" in version
    model = re.search(r"PREEMPT(?:_[A-Z]+)?", version)
    info = target.info()
    flavour = DEBIAN_FLAVOUR.get(info.architecture, info.architecture)
    return Observation(
        "ok" if real_time else "late",
        f"kernel {info.kernel}: {model[0] if model else 'preemption not shown'}",
        f"sudo apt install linux-image-rt-{flavour}, and boot it",
    )


def _clock(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    current = target.read(f"{CLOCK}/current_clocksource")
    if current is None:
        return Observation("unknown", f"{CLOCK} is not there")
    offered = target.read(f"{CLOCK}/available_clocksource") or current
    better = [name for name in offered.split() if name in FAST_CLOCKS]
    return Observation(
        "ok" if current in FAST_CLOCKS else "late",
        f"clock source is {current} (offered: {offered})",
        f"echo {better[0]} | sudo tee {CLOCK}/current_clocksource" if better else "",
    )


def _tracing(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    for folder in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        tracer, events = target.read(f"{folder}/current_tracer"), target.read(f"{folder}/events/enable")
        if tracer is None:
            continue
        on = tracer != "nop" or events not in ("0", None)
        told = f"tracer {tracer}, events {'off' if events in ('0', None) else 'on'}"
        remedy = f"echo nop | sudo tee {folder}/current_tracer; echo 0 | sudo tee {folder}/events/enable"
        return Observation("late" if on else "ok", told, remedy)
    return Observation(
        "unknown", "/sys/kernel/tracing is not readable", "look as root: sudo jitterlab doctor"
    )


def _mitigations(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    paths = target.glob("/sys/devices/system/cpu/vulnerabilities/*")
    active = [path.rpartition("/")[2] for path in paths if (target.read(path) or "").startswith("Mitigation")]
    if not paths:
        return Observation("unknown", "this kernel shows no vulnerabilities")
    return Observation("late" if active else "ok", f"mitigations in force: {', '.join(active) or 'none'}")


CHECKS = (
    Check(
        "preemption",
        Severity.MILLISECONDS,
        "without PREEMPT_RT a wake-up waits until the kernel leaves sections that cannot be preempted",
        "https://docs.kernel.org/core-api/real-time/theory.html",
        "",
        _preemption,
    ),
    Check(
        "clock source",
        Severity.UNDER_10_US,
        "reading a clock that is no CPU counter takes a system call and a device access: 1 µs and more each",
        f"{ADMIN_GUIDE}/kernel-parameters.html (clocksource)",
        "find out why the kernel rejected the CPU's counter: dmesg | grep -i clocksource",
        _clock,
    ),
    Check(
        "tracing",
        Severity.TENS_OF_US,
        "a tracer or trace events left on cost time in each traced function or event",
        "https://docs.kernel.org/trace/ftrace.html",
        "",
        _tracing,
    ),
    Check(
        "mitigations",
        Severity.UNDER_10_US,
        "each system call, interrupt and task switch takes longer, by up to some microseconds",
        f"{ADMIN_GUIDE}/hw-vuln/index.html",
        "mitigations=off as kernel parameter, only where no foreign code runs",
        _mitigations,
    ),
)
