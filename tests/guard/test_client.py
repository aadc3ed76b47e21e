# SPDX-License-Identifier: Apache-2.0
"""The Python client: errors with remedies, and everything back when it is closed or dies."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.guard import Guard, list_knobs, restore
from jitterlab.targets import Process
from jitterlab.targets.local import LocalTarget
from tests.guard.machines import BARE, INTEL, snapshot
from tests.guard.process import TIMEOUT_S, GuardProcess


@pytest.fixture
def target() -> LocalTarget:
    return LocalTarget()


def test_sets_reads_back_and_puts_back(target: LocalTarget, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    with Guard(target, root=str(root)) as guard:
        assert guard.set("governor/1", "performance") == "performance"
        assert guard.set("thp", "never") == guard.get("thp") == "never"
        assert guard.reset("thp") == "madvise"
        knobs = guard.knobs()
        assert knobs["governor/1"].original == "powersave"
        assert knobs["min_freq/0"].lowest == 800_000
        assert knobs["min_freq/0"].unit == "kHz"
        assert knobs["governor/1"].family == "governor"
    assert snapshot(root) == before


def test_what_is_not_available_says_what_to_do(target: LocalTarget, tmp_path: Path) -> None:
    root = BARE.build(tmp_path)
    assert not list_knobs(target, root=str(root))["boost"].available
    with Guard(target, root=str(root)) as guard:
        with pytest.raises(NotAvailableError, match="governor/0 is not available here") as caught:
            guard.set("governor/0", "performance")
        assert "cpufreq driver" in caught.value.remedy
        with pytest.raises(NotAvailableError, match="plain text"):
            guard.set("swappiness", "1\nset thp never")
        assert guard.get("swappiness") == "60"


def test_a_guard_that_was_killed_is_noticed(target: LocalTarget, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    guard = Guard(target, root=str(root))
    guard.set("swappiness", "1")
    guard._process.terminate()
    with pytest.raises(RunError, match="the guard is gone"):
        guard.set("swappiness", "2")
    guard.close()
    assert snapshot(root) == before


def test_two_laboratories_cannot_share_a_machine(target: LocalTarget, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with Guard(target, root=str(root)), pytest.raises(NotAvailableError, match="another guard is at work"):
        Guard(target, root=str(root))


def test_restore_tells_what_it_did(target: LocalTarget, probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        guard.ask("set swappiness 1")
        guard.ask("set thp never")
        guard.kill(signal.SIGKILL)
    (root / "sys/kernel/mm/transparent_hugepage/enabled").rename(tmp_path / "hidden")
    result = restore(target, root=str(root))
    assert result.restored == 1
    assert "thp is not available here" in result.failures[0]
    (tmp_path / "hidden").rename(root / "sys/kernel/mm/transparent_hugepage/enabled")
    assert restore(target, root=str(root)).restored == 1
    assert restore(target, root=str(root)).restored == 0
    assert snapshot(root) == before


def test_what_an_earlier_guard_left_is_told_until_it_is_back(
    target: LocalTarget, probe: str, tmp_path: Path
) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as killed:
        killed.ask("set swappiness 1")
        killed.kill(signal.SIGKILL)
    (root / "proc/sys/vm/swappiness").rename(tmp_path / "hidden")
    guard = Guard(target, root=str(root))
    assert guard.set("thp", "never") == "never"
    with pytest.raises(RunError, match="swappiness is not available here"):
        guard.close()
    (tmp_path / "hidden").rename(root / "proc/sys/vm/swappiness")
    with Guard(target, root=str(root)) as guard:
        assert guard.get("swappiness") == "60"
        assert guard.get("thp") == "madvise"


def test_what_cannot_be_put_back_is_an_error_at_the_end(target: LocalTarget, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    guard = Guard(target, root=str(root))
    guard.set("swappiness", "1")
    (root / "proc/sys/vm/swappiness").unlink()
    with pytest.raises(RunError, match="could not put everything back: swappiness is not available here"):
        guard.close()
    guard.close()


def test_a_laboratory_killed_at_any_moment_leaves_the_machine_as_found(
    target: LocalTarget, probe: str, tmp_path: Path
) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    laboratory = """
import itertools, sys
from jitterlab.guard import Guard
from jitterlab.targets import Process
from jitterlab.targets.local import LocalTarget
guard = Guard(LocalTarget(), root=sys.argv[1])
for number in itertools.cycle(range(100)):
    guard.set("swappiness", str(number))
    guard.set(f"governor/{number % 4}", "performance")
    print(number, flush=True)
"""
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", laboratory, str(root)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait(TIMEOUT_S)
            process.stdout.read()
        deadline = time.monotonic() + TIMEOUT_S
        while snapshot(root) != before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert snapshot(root) == before
    assert target.probe() == probe


def test_answers_stay_in_step_after_an_interruption(
    target: LocalTarget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between a request and its answer: the answer is skipped, whether the request went out or not."""
    root = INTEL.build(tmp_path)
    with Guard(target, root=str(root)) as guard:
        for pipe, method in ((guard._process.stdout, "readline"), (guard._process.stdin, "flush")):
            with monkeypatch.context() as patch:
                patch.setattr(guard, "_process", Interrupted(guard._process, pipe, method))
                with pytest.raises(KeyboardInterrupt):
                    guard.set("swappiness", "1")
            assert guard.get("thp") == "madvise"
            assert guard.reset("swappiness") == "60"
            assert guard.get("thp") == "madvise"


class Interrupted:
    """A process of which one pipe is interrupted at one call."""

    def __init__(self, process: Process, pipe: IO[str], method: str) -> None:
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        stub = InterruptedPipe(pipe, method)
        if pipe is self.stdin:
            self.stdin = stub  # type: ignore[assignment]
        else:
            self.stdout = stub  # type: ignore[assignment]


class InterruptedPipe:
    def __init__(self, pipe: IO[str], method: str) -> None:
        self.pipe, self.method = pipe, method

    def __getattr__(self, name: str) -> object:
        if name == self.method:
            raise KeyboardInterrupt
        return getattr(self.pipe, name)
