# SPDX-License-Identifier: Apache-2.0
"""The factor `load`: stress-ng stressors, seen at work and settled before a run, and gone after it."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from jitterlab.errors import NotAvailableError, RunError, suggestion
from jitterlab.factors import Bench
from jitterlab.registry import Availability
from jitterlab.targets import Process, Target

START_S = 15.0
SETTLE_S = 3.0
GONE_S = 5.0
WINDOW_S = 0.2
STEADY = 0.25  # two windows whose CPU use differs by less than this share are steady
TICKS_PER_S = 100  # USER_HZ, the unit of /proc/PID/stat on every architecture
COMMAND_LENGTH = 15  # the kernel cuts names of processes here

# Those that load a machine and leave nothing behind: none takes CPUs offline, mounts, fills a disk, or takes
# a real-time priority (as hrtimers does), at which it would keep the laboratory itself from running.
_HARMLESS = """cache context cpu fork futex get hdd icache io iomix l1cache lockbus matrix membarrier
memcpy memrate mmap mq open pipe poll qsort sem shm signal sock sockpair stream switch timer timerfd
tlb-shootdown udp vm yield zlib"""
STRESSORS = frozenset(_HARMLESS.split())
ALLOWED = '"none", or stressors of stress-ng with their count, such as "cpu:2", "cpu:all" or "matrix:1+io:1"'


@dataclass(frozen=True, slots=True)
class Worker:
    """A process of a load.

    Attributes:
        command: Its name as the kernel shows it.
        ticks: The CPU time that it has used.
        stopped: Whether a signal or a debugger has stopped it.
    """

    command: str
    ticks: int
    stopped: bool


def parse_load(level: object) -> tuple[tuple[str, str], ...]:
    """The stressors of a level as (name, count); count is "all" or a number from 1 to 1024. Empty for "none".

    Raises:
        ValueError: It is no such level, or names a stressor that is not known to be harmless.
    """
    if level == "none":
        return ()
    if not isinstance(level, str) or len(level) > 200:
        raise ValueError(ALLOWED)
    stressors: dict[str, str] = {}
    for part in level.replace(" ", "").split("+"):
        match = re.fullmatch(r"([a-z0-9-]+):(all|[1-9]\d{0,3})", part, re.ASCII)
        if match is None or match[1] in stressors or (match[2] != "all" and int(match[2]) > 1024):
            raise ValueError(ALLOWED)
        if match[1] not in STRESSORS:
            remedy = suggestion(match[1], STRESSORS)
            raise ValueError(
                f"{ALLOWED}; stressors are {', '.join(sorted(STRESSORS))}" + (remedy and f" ({remedy})")
            )
        stressors[match[1]] = match[2]
    return tuple(stressors.items())


def workers(target: Target, group: int) -> list[Worker]:
    """The processes of a process group on the target, without its leader and those that have ended."""
    found = []
    for path in target.glob("/proc/[0-9]*/stat"):
        head, _, rest = (target.read(path) or "").rpartition(")")
        fields = rest.split()
        if len(fields) > 12 and int(fields[2]) == group and fields[0] not in "ZX":
            pid, _, command = head.partition(" (")
            if int(pid) != group:
                ticks = int(fields[11]) + int(fields[12])
                found.append(Worker(command, ticks, stopped=fields[0] in "Tt"))
    return found


def _command(name: str) -> str:
    return f"stress-ng-{name}"[:COMMAND_LENGTH]


def _at_work(seen: list[Worker], stressors: Mapping[str, int]) -> bool:
    """Whether every stressor has as many processes as it should, and has used CPU time."""
    for name, count in stressors.items():
        own = [worker for worker in seen if worker.command == _command(name) and not worker.stopped]
        if len(own) < count or not any(worker.ticks for worker in own):
            return False
    return True


def _wait_until(condition: Callable[[], bool], limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _settle(target: Target, group: int) -> tuple[float, bool]:
    """Wait until the load uses the CPUs steadily; how many CPUs it uses then, and whether it is steady."""
    deadline = time.monotonic() + SETTLE_S
    rates: list[float] = []
    while True:
        begin, before = time.monotonic(), sum(worker.ticks for worker in workers(target, group))
        time.sleep(WINDOW_S)
        used = sum(worker.ticks for worker in workers(target, group)) - before
        rates.append(used / TICKS_PER_S / (time.monotonic() - begin))
        steady = len(rates) > 1 and abs(rates[-1] - rates[-2]) <= STEADY * max(rates[-2:])
        if steady or time.monotonic() > deadline:
            return round(rates[-1], 2), steady


class Load:
    """Something else for the machine to do while it is measured."""

    name = "load"
    summary = "other work on the machine, by stressors of stress-ng"
    between_boots = False
    allowed = ALLOWED
    busy = True

    def parse(self, level: object) -> str:
        """The canonical text of a level; see `parse_load`."""
        return "+".join(f"{name}:{count}" for name, count in parse_load(level)) or "none"

    def available(self, target: Target) -> Availability:
        """Where stress-ng is installed; without it, the machine can still be left idle."""
        if target.which("stress-ng"):
            return Availability()
        return Availability("stress-ng is not installed; run `apt install stress-ng`", ("none",))

    @contextmanager
    def hold(self, bench: Bench, level: str) -> Iterator[Mapping[str, object]]:
        """Keep the machine busy; yields how many processes do so and how many CPUs they use.

        Raises:
            NotAvailableError: stress-ng is missing, or the stressors do not come to work.
            RunError: The load ended before the run did, or would not end after it.
        """
        stressors = {
            name: len(bench.target.info().cpus) if count == "all" else int(count)
            for name, count in parse_load(level)
        }
        if not stressors:
            yield {"processes": 0}
            return
        if not bench.target.which("stress-ng"):
            raise NotAvailableError("stress-ng is not installed", "run `apt install stress-ng`")
        process = _start(bench.target, stressors)
        try:
            yield _confirm(bench.target, process, stressors)
            if not _at_work(workers(bench.target, process.pid), stressors):
                raise RunError(
                    f"the load {level} ended or stopped before the run did: {process.stderr.strip()}"
                )
        finally:
            process.terminate()
            gone = _wait_until(lambda: not workers(bench.target, process.pid), GONE_S)
        if not gone:
            raise RunError(f"the load {level} would not end", "look for processes of stress-ng and end them")


def _start(target: Target, stressors: Mapping[str, int]) -> Process:
    chosen = [word for name, count in stressors.items() for word in (f"--{name}", str(count))]
    return target.start(["stress-ng", "--quiet", "--timeout", "0", "--temp-path", target.scratch(), *chosen])


def _confirm(target: Target, process: Process, stressors: Mapping[str, int]) -> dict[str, object]:
    begin = time.monotonic()
    if not _wait_until(lambda: _at_work(workers(target, process.pid), stressors), START_S):
        seen = workers(target, process.pid)
        idle = [name for name, count in stressors.items() if not _at_work(seen, {name: count})]
        said = process.stderr.strip()
        raise NotAvailableError(
            f"the load did not come to work within {START_S:.0f} s: {', '.join(idle)}{said and f' ({said})'}",
            "try the stressor by hand: stress-ng --" + " --".join(f"{n} {c}" for n, c in stressors.items()),
        )
    cpus_used, steady = _settle(target, process.pid)
    return {
        "processes": len(workers(target, process.pid)),
        "cpus_used": cpus_used,
        "steady": steady,
        "ready_after_s": round(time.monotonic() - begin, 2),
    }
