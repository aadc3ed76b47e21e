# SPDX-License-Identifier: Apache-2.0
"""The verbs around studies, as a user calls them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import jitterlab
from jitterlab import cli

JITTERLAB = str(Path(sys.executable).parent / "jitterlab")
ASLR = Path("/proc/sys/kernel/randomize_va_space")
STUDY = """
[study]
title = "How late?"
workload = "wakeup"
replicates = 2
samples = {samples}
warmup = 10
[parameters]
cpus = "0"
{parameters}
[factors]
wake = ["nanosleep", "timerfd"]
"""


@dataclass(frozen=True)
class Answer:
    code: int
    output: str
    errors: str


Call = Callable[..., Answer]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls the command line in this process, as its script does."""

    def command_line(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["jitterlab", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return Answer(int(ended.value.code or 0), said.out, said.err)

    return command_line


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(samples=200, parameters=""))
    return path


@pytest.fixture
def long_study(tmp_path: Path) -> Iterator[Path]:
    """Four runs of a second under load, with a setting of the machine changed."""
    before = ASLR.read_text()
    path = tmp_path / "long.toml"
    path.write_text(STUDY.format(samples=1200, parameters='load = "cpu:1"\naslr = "off"'))
    yield path
    assert ASLR.read_text() == before


def wait_until(condition: Callable[[], object], limit_s: float = 15.0) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def programs_of(marker: str) -> list[str]:
    """Command lines of processes that mention a path."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


def test_a_study_is_run_recorded_and_explained(study: Path, tmp_path: Path, call: Call) -> None:
    result = call("run", study, "--output", tmp_path / "r")
    assert result.code == 0, result.errors
    assert result.output.count("  ok  ") == 4
    assert "How late?" in result.output
    assert str(tmp_path / "r" / "report.html") in result.output.replace("\n", "")
    recording = jitterlab.open(tmp_path / "r")
    assert list(recording.runs["status"]) == ["ok"] * 4
    assert len(recording.samples) == 4 * 200
    assert (tmp_path / "r" / "study.toml").read_text() == study.read_text()
    again = call("run", study, "--output", tmp_path / "r")
    assert again.code == 2
    assert "jitterlab resume" in again.errors
    complete = call("resume", tmp_path / "r")
    assert complete.code == 0
    assert "nothing to do" in complete.output


def test_options_change_the_study_and_are_recorded(study: Path, tmp_path: Path, call: Call) -> None:
    options = [
        "--samples",
        "1_00",
        "--replicates",
        1,
        "--seed",
        5,
        "--control",
        "--set",
        "wake=spin",
        "--quiet",
    ]
    result = call("run", study, "-o", tmp_path / "r", *options)
    assert result.code == 0, result.errors
    assert "  ok  " not in result.output
    recording = jitterlab.open(tmp_path / "r")
    assert list(recording.runs["cell"]) in ([1, 2], [2, 1])
    assert len(recording.samples) == 2 * 100
    assert 'wake = "spin"' in (tmp_path / "r" / "study.toml").read_text()


@pytest.mark.root
def test_a_killed_session_leaves_a_valid_recording_and_the_machine_as_it_was(
    long_study: Path, tmp_path: Path, call: Call
) -> None:
    folder = tmp_path / "r"
    before = ASLR.read_text()
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [JITTERLAB, "run", str(long_study), "-o", str(folder)], env=environment, stdout=subprocess.DEVNULL
    ) as session:
        assert wait_until((folder / "samples" / "00001.parquet").exists, 30)
        assert wait_until(lambda: ASLR.read_text() == "0\n")
        assert wait_until(lambda: len(programs_of(f"{tmp_path}/jitterlab-")) >= 2)
        session.send_signal(signal.SIGKILL)
        session.wait()
    assert wait_until(lambda: ASLR.read_text() == before)
    assert wait_until(lambda: not programs_of(f"{tmp_path}/jitterlab-"))
    recorded = jitterlab.open(folder)
    done = list(recorded.runs["status"])
    assert done
    assert done == ["ok"] * len(done)
    resumed = call("resume", folder, "--quiet")
    assert resumed.code == 0, resumed.errors
    assert list(jitterlab.open(folder).runs["status"]) == ["ok"] * 4


@pytest.mark.root
def test_an_interrupted_session_says_how_to_go_on(long_study: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    with subprocess.Popen(
        [JITTERLAB, "run", str(long_study), "-o", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as session:
        assert wait_until((folder / "samples" / "00001.parquet").exists, 30)
        session.send_signal(signal.SIGTERM)
        _, errors = session.communicate(timeout=30)
    assert session.returncode == 130
    assert f"runs are complete in {folder}; go on with: jitterlab resume {folder}\n" in errors
    assert len(errors.splitlines()) == 1
    assert list(jitterlab.open(folder).runs["status"])[:1] == ["ok"]


def test_what_is_wrong_is_said_without_a_traceback(study: Path, tmp_path: Path, call: Call) -> None:
    wrong = {
        ("run", tmp_path / "absent.toml", "-o", tmp_path / "r"): "No such file",
        ("run", "wakup", "-o", tmp_path / "r"): 'did you mean "wakeup"?',
        ("run", tmp_path, "-o", tmp_path / "r"): "this is no file",
        ("run", study, "-o", tmp_path / "r", "--samples", "many"): "--samples: found",
        ("run", study, "-o", tmp_path / "r", "--set", "wake"): "--set NAME=VALUE",
        ("run", study, "-o", tmp_path / "r", "--set", "wake=never"): "--set wake: found",
        ("run", study, "-o", "/proc/r"): "/proc/r",
        ("plan", study, "--set", "policy=fifo:200"): '"fifo:1" to "fifo:99"',
        ("studies", "nothing"): "no study 'nothing'",
        ("studies", "/nothing.toml"): "No such file",
        ("studies", tmp_path): "this is no file",
        ("plan", "x" * 300): "no study 'xxx",
        ("run", study, "-o", "x" * 300): "File name too long",
        ("resume", tmp_path): str(tmp_path),
    }
    for arguments, expected in wrong.items():
        answer = call(*arguments)
        assert answer.code == 2, arguments
        assert expected in answer.errors
        assert "remedy: " in answer.errors
    assert not (tmp_path / "r").exists()


def test_an_unknown_target_is_not_available(study: Path, tmp_path: Path, call: Call) -> None:
    result = call("run", study, "-o", tmp_path / "r", "--target", "moon")
    assert result.code == 3
    assert "local" in result.errors


def test_levels_that_cannot_be_are_refused_or_left_out(study: Path, tmp_path: Path, call: Call) -> None:
    study.write_text(study.read_text().replace('cpus = "0"\n', "") + 'cpus = ["0", "4000"]\n')
    refused = call("run", study, "-o", tmp_path / "r")
    assert refused.code == 3
    assert "cpus = 4000: CPU 4000 is not online" in refused.errors
    assert "--skip-unavailable" in refused.errors
    assert not (tmp_path / "r").exists()
    reduced = call("run", study, "-o", tmp_path / "r", "--skip-unavailable", "--samples", 50)
    assert reduced.code == 0, reduced.errors
    assert "left out: cpus = 4000" in reduced.output
    assert "not online" in jitterlab.open(tmp_path / "r").environment["left_out"]["cpus"]["4000"]
    assert (
        (tmp_path / "r" / "study.toml")
        .read_text()
        .startswith("# Left out, because this machine cannot do it")
    )


def test_the_plan_is_shown_before_anything_is_done(study: Path, call: Call) -> None:
    shown = call("plan", study)
    assert shown.code == 0, shown.errors
    assert "4 runs" in shown.output
    assert "timerfd" in shown.output
    answer = json.loads(call("plan", study, "--json").output)
    assert [entry["run"] for entry in answer["runs"]] == [1, 2, 3, 4]
    assert answer["factors"] == {"wake": {"nanosleep": None, "timerfd": None}}
    assert answer["duration_s"] > 4 * 0.2


def test_the_studies_that_come_along_are_listed_and_printed(call: Call) -> None:
    assert "wakeup" in call("studies").output
    listed = json.loads(call("studies", "--json").output)
    assert {"wakeup", "osadl"} <= {entry["name"] for entry in listed}
    assert all(entry["duration_s"] > 0 for entry in listed)
    assert call("studies", "wakeup").output.startswith("# How late")


@pytest.mark.root
def test_missing_privileges_are_told_before_anything_is_done(study: Path, tmp_path: Path) -> None:
    study.write_text(study.read_text().replace("wake =", 'policy = ["other", "fifo:80"]\nwake ='))
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "prlimit", "--rtprio=0:0"]
    result = subprocess.run(
        [*powerless, JITTERLAB, "run", str(study), "-o", str(tmp_path / "r")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 3
    assert "policy = fifo:80" in result.stderr
    assert "setcap cap_sys_nice" in result.stderr
    assert not (tmp_path / "r").exists()


def test_an_interruption_before_the_first_run_leaves_nothing_and_says_so(study: Path, tmp_path: Path) -> None:
    waiting = tmp_path / "bin" / "gcc"
    waiting.parent.mkdir()
    waiting.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nexec sleep 60\n")
    waiting.chmod(0o755)
    with subprocess.Popen(
        [JITTERLAB, "run", str(study), "-o", str(tmp_path / "r")],
        env={**os.environ, "PATH": f"{waiting.parent}:{os.environ['PATH']}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as session:
        assert wait_until((tmp_path / "asked").exists, 30)
        session.send_signal(signal.SIGINT)
        _, errors = session.communicate(timeout=10)
    assert session.returncode == 130
    assert errors == "interrupted before the first run: nothing was recorded\n"
    assert not (tmp_path / "r").exists()


def test_a_session_goes_on_when_its_reader_is_gone(study: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [JITTERLAB, "run", str(study), "-o", str(tmp_path / "r")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as session:
        assert session.stdout is not None
        session.stdout.close()
        assert session.stderr is not None
        assert session.stderr.read() == ""
        assert session.wait(60) == 0
    assert list(jitterlab.open(tmp_path / "r").runs["status"]) == ["ok"] * 4
    assert (tmp_path / "r" / "report.html").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 250 kB, of which a recording of some runs takes the whole."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=250k", "tmpfs", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.root
def test_a_full_disk_keeps_the_runs_before_and_resume_goes_on(
    study: Path, small_disk: Path, call: Call
) -> None:
    folder = small_disk / "r"
    full = call(
        "run", study, "-o", folder, "--replicates", 8, "--samples", 3000, "--set", "interval=50us", "--quiet"
    )
    assert full.code == 1
    assert "cannot be written" in full.errors
    done = list(jitterlab.open(folder).runs["status"])
    assert 0 < len(done) < 16
    assert done == ["ok"] * len(done)
    subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)], check=True)
    assert call("resume", folder, "--quiet").code == 0
    assert list(jitterlab.open(folder).runs["status"]) == ["ok"] * 16
