# SPDX-License-Identifier: Apache-2.0
"""Checks of scheduling: real-time throttling, timer slack, isolation, other work."""

import re

from jitterlab.doctor.finding import ADMIN_GUIDE, Check, Observation, Severity, whole_number
from jitterlab.targets import Target

SHORT_SLACK_NS = 1000


def _throttling(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    runtime = target.read("/proc/sys/kernel/sched_rt_runtime_us")
    period = target.read("/proc/sys/kernel/sched_rt_period_us")
    if runtime is None or period is None:
        return Observation("unknown", "this kernel shows no RT bandwidth control")
    told = f"sched_rt_runtime_us is {runtime} of {period}"
    return Observation("ok" if runtime in ("-1", period) else "late", told)


def _slack(target: Target, cpus: tuple[int, ...]) -> Observation:
    del cpus
    slack = whole_number(target.read("/proc/self/timerslack_ns"))
    if slack is None:
        return Observation("unknown", "/proc/self/timerslack_ns is not readable")
    return Observation(
        "late" if slack > SHORT_SLACK_NS else "ok", f"timer slack of new programs is {slack} ns"
    )


def _isolation(target: Target, cpus: tuple[int, ...]) -> Observation:
    isolated = target.read("/sys/devices/system/cpu/isolated")
    nohz_full = target.read("/sys/devices/system/cpu/nohz_full")
    if isolated is None:
        return Observation("unknown", "/sys/devices/system/cpu/isolated is not there")
    told = f"isolated CPUs: {isolated or 'none'}; without tick (nohz_full): {nohz_full or 'none'}"
    last = max(cpus)
    return Observation(
        "ok" if isolated else "late",
        told,
        f"vary it with the factor isolation, or boot with isolcpus=domain,managed_irq,{last} "
        f"nohz_full={last} rcu_nocbs={last}",
    )


def _other_work(target: Target, cpus: tuple[int, ...]) -> Observation:
    load = re.match(r"\d{1,9}\.\d+", target.read("/proc/loadavg") or "", re.ASCII)
    online = len(target.info().cpus)
    del cpus
    if load is None:
        return Observation("unknown", "/proc/loadavg is not readable")
    busy = float(load[0])
    return Observation(
        "late" if busy > 0.5 * online else "ok",
        f"{busy:.2f} tasks ran or waited over the last minute, {online} CPUs",
    )


CHECKS = (
    Check(
        "real-time throttling",
        Severity.MILLISECONDS,
        "a real-time task that keeps its CPU is stopped for the rest of each period (50 ms of each second)",
        "https://docs.kernel.org/scheduler/sched-rt-group.html",
        "sudo sysctl kernel.sched_rt_runtime_us=-1 (a runaway task can then hang the CPU)",
        _throttling,
    ),
    Check(
        "timer slack",
        Severity.TENS_OF_US,
        "timers of tasks without real-time policy may fire later by the slack, to group wake-ups",
        "man 2 prctl (PR_SET_TIMERSLACK), man 5 proc (timerslack_ns)",
        "prctl(PR_SET_TIMERSLACK, 1), TimerSlackNSec=1 in its systemd unit, or a real-time policy",
        _slack,
    ),
    Check(
        "isolation",
        Severity.HUNDREDS_OF_US,
        "the scheduler may place any task, and its tick, on the CPUs that are measured",
        f"{ADMIN_GUIDE}/kernel-parameters.html (isolcpus, nohz_full), {ADMIN_GUIDE}/cgroup-v2.html#cpuset",
        "",
        _isolation,
    ),
    Check(
        "other work",
        Severity.MILLISECONDS,
        "other programs that run now take the CPU, its caches and its memory bandwidth",
        "man 5 proc (loadavg)",
        "end other programs; see which with `top`",
        _other_work,
    ),
)
