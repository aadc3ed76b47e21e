# SPDX-License-Identifier: Apache-2.0
"""This machine for real: its settings change, and come back after any death. Needs root."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitterlab.errors import NotAvailableError
from jitterlab.factors import Bench
from jitterlab.guard import Guard, list_knobs, restore
from jitterlab.registry import registered
from jitterlab.targets.local import LocalTarget

pytestmark = pytest.mark.root

LOCK_WAIT_S = 120.0
SETTINGS = {
    "swappiness": ("/proc/sys/vm/swappiness", ("37", "38")),
    "thp": ("/sys/kernel/mm/transparent_hugepage/enabled", ("always", "never")),
    "aslr": ("/proc/sys/kernel/randomize_va_space", ("1", "2")),
    "timer_migration": ("/proc/sys/kernel/timer_migration", ("0", "1")),
    "rt_runtime": ("/proc/sys/kernel/sched_rt_runtime_us", ("-1", "950000")),
}
CPUSET = Path("/sys/fs/cgroup/cpuset")


def read(path: str) -> str:
    return Path(path).read_text()


def everything() -> dict[str, str]:
    """All that these tests change."""
    files = [path for path, _ in SETTINGS.values()]
    files += [str(path) for path in [Path("/sys/devices/virtual/workqueue/cpumask")] if path.exists()]
    files += [str(path) for path in Path("/proc/irq").glob("*/smp_affinity_list")]
    files += [str(path) for path in Path("/sys/devices/system/cpu").glob("cpu*/cpuidle/state*/disable")]
    if CPUSET.is_dir():
        files += [str(CPUSET / "cpuset.sched_load_balance")]
    state = {path: read(path) for path in files}
    return state | {"groups": str(sorted(Path("/sys/fs/cgroup").glob("**/jitterlab.*")))}


@contextlib.contextmanager
def guarding() -> Iterator[Guard]:
    """A guard of this machine; other laboratories may be at work on it, so their end is waited for."""
    target, deadline = LocalTarget(), time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            guard = Guard(target)
            break
        except NotAvailableError as error:
            if "another guard" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    try:
        yield guard
    finally:
        with contextlib.suppress(Exception):
            guard.close()


def other(knob: str) -> str:
    path, (one, two) = SETTINGS[knob]
    now = read(path).strip()
    return two if one in (now, now.partition("[")[2].partition("]")[0]) else one


def kill_guard(guard: Guard) -> None:
    """Kill the guard so that it cannot put anything back."""
    process = guard._process
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)


def test_settings_change_and_come_back() -> None:
    with guarding() as guard:
        before = everything()
        for knob, (path, _) in SETTINGS.items():
            value = other(knob)
            assert guard.set(knob, value) == value
            text = read(path).strip()
            assert value in (text, text.partition("[")[2].partition("]")[0])
        guard.close()
        assert everything() == before


def test_a_killed_guard_is_made_good_by_the_next() -> None:
    with guarding() as guard:
        before = everything()
        for knob in SETTINGS:
            guard.set(knob, other(knob))
        kill_guard(guard)
    assert restore(LocalTarget()).failures == ()
    assert everything() == before


def test_dma_latency_stands_as_long_as_the_guard() -> None:
    with guarding() as guard:
        if not list_knobs(LocalTarget())["dma_latency"].available:
            with pytest.raises(NotAvailableError):
                guard.set("dma_latency", "20")
            return
        assert guard.get("dma_latency") == "none"
        assert guard.set("dma_latency", "20") == "20"
        with Path("/dev/cpu_dma_latency").open("rb") as device:
            assert int.from_bytes(device.read(4), "little", signed=True) <= 20
        assert guard.reset("dma_latency") == "none"


def tasks() -> set[str]:
    return set((CPUSET / "tasks").read_text().split())


@pytest.mark.parametrize("death", ["close", "kill"])
def test_isolation_keeps_other_tasks_away(death: str) -> None:
    """A task that may run anywhere leaves the isolated CPU; the laboratory's own may still go there."""
    last = LocalTarget().info().cpus[-1]
    with guarding() as guard, subprocess.Popen(["setsid", "sleep", "600"], cwd="/") as sleeper:
        try:
            if len(LocalTarget().info().cpus) < 2 or not list_knobs(LocalTarget())["isolation"].available:
                with pytest.raises(NotAvailableError):
                    guard.set("isolation", str(last))
                return
            before = everything()
            assert guard.set("isolation", str(last)) == str(last)
            assert last not in os.sched_getaffinity(sleeper.pid)
            own = subprocess.run(["taskset", "-c", str(last), "true"], check=False)
            assert own.returncode == 0 or not CPUSET.is_dir()
            if death == "kill":
                kill_guard(guard)
                assert everything() != before
                assert restore(LocalTarget()).failures == ()
            else:
                guard.close()
            assert everything() == before
            assert last in os.sched_getaffinity(sleeper.pid)
        finally:
            sleeper.kill()


def test_a_probe_from_among_the_others_enters_the_isolated_cpus() -> None:
    """The probe may be started by a task that was moved away (a new SSH session, say)."""
    target = LocalTarget()
    last = str(target.info().cpus[-1])
    rest = CPUSET / "jitterlab.rest/tasks"
    wakeup = ["wakeup", "--cpus", last, "--interval", "1ms", "--samples", "20", "--output", "/dev/null"]
    with guarding() as guard:
        guard.set("isolation", last)
        if rest.exists():
            script = f'echo $$ > {rest} && ! taskset -c {last} true 2>&1 && exec "$@"'
            done = subprocess.run(
                ["sh", "-c", script, "sh", target.probe(), *wakeup],
                check=False,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr + done.stdout
        guard.close()


@pytest.mark.parametrize(
    ("factor", "level"),
    [
        *(("thp", "never"), ("swappiness", "7"), ("aslr", "off"), ("timer_migration", "off")),
        *(
            ("rt_runtime", "unlimited"),
            ("isolation", "measured"),
            ("irq_affinity", "away"),
            ("workqueues", "away"),
        ),
        *(("idle_states", "0us"), ("dma_latency", "0us"), ("governor", "default")),
    ],
)
def test_factors_hold_for_their_run_only(factor: str, level: str) -> None:
    target = LocalTarget()
    held = registered("factors")[factor]
    with guarding() as guard:
        before = everything()
        bench = Bench(target, guard, target.info().cpus[-1:])
        if level == "default":
            with held.hold(bench, level):
                assert everything() == before
        elif held.available(target):
            with held.hold(bench, held.parse(level)) as evidence:
                assert evidence
        assert everything() == before
