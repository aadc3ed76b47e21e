# SPDX-License-Identifier: Apache-2.0
"""The workload `wakeup`: a thread per CPU sleeps until a moment, and measures how late it wakes up."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Timer
from typing import Any

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.quantities import (
    format_cpus,
    format_duration,
    parse_cpus,
    parse_duration,
    parse_policy,
    parse_whole,
)
from jitterlab.registry import Availability
from jitterlab.targets import Process, Target
from jitterlab.workloads import Parameter, Progress, Response

BYTES_PER_SAMPLE = 16
MAX_RAW_BYTES = 1 << 30
TRIAL_S = 20.0
LONGEST_S = 30 * 86400.0
PROGRESS = "250ms"
# A run that takes longer than twice its time and this much hangs: no machine misses that many periods.
PATIENCE_S = 30.0


def _cpus(value: object) -> tuple[int, ...] | None:
    try:
        return None if value == "all" else parse_cpus(value)
    except ValueError as error:
        raise ValueError(f'"all", or {error}') from None


def _format_cpus(cpus: tuple[int, ...] | None) -> str:
    return "all" if cpus is None else format_cpus(cpus)


def _choice(value: object, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(", ".join(f'"{choice}"' for choice in choices))
    return str(value)


def _duration_from(value: object, low_ns: int) -> int:
    duration_ns = parse_duration(value)
    if duration_ns < low_ns:
        raise ValueError(f"a duration of at least {format_duration(low_ns)}")
    return duration_ns


def _limit(value: object) -> int | None:
    try:
        return None if value == "none" else _duration_from(value, 1)
    except ValueError as error:
        raise ValueError(f'"none", or {error}') from None


def _format_limit(limit_ns: int | None) -> str:
    return "none" if limit_ns is None else format_duration(limit_ns)


def _one_of(*choices: str) -> Callable[[object], str]:
    return partial(_choice, choices=choices)


PARAMETERS: Mapping[str, Parameter] = {
    "cpus": Parameter(
        _cpus, "all", 'the CPUs to measure on, one thread each: "all" or "0-1,3"', _format_cpus
    ),
    "interval": Parameter(
        partial(_duration_from, low_ns=1000), "1ms", "time between wake-ups", format_duration
    ),
    "distance": Parameter(
        parse_duration,
        "0ns",
        "how much longer each thread's interval is than the one before",
        format_duration,
    ),
    "align": Parameter(
        parse_duration, "0ns", "how much later each thread first wakes than the one before", format_duration
    ),
    "policy": Parameter(parse_policy, "other", 'scheduling policy: "other", "fifo:80", "rr:80", "deadline"'),
    "nice": Parameter(partial(parse_whole, low=-20, high=19), 0, "nice value under the policy other"),
    "slack": Parameter(
        partial(_duration_from, low_ns=1),
        "1ns",
        "timer slack under the policy other; Linux gives a program 50us unless it asks",
        format_duration,
    ),
    "wake": Parameter(
        _one_of("nanosleep", "timerfd", "sleep-spin", "spin"), "nanosleep", "how the thread waits"
    ),
    "spin": Parameter(parse_duration, "50us", "how long sleep-spin spins before the moment", format_duration),
    "clock": Parameter(_one_of("monotonic", "cycles"), "monotonic", "what time is read from"),
    "record": Parameter(
        _one_of("auto", "raw", "ring", "counts"),
        "auto",
        "raw keeps every sample in memory, ring streams them out, counts keeps how often each value came; "
        "auto is raw as long as that takes at most 1 GiB and a quarter of the free memory",
    ),
    "break": Parameter(_limit, "none", "end the run at the first latency over this", _format_limit),
}


class Wakeup:
    """How late a sleeping thread wakes up: what cyclictest measures, with every sample."""

    name = "wakeup"
    summary = "how late a sleeping thread wakes up, on every CPU"
    parameters = PARAMETERS
    responses = (Response("latency", "ns", "from the moment a wake-up was due until the thread ran"),)

    def available(self, target: Target) -> Availability:
        """Whether the probe can be had there."""
        try:
            target.probe()
        except NotAvailableError as error:
            return Availability(f"{error}; {error.remedy}")
        return Availability()

    def check(self, target: Target, settings: Mapping[str, Any]) -> str | None:
        """The reason why these settings cannot run there, found by taking one sample with them."""
        online = target.info().cpus
        offline = sorted(set(self.measured_cpus(target, settings)) - set(online))
        if offline:
            return f"CPU {format_cpus(offline)} is not online here; online are {format_cpus(online)}"
        if self.duration_s(settings) > LONGEST_S:
            return f"a run would take {self.duration_s(settings) / 86400:,.0f} days; 30 are the most"
        if settings["record"] == "raw" and not self._fits_memory(target, settings):
            return 'so many samples do not fit into the free memory; take record = "auto" or fewer samples'
        single = {
            **settings,
            "samples": 1,
            "warmup": 0,
            "break": None,
            "interval": min(settings["interval"], 10**6),
        }
        process = target.start(self._command(target, single, "/dev/null"))
        try:
            status = process.wait(TRIAL_S)
        except TimeoutError:
            process.terminate()
            return f"a trial of one sample did not end within {TRIAL_S:.0f} s"
        return None if status == 0 else _complaint(process, target.probe(), status)

    def measured_cpus(self, target: Target, settings: Mapping[str, Any]) -> tuple[int, ...]:
        """The CPUs of these settings; all that are online where they say so."""
        cpus: tuple[int, ...] | None = settings["cpus"]
        return target.info().cpus if cpus is None else cpus

    def duration_s(self, settings: Mapping[str, Any]) -> float:
        """Samples and warm-up times the interval, in seconds."""
        return float((settings["samples"] + settings["warmup"]) * settings["interval"]) / 1e9

    def run(
        self, target: Target, settings: Mapping[str, Any], stream: str, progress: Callable[[Progress], None]
    ) -> None:
        """Run the probe once; see `Workload.run`."""
        process = target.start([*self._command(target, settings, stream), "--progress", PROGRESS])
        limit_s = 2 * self.duration_s(settings) + PATIENCE_S
        hung = Event()

        def give_up() -> None:
            hung.set()
            process.terminate()

        watchdog = Timer(limit_s, give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            for line in process.stdout:
                _report(line, progress)
            status = process.wait()
        except BaseException:
            # Ctrl-C: the probe ends on SIGTERM with everything that it has measured.
            process.terminate()
            raise
        finally:
            watchdog.cancel()
        if hung.is_set():
            raise RunError(f"jitter-probe did not end within {limit_s:.0f} s and was ended")
        if status != 0:
            raise RunError(_complaint(process, target.probe(), status))

    def _fits_memory(self, target: Target, settings: Mapping[str, Any]) -> bool:
        per_cpu = settings["samples"] + settings["warmup"]
        needed: int = per_cpu * len(self.measured_cpus(target, settings)) * BYTES_PER_SAMPLE
        available = re.search(r"MemAvailable:\s+(\d+) kB", target.read("/proc/meminfo") or "")
        room = min(MAX_RAW_BYTES, int(available[1]) * 1024 // 4) if available else MAX_RAW_BYTES
        return needed <= room

    def _record(self, target: Target, settings: Mapping[str, Any]) -> str:
        wanted: str = settings["record"]
        if wanted != "auto":
            return wanted
        return "raw" if self._fits_memory(target, settings) else "counts"

    def _command(self, target: Target, settings: Mapping[str, Any], stream: str) -> list[str]:
        policy = settings["policy"]
        options = {
            "cpus": format_cpus(self.measured_cpus(target, settings)),
            "interval": f"{settings['interval']}ns",
            "distance": f"{settings['distance']}ns",
            "align": f"{settings['align']}ns",
            "samples": settings["samples"],
            "warmup": settings["warmup"],
            "policy": policy.name,
            "priority": policy.priority,
            "nice": settings["nice"] or None,
            "slack": f"{settings['slack']}ns",
            "wake": settings["wake"],
            "spin": f"{settings['spin']}ns",
            "clock": settings["clock"],
            "record": self._record(target, settings),
            "break": None if settings["break"] is None else f"{settings['break']}ns",
            "output": stream,
        }
        chosen = [(f"--{name}", str(value)) for name, value in options.items() if value is not None]
        return [target.probe(), "wakeup", *(word for option in chosen for word in option)]


def _complaint(process: Process, probe: str, status: int) -> str:
    """What the probe says about its failure, as one line; a command to enter names the program in full."""
    lines = [line.removeprefix("error: ").removeprefix("remedy: ") for line in process.stderr.splitlines()]
    said = "; ".join(line.strip() for line in lines if line.strip())
    return said.replace("+ep jitter-probe", f"+ep {probe}") or f"{probe} ended with status {status}"


def _report(line: str, progress: Callable[[Progress], None]) -> None:
    try:
        seen = json.loads(line)
        told = Progress(
            seen["samples"], seen["wanted"], seen.get("p50_ns"), seen.get("p99_ns"), seen.get("max_ns")
        )
    except (ValueError, KeyError, TypeError):
        return
    progress(told)
