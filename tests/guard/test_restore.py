# SPDX-License-Identifier: Apache-2.0
"""However the guard dies, the machine is as it was found, to the byte."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guard.machines import CPU, INTEL, MACHINES, snapshot
from tests.guard.process import TIMEOUT_S, GuardProcess

VALUES = {
    "governor": ["performance", "powersave", "schedutil", "nonsense"],
    "min_freq": ["800000", "1600000", "2400000", "3400000", "1"],
    "max_freq": ["800000", "1600000", "2400000", "3400000", "9999999"],
    "energy_preference": ["performance", "power", "128", "fast"],
    "boost": ["0", "1"],
    "idle_disable": ["0", "1"],
    "smt": ["on", "off"],
    "irq_affinity": ["0", "0-1", "1", "2-3", "7"],
    "workqueues": ["0", "2-3"],
    "rt_runtime": ["-1", "0", "1000000"],
    "thp": ["always", "madvise", "never"],
    "aslr": ["0", "1", "2"],
    "timer_migration": ["0", "1"],
    "nmi_watchdog": ["0", "1"],
    "swappiness": ["0", "10", "200"],
    "isolation": ["1", "2-3", "none", "0-3"],
}
INSTANCES = {
    "governor": ["0", "1", "3"],
    "min_freq": ["0", "2"],
    "max_freq": ["0", "2"],
    "energy_preference": ["1", "2"],
    "idle_disable": ["0/1", "1/1", "3/2"],
    "irq_affinity": ["24", "25", "default"],
}


@st.composite
def requests(draw: st.DrawFn) -> str:
    family = draw(st.sampled_from(sorted(VALUES)))
    knob = "/".join([family, *([draw(st.sampled_from(INSTANCES[family]))] if family in INSTANCES else [])])
    if draw(st.integers(0, 4)) == 0:
        return f"reset {knob}"
    return f"set {knob} {draw(st.sampled_from(VALUES[family]))}"


def restore(probe: str, root: Path) -> None:
    done = subprocess.run(
        [probe, "guard", "--root", str(root), "--restore"],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr


DEATHS = ["eof", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL", "SIGKILL at once"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    machine=st.sampled_from(sorted(MACHINES)),
    lines=st.lists(requests(), max_size=25),
    death=st.sampled_from(DEATHS),
    delay_us=st.integers(0, 3000),
)
def test_any_requests_and_any_death_leave_the_tree_as_it_was(
    probe: str, machine: str, lines: list[str], death: str, delay_us: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = MACHINES[machine].build(Path(folder))
        before = snapshot(root)
        with GuardProcess(probe, root) as guard:
            if death == "SIGKILL at once":
                guard.stdin.write("".join(f"{line}\n" for line in lines))
                guard.stdin.flush()
                time.sleep(delay_us / 1e6)
                assert guard.kill(signal.SIGKILL) == -signal.SIGKILL
            else:
                for line in lines:
                    answer = guard.ask(line)
                    assert answer.get("value") or answer.get("error")
                status = guard.end() if death == "eof" else guard.kill(signal.Signals[death])
                assert status == (-signal.SIGKILL if death == "SIGKILL" else 0), guard.stderr.read()
        if "SIGKILL" in death:
            restore(probe, root)
        assert snapshot(root) == before
        assert not (root / "run/jitterlab/guard.record").exists()


def test_a_new_guard_puts_back_what_a_killed_one_left(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        guard.ask("set swappiness 1")
        guard.ask("set governor/0 performance")
        guard.kill(signal.SIGKILL)
    assert snapshot(root) != before
    with GuardProcess(probe, root) as guard:
        assert guard.greeting["restored"] == 2
        assert snapshot(root) == before
        assert guard.ask("set swappiness 2")["original"] == "60"
        assert guard.end() == 0
    assert snapshot(root) == before


def test_a_killed_client_ends_the_guard(probe: str, tmp_path: Path) -> None:
    """The guard sees that its parent is gone, though another process holds its input open."""
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    client = """
import subprocess, sys, time
guard = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
guard.stdout.readline()
guard.stdin.write("set thp never\\n"); guard.stdin.flush()
print(guard.stdout.readline(), guard.pid, flush=True)
holder = subprocess.Popen(["sleep", "1000"], pass_fds=[guard.stdin.fileno()], stdout=subprocess.DEVNULL)
print(holder.pid, flush=True)
time.sleep(1000)
"""
    with subprocess.Popen(
        [sys.executable, "-c", client, probe, "guard", "--root", str(root)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert '"value":"never"' in process.stdout.readline()
        process.stdout.readline()
        holder = int(process.stdout.readline())
        assert snapshot(root) != before
        process.send_signal(signal.SIGKILL)
        process.wait(TIMEOUT_S)
        deadline = time.monotonic() + TIMEOUT_S
        while snapshot(root) != before and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(holder, signal.SIGKILL)
        process.stdout.read()
    assert snapshot(root) == before


def test_two_guards_cannot_work_at_once(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as first:
        with GuardProcess(probe, root, "--record", str(tmp_path / "elsewhere")) as second:
            assert second.process.wait(TIMEOUT_S) == 3
            assert "another guard is at work" in second.stderr.read()
        assert first.ask("get swappiness")["value"] == "60"


def test_what_cannot_be_put_back_stays_in_the_record(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    governor = root / CPU / "cpufreq/policy0/scaling_governor"
    with GuardProcess(probe, root) as guard:
        guard.ask("set governor/0 performance")
        guard.ask("set swappiness 1")
        governor.unlink()
        assert guard.end() == 1
        assert "governor/0 is not available here" in guard.stderr.read()
    assert (root / "proc/sys/vm/swappiness").read_text() == "60\n"
    assert "governor/0 powersave\n" in (root / "run/jitterlab/guard.record").read_text()
    governor.write_text("performance\n")
    restore(probe, root)
    assert snapshot(root) == before


def test_changes_of_the_last_boot_are_forgotten(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        guard.ask("set swappiness 1")
        guard.kill(signal.SIGKILL)
    (root / "proc/sys/kernel/random/boot_id").write_text("0f0f0f0f-0000-4000-8000-000000000002\n")
    with GuardProcess(probe, root) as guard:
        assert guard.greeting["restored"] == 0
        assert guard.ask("get swappiness") == {"knob": "swappiness", "value": "1", "original": None}


@pytest.mark.parametrize("order", [("min", "max"), ("max", "min")])
def test_limits_moved_past_each_other_come_back(order: tuple[str, str], probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    policy = root / CPU / "cpufreq/policy0"
    with GuardProcess(probe, root) as guard:
        for limit in order:
            guard.ask(f"set {limit}_freq/0 1600000")
        guard.ask("set max_freq/0 3000000")
        guard.ask("set min_freq/0 3000000")
        assert (policy / "scaling_min_freq").read_text() == "3000000\n"
        assert guard.end() == 0
    assert snapshot(root) == before


def test_limits_that_boost_clips_come_back(probe: str, tmp_path: Path) -> None:
    """Without boost the kernel lowers the upper limit by itself; that is no original value."""
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    limit = root / CPU / "cpufreq/policy1/scaling_max_freq"
    with GuardProcess(probe, root) as guard:
        guard.ask("set boost 0")
        limit.write_text("2400000\n")
        assert guard.ask("set max_freq/1 1600000")["original"] == "3400000"
        guard.end()
    assert snapshot(root) == before


def test_what_a_governor_changes_by_itself_comes_back(probe: str, tmp_path: Path) -> None:
    """Drivers change the hardware's preference with the governor, and userspace forgets its frequency."""
    root = replace(INTEL, set_speed="1600000").build(tmp_path)
    before = snapshot(root)
    policy = root / CPU / "cpufreq/policy2"
    with GuardProcess(probe, root) as guard:
        guard.ask("set governor/2 performance")
        (policy / "energy_performance_preference").write_text("performance\n")
        (policy / "scaling_setspeed").write_text("<unsupported>\n")
        assert guard.end() == 0
    assert snapshot(root) == before


def test_an_interrupt_that_is_gone_needs_no_restoring(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        guard.ask("set irq_affinity/130 0")
        (root / "proc/irq/130/smp_affinity_list").unlink()
        assert guard.end() == 0
    assert not (root / "run/jitterlab/guard.record").exists()
