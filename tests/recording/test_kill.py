# SPDX-License-Identifier: Apache-2.0
"""A recording that is killed at any moment holds whole runs only, and goes on from there."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitterlab.recording import Recording, RunRow
from jitterlab.recording.manifest import Manifest
from tests.recording import stream_writer
from tests.recording.conftest import manifest

WRITER = """
import sys
from jitterlab.recording import Recording, RunRow
recording = Recording.reopen(sys.argv[1])
print("ready", flush=True)
for planned in recording.missing:
    row = RunRow(planned.run, "ok", 1, 1.0, log=f"run {planned.run}")
    recording.append(row, f"{sys.argv[2]}/{planned.run}")
"""


def latencies(run: int) -> list[int]:
    return [run * 1_000 + index for index in range(50)]


def streams(folder: Path, plan: Manifest) -> None:
    for planned in plan.plan:
        (folder / str(planned.run)).write_bytes(stream_writer.stream([latencies(planned.run)]))


def check(path: Path) -> int:
    """Every run is whole and nothing else is there; how many there are."""
    recording = Recording.reopen(path)
    runs = list(recording.runs["run"])
    for run in runs:
        assert list(recording.samples_of(run)["latency"]) == latencies(run)
        assert (path / f"logs/{run:05}.txt").read_text() == f"run {run}"
    assert [entry.run for entry in recording.counts()] == runs
    for folder in ("samples", "counts", "logs"):
        assert sorted(int(file.stem) for file in (path / folder).iterdir()) == runs
    return len(runs)


def test_a_killed_writer_leaves_whole_runs_only(tmp_path: Path) -> None:
    plan = manifest(runs=60)
    streams(tmp_path, plan)
    path = tmp_path / "recording"
    Recording.begin(path, plan, "", {})
    done, kills = 0, 0
    generator = random.Random(5)
    while done < 60:
        arguments = [sys.executable, "-c", WRITER, str(path), str(tmp_path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            if kills < 5:
                time.sleep(generator.uniform(0, 0.08))
                writer.send_signal(signal.SIGKILL)
                kills += 1
        now = check(path)
        assert now >= done
        done = now
    assert not Recording.open(path).missing


class Killed(BaseException):
    """Stands for the end of the process: nothing of the product catches it."""


def append_until_killed(
    monkeypatch: pytest.MonkeyPatch, recording: Recording, stream: Path, calls: int
) -> bool:
    """Replace the interrupted run 2, and die at the given call that makes something durable or named."""
    left = calls

    def counted(original: object) -> object:
        def call(*arguments: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return original(*arguments, **named)  # type: ignore[operator]

        return call

    with monkeypatch.context() as patch:
        for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "write_bytes")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        try:
            recording.append(RunRow(2, "ok", 1, 1.0, log="run 2"), stream)
        except Killed:
            return True
    return False


def test_dying_at_any_step_of_a_replacement_leaves_the_run_whole_or_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = manifest()
    streams(tmp_path, plan)
    outcomes, calls, died = set(), 0, True
    while died:
        path = tmp_path / f"recording-{calls}"
        recording = Recording.begin(path, plan, "", {})
        recording.append(RunRow(1, "ok", 1, 1.0, log="run 1"), tmp_path / "1")
        recording.append(RunRow(2, "interrupted", 1, 1.0, log="run 2"), tmp_path / "2")
        died = append_until_killed(monkeypatch, recording, tmp_path / "2", calls)
        check(path)
        statuses = Recording.open(path).runs.to_arrow().select(["run", "status"]).to_pylist()
        outcomes.add(tuple(row["status"] for row in statuses))
        calls += 1
    assert outcomes == {("ok", "interrupted"), ("ok",), ("ok", "ok")}
    assert calls > 15
