# SPDX-License-Identifier: Apache-2.0
"""The workload `wakeup` asks the probe for what a study says, and says what cannot be done."""

import os
import signal
import stat
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jitterlab.errors import RunError
from jitterlab.recording.stream import StreamReader
from jitterlab.session.tail import read_tail, thread_readings
from jitterlab.targets.local import LocalTarget
from jitterlab.workloads import Progress
from jitterlab.workloads.wakeup import PARAMETERS, Wakeup


def settings(samples: int = 200, **chosen: object) -> dict[str, Any]:
    parsed = {name: p.parse(chosen.get(name, p.default)) for name, p in PARAMETERS.items()}
    return {**parsed, "samples": samples, "warmup": 20}


def measure(path: Path, wanted: Mapping[str, Any]) -> tuple[StreamReader, list[Progress]]:
    seen: list[Progress] = []
    Wakeup().run(LocalTarget(), wanted, str(path), seen.append)
    with path.open("rb") as file:
        reader = StreamReader(file, path.name)
        assert sum(len(rows.rows) for rows in reader.frames())
    return reader, seen


@pytest.mark.parametrize("name", PARAMETERS)
def test_canonical_texts_read_back(name: str) -> None:
    parameter = PARAMETERS[name]
    value = parameter.parse(parameter.default)
    assert parameter.parse(parameter.format(value)) == value
    hostile: tuple[object, ...] = (None, [], "", "nonsense", 10**5000, float("nan"))
    for written in hostile:
        with pytest.raises(ValueError, match=r"."):
            parameter.parse(written)


@pytest.mark.root
def test_what_was_asked_for_is_in_force(tmp_path: Path) -> None:
    wanted = settings(cpus="0", interval="500us", policy="fifo:70", wake="timerfd", clock="cycles")
    reader, seen = measure(tmp_path / "s", wanted)
    source = reader.facts["head"]["sources"][0]
    assert source["effective"]["policy"] == "fifo"
    assert source["effective"]["priority"] == 70
    assert source["interval_ns"] == 500_000
    assert reader.facts["head"]["settings"]["wake"] == "timerfd"
    assert reader.facts["tail"]["sources"][0]["samples"] == 200
    assert seen[-1].samples <= seen[-1].wanted


def test_ordinary_threads_have_the_nice_value_and_slack_asked_for(tmp_path: Path) -> None:
    reader, _ = measure(tmp_path / "s", settings(nice=5, slack="50us", cpus="0"))
    effective = reader.facts["head"]["sources"][0]["effective"]
    assert (effective["policy"], effective["slack_ns"]) == ("other", 50_000)
    tail = read_tail(tmp_path / "s")
    assert tail is not None
    assert tail == reader.facts["tail"]
    assert thread_readings(tail)["threads.voluntary_switches"].value >= 200 - 20


def test_all_cpus_are_measured_unless_said_otherwise() -> None:
    target = LocalTarget()
    assert Wakeup().measured_cpus(target, settings()) == target.info().cpus
    assert Wakeup().measured_cpus(target, settings(cpus="1")) == (1,)
    assert Wakeup().duration_s(settings(samples=980)) == 1.0


def test_settings_that_cannot_be_are_told() -> None:
    target, wakeup = LocalTarget(), Wakeup()
    assert wakeup.check(target, settings()) is None
    assert "CPU 4000 is not online" in str(wakeup.check(target, settings(cpus="4000")))
    assert "free memory" in str(wakeup.check(target, settings(samples=10**9, record="raw")))
    assert "30 are the most" in str(wakeup.check(target, settings(samples=10**10, interval="1h")))
    assert "--nice" in str(wakeup.check(target, settings(policy="deadline", nice=3)))


@pytest.mark.parametrize(("samples", "mode"), [(1000, "raw"), (10**8, "counts")])
def test_long_runs_keep_counts(samples: int, mode: str) -> None:
    command = Wakeup()._command(LocalTarget(), settings(samples=samples), "x")
    assert command[command.index("--record") + 1] == mode


def test_missing_privileges_are_told_with_the_exact_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = LocalTarget().probe()
    powerless = tmp_path / "jitter-probe"
    drop = "exec setpriv --bounding-set=-all --inh-caps=-all prlimit --rtprio=0:0"
    powerless.write_text(f'#!/bin/sh\n{drop} {probe} "$@"\n')
    powerless.chmod(powerless.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("JITTERLAB_PROBE", str(powerless))
    assert Wakeup().check(LocalTarget(), settings()) is None
    reason = Wakeup().check(LocalTarget(), settings(policy="fifo:80"))
    assert reason is not None
    assert "SCHED_FIFO" in reason
    assert str(powerless) in reason


def test_a_probe_that_is_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JITTERLAB_PROBE", str(tmp_path / "absent"))
    assert "JITTERLAB_PROBE" in str(Wakeup().available(LocalTarget()).reason)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo 'error: it broke' >&2; exit 1", "it broke"),
        ("echo nonsense; exit 1", "status 1"),
        ("kill -9 $$", "status -9"),
    ],
)
def test_a_probe_that_fails_is_told(
    script: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "jitter-probe"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("JITTERLAB_PROBE", str(fake))
    with pytest.raises(RunError, match=expected):
        Wakeup().run(LocalTarget(), settings(), str(tmp_path / "s"), lambda _: None)


def test_a_probe_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "jitter-probe"
    fake.write_text("#!/bin/sh\nexec sleep 100\n")
    fake.chmod(0o755)
    monkeypatch.setenv("JITTERLAB_PROBE", str(fake))
    monkeypatch.setattr("jitterlab.workloads.wakeup.PATIENCE_S", 0.2)
    with pytest.raises(RunError, match="did not end"):
        Wakeup().run(LocalTarget(), settings(samples=1), str(tmp_path / "s"), lambda _: None)


def test_ctrl_c_leaves_a_whole_stream(tmp_path: Path) -> None:
    stream = tmp_path / "s"
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Wakeup().run(LocalTarget(), settings(samples=100_000), str(stream), lambda _: None)
    assert time.monotonic() - begin < 10
    tail = read_tail(stream)
    assert tail is not None
    assert tail["end"] == "interrupted"
    assert tail["sources"][0]["samples"] > 0
