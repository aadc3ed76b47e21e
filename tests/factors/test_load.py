# SPDX-License-Identifier: Apache-2.0
"""Loads are real: seen at work before a run, and gone after it however it ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.factors import Bench
from jitterlab.factors.load import STRESSORS, Load, parse_load, workers
from jitterlab.guard import Guard
from jitterlab.targets import Process
from jitterlab.targets.local import LocalTarget


class Watched(LocalTarget):
    """This machine, remembering what was started."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Process] = []

    def start(self, argv, *, cpus=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        self.started.append(super().start(argv, cpus=cpus))
        return self.started[-1]


def bench(target: LocalTarget) -> Bench:
    return Bench(target, cast("Guard", None), (0,))


def test_levels_are_stressors_with_counts() -> None:
    load = Load()
    assert load.parse("none") == "none"
    assert load.parse("matrix:1 + io:2") == "matrix:1+io:2"
    assert load.parse("cpu:all") == "cpu:all"


@pytest.mark.parametrize(
    "level",
    [
        None,
        3,
        "",
        "cpu",
        "cpu:0",
        "cpu:-1",
        "cpu:1+cpu:2",
        "cpu-online:1",
        "timeout:1",
        "cpu:9999",
        "cpu:1;ls",
    ],
)
def test_other_levels_are_refused(level: object) -> None:
    with pytest.raises(ValueError, match="stressors of stress-ng"):
        Load().parse(level)


@given(
    st.dictionaries(
        st.sampled_from(sorted(STRESSORS)),
        st.just("all") | st.integers(1, 1024).map(str),
        min_size=1,
        max_size=4,
    )
)
def test_levels_read_back(stressors: dict[str, str]) -> None:
    level = "+".join(f"{name}:{count}" for name, count in stressors.items())
    assert Load().parse(level) == level
    assert dict(parse_load(level)) == stressors


def test_every_stressor_is_known_to_stress_ng() -> None:
    said = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) >= STRESSORS


def test_none_starts_nothing() -> None:
    target = Watched()
    with Load().hold(bench(target), "none") as evidence:
        assert evidence == {"processes": 0}
    assert target.started == []


def test_a_load_works_while_it_is_held_and_is_gone_afterwards() -> None:
    target = Watched()
    with Load().hold(bench(target), "cpu:1+vm:1") as evidence:
        group = target.started[0].pid
        assert {worker.command for worker in workers(target, group)} == {"stress-ng-cpu", "stress-ng-vm"}
        assert cast("float", evidence["cpus_used"]) > 0
        assert cast("int", evidence["processes"]) >= 2
    assert workers(target, group) == []


def test_a_load_is_gone_after_an_error() -> None:
    target = Watched()
    with pytest.raises(KeyboardInterrupt), Load().hold(bench(target), "cpu:1"):
        raise KeyboardInterrupt
    assert workers(target, target.started[0].pid) == []


def test_a_load_that_ends_early_is_told() -> None:
    target = Watched()
    with pytest.raises(RunError, match="before the run did"), Load().hold(bench(target), "cpu:1"):
        target.started[0].terminate()


def test_a_load_that_is_stopped_is_told_and_is_gone_afterwards() -> None:
    target = Watched()

    def stop() -> None:
        os.killpg(target.started[0].pid, signal.SIGSTOP)
        assert wait_until(lambda: all(worker.stopped for worker in workers(target, target.started[0].pid)))

    with pytest.raises(RunError, match="before the run did"), Load().hold(bench(target), "cpu:1"):
        stop()
    assert workers(target, target.started[0].pid) == []


def test_no_stressor_takes_a_real_time_priority() -> None:
    assert "hrtimers" not in STRESSORS
    with pytest.raises(ValueError, match="stressors are"):
        parse_load("hrtimers:1")


def test_a_missing_tool_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    target = LocalTarget()
    availability = Load().available(target)
    assert "apt install stress-ng" in str(availability.reason)
    assert availability.levels == ("none",)
    with pytest.raises(NotAvailableError), Load().hold(bench(target), "cpu:1"):
        pass


def test_a_load_that_does_not_come_to_work_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idle = tmp_path / "stress-ng"
    idle.write_text("#!/bin/sh\necho 'no such luck' >&2\nexec sleep 30\n")
    idle.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("jitterlab.factors.load.START_S", 0.2)
    with (
        pytest.raises(NotAvailableError, match=r"cpu \(no such luck\)"),
        Load().hold(bench(LocalTarget()), "cpu:1"),
    ):
        pass


def wait_until(condition: Callable[[], bool], limit_s: float = 8.0) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def test_a_load_is_gone_after_the_laboratory_was_killed() -> None:
    code = """
from jitterlab.factors import Bench
from jitterlab.factors.load import Load
from jitterlab.targets.local import LocalTarget
import time
class Telling(LocalTarget):
    def start(self, argv, *, cpus=None):
        process = super().start(argv, cpus=cpus)
        print(process.pid, flush=True)
        return process
with Load().hold(Bench(Telling(), None, (0,)), "cpu:1+vm:1"):
    print("held", flush=True)
    time.sleep(60)
"""
    target = LocalTarget()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as laboratory:
        assert laboratory.stdout is not None
        group = int(laboratory.stdout.readline())
        assert laboratory.stdout.readline() == "held\n"
        assert workers(target, group)
        laboratory.kill()
        laboratory.wait(5)
    assert wait_until(lambda: not workers(target, group))
