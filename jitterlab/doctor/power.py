# SPDX-License-Identifier: Apache-2.0
"""Checks of power saving: governor, boost, idle states, sibling threads, temperature."""

from jitterlab.doctor.finding import ADMIN_GUIDE, Check, Observation, Severity, whole_number
from jitterlab.targets import Target

CPU = "/sys/devices/system/cpu"
LONG_EXIT_US = 10


def _governor(target: Target, cpus: tuple[int, ...]) -> Observation:
    governors = {cpu: target.read(f"{CPU}/cpu{cpu}/cpufreq/scaling_governor") for cpu in cpus}
    found = {cpu: governor for cpu, governor in governors.items() if governor}
    if not found:
        return Observation(
            "unknown",
            f"no cpufreq driver ({CPU}/cpufreq is empty): firmware or hypervisor decide",
            "look on the host or in the firmware's set-up",
        )
    slow = {cpu: governor for cpu, governor in found.items() if governor != "performance"}
    told = ", ".join(f"CPU {cpu}: {governor}" for cpu, governor in (slow or found).items())
    return Observation("late" if slow else "ok", told)


def _boost(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    no_turbo = target.read(f"{CPU}/intel_pstate/no_turbo")
    boost = target.read(f"{CPU}/cpufreq/boost")
    if no_turbo is None and boost is None:
        return Observation("unknown", "the cpufreq driver offers no switch", "look in the firmware's set-up")
    if no_turbo is not None:
        return Observation(
            "ok" if no_turbo == "1" else "late",
            f"intel_pstate/no_turbo is {no_turbo}",
            f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo",
        )
    return Observation("ok" if boost == "0" else "late", f"cpufreq/boost is {boost}")


def _idle(target: Target, cpus: tuple[int, ...]) -> Observation:
    deepest = (0, "none", -1)
    states = 0
    for cpu in cpus:
        for path in target.glob(f"{CPU}/cpu{cpu}/cpuidle/state*"):
            states += 1
            latency_us, name = whole_number(target.read(f"{path}/latency")), target.read(f"{path}/name")
            if latency_us is not None and target.read(f"{path}/disable") == "0":
                deepest = max(deepest, (latency_us, name or path, cpu))
    longest_us, name, cpu = deepest
    if not states:
        return Observation(
            "unknown",
            "no idle states are shown (cpuidle is off, or the hypervisor idles)",
            "look on the host",
        )
    told = f"deepest state in use: {name}, exit latency {longest_us} µs" + (
        f" (CPU {cpu})" if cpu >= 0 else ""
    )
    return Observation("late" if longest_us > LONG_EXIT_US else "ok", told)


def _siblings(target: Target, cpus: tuple[int, ...]) -> Observation:
    active, control = target.read(f"{CPU}/smt/active"), target.read(f"{CPU}/smt/control")
    if active is None:
        return Observation("unknown", f"{CPU}/smt is not there")
    lists = (target.read(f"{CPU}/cpu{cpu}/topology/thread_siblings_list") for cpu in cpus)
    shared = sorted({siblings for siblings in lists if siblings and not siblings.isdecimal()})
    told = f"smt/active is {active} ({control})" + (f", siblings {'; '.join(shared)}" if shared else "")
    return Observation("late" if active == "1" else "ok", told)


def _temperature(target: Target, cpus: tuple[int, ...]) -> Observation:
    counts = {
        cpu: count
        for cpu in cpus
        if (count := whole_number(target.read(f"{CPU}/cpu{cpu}/thermal_throttle/core_throttle_count")))
        is not None
    }
    zones = [
        millidegrees / 1000
        for path in target.glob("/sys/class/thermal/thermal_zone*/temp")
        if (millidegrees := whole_number(target.read(path))) is not None
    ]
    if not counts and not zones:
        return Observation(
            "unknown", "neither thermal zones nor throttle counts are shown", "watch the host's sensors"
        )
    throttled = sum(counts.values())
    hottest = f", hottest zone {max(zones):.0f} degrees C" if zones else ""
    return Observation("late" if throttled else "ok", f"throttled {throttled} times since boot{hottest}")


CHECKS = (
    Check(
        "governor",
        Severity.HUNDREDS_OF_US,
        "a governor that saves power runs the first microseconds after a wake-up at a low frequency, and "
        "changing it takes tens of microseconds to milliseconds",
        f"{ADMIN_GUIDE}/pm/cpufreq.html",
        f"echo performance | sudo tee {CPU}/cpufreq/policy*/scaling_governor",
        _governor,
    ),
    Check(
        "boost",
        Severity.TENS_OF_US,
        "the frequency depends on temperature and on the other cores, so run times vary by themselves",
        f"{ADMIN_GUIDE}/pm/cpufreq.html#frequency-boost-support",
        f"echo 0 | sudo tee {CPU}/cpufreq/boost",
        _boost,
    ),
    Check(
        "idle states",
        Severity.HUNDREDS_OF_US,
        "a CPU that sleeps deeply answers after the exit latency of its idle state, and with cold caches",
        f"{ADMIN_GUIDE}/pm/cpuidle.html",
        "vary it with the factor idle_states, or boot with processor.max_cstate=1 intel_idle.max_cstate=1",
        _idle,
    ),
    Check(
        "sibling threads",
        Severity.TENS_OF_US,
        "two hardware threads share one core's units and caches: work on one slows the other",
        "https://docs.kernel.org/admin-guide/abi-testing.html (/sys/devices/system/cpu/smt)",
        f"echo off | sudo tee {CPU}/smt/control, or boot with nosmt",
        _siblings,
    ),
    Check(
        "temperature",
        Severity.MILLISECONDS,
        "a hot CPU is slowed down or stopped by its own protection",
        "https://docs.kernel.org/driver-api/thermal/sysfs-api.html",
        "improve the cooling, or lower the highest frequency with the factor max_frequency",
        _temperature,
    ),
)
