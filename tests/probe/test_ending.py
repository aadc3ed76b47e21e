# SPDX-License-Identifier: Apache-2.0
"""Runs that end before their time: what was measured until then is valid."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.probe.probing import PROBE, Run, probe, read_stream

CPUS = sorted(os.sched_getaffinity(0))
LONG = ("--interval", "200us", "--samples", "1000000", "--warmup", "10")


def _begin(path: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start a run and return when it measures."""
    process = subprocess.Popen(
        [PROBE, "wakeup", "--output", path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 20
    while not (path.exists() and path.stat().st_size > 0):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.2)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("record", ["raw", "ring", "counts"])
def test_signal_ends_a_run_with_everything_measured(
    tmp_path: Path, record: str, number: signal.Signals
) -> None:
    process = _begin(tmp_path / "stream", *LONG, "--record", record)
    process.send_signal(number)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (0, b"", b"")
    run = Run.of((tmp_path / "stream").read_bytes())
    assert run.tail["end"] == "interrupted"
    for source in run.sources:
        if record == "counts":
            assert sum(row[1] for row in source.rows) == source.tail["samples"] > 0
        else:
            assert len(source.measured) == source.tail["samples"] > 0
            assert source.gaps == source.tail["missed"]


def test_signals_that_repeat_cut_no_stream_short(tmp_path: Path) -> None:
    """As `timeout` sends them: to the program, and a moment later to its group."""
    process = _begin(tmp_path / "stream", *LONG, "--record", "raw")
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.0002)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0
    assert Run.of((tmp_path / "stream").read_bytes()).tail["end"] == "interrupted"


@pytest.mark.parametrize("wake", ["nanosleep", "timerfd", "sleep-spin", "spin"])
def test_signal_ends_the_longest_sleep(tmp_path: Path, wake: str) -> None:
    process = _begin(tmp_path / "stream", "--interval", "3600s", "--wake", wake)
    process.terminate()
    process.communicate(timeout=5)
    assert process.returncode == 0
    assert Run.of((tmp_path / "stream").read_bytes()).tail["end"] == "interrupted"


def test_killed_run_leaves_whole_rows(tmp_path: Path) -> None:
    process = _begin(tmp_path / "stream", *LONG, "--record", "ring")
    process.kill()
    process.communicate(timeout=20)
    head, rows, tail = read_stream((tmp_path / "stream").read_bytes())
    assert head["format"] == "jitterlab-stream"
    assert len(rows) > 100
    assert tail is None


def test_thread_that_loses_its_cpu_ends_the_run(tmp_path: Path) -> None:
    """As when a CPU goes offline: the kernel moves the thread to another one."""
    process = _begin(tmp_path / "stream", *LONG, "--cpus", str(CPUS[0]), "--interval", "1ms")
    threads = [int(task.name) for task in Path(f"/proc/{process.pid}/task").iterdir()]
    pinned = [thread for thread in threads if os.sched_getaffinity(thread) == {CPUS[0]}]
    for thread in pinned:
        os.sched_setaffinity(thread, {CPUS[1]})
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"the thread of CPU {CPUS[0]} was moved to another one".encode() in errors
    run = Run.of((tmp_path / "stream").read_bytes())
    assert run.tail["end"] == "error"
    assert "was moved" in run.tail["error"]
    assert [row[1] for row in run.sources[0].measured][-1] == CPUS[1]


@pytest.mark.parametrize("record", ["raw", "ring", "counts"])
def test_file_that_cannot_grow_is_told(tmp_path: Path, record: str) -> None:
    limit = ("prlimit", "--fsize=6000")
    done = probe(
        "wakeup",
        "--output",
        f"{tmp_path}/stream",
        *LONG,
        "--samples",
        "2000",
        "--record",
        record,
        prefix=limit,
    )
    assert done.returncode == 1
    assert f"cannot write the stream to '{tmp_path}/stream': File too large".encode() in done.stderr
    head, rows, tail = read_stream((tmp_path / "stream").read_bytes())
    assert head
    assert len(rows) > 100
    assert tail is None


def test_full_disk_is_told() -> None:
    done = probe("wakeup", "--output", "/dev/full", *LONG)
    assert done.returncode == 1
    assert b"cannot write the stream to '/dev/full': No space left on device" in done.stderr


def test_reader_that_goes_away_is_told() -> None:
    process = subprocess.Popen(
        [PROBE, "wakeup", "--output", "-", *LONG, "--record", "ring"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    process.stdout.read(4)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=20) == 1
    assert b"cannot write the stream to '-': Broken pipe" in errors


def _begin_piped(*options: str) -> subprocess.Popen[bytes]:
    """Start a run whose reader does not read for a while: longer than a pipe and a ring can hold."""
    process = subprocess.Popen(
        [PROBE, "wakeup", "--output", "-", "--record", "ring", "--ring", "64", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1)
    return process


def test_slow_reader_loses_samples_and_knows_how_many() -> None:
    process = _begin_piped("--interval", "50us", "--samples", "20000")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    run = Run.of(output)
    assert sum(source.tail["lost"] for source in run.sources) > 0
    for source in run.sources:
        assert len(source.measured) == source.tail["samples"] == 20000 - source.tail["lost"]


def test_second_signal_ends_a_run_whose_reader_stands_still() -> None:
    process = _begin_piped("--interval", "50us", "--samples", "1000000")
    process.terminate()
    time.sleep(1.5)
    assert process.poll() is None
    process.terminate()
    assert process.wait(timeout=5) == -signal.SIGTERM
    process.communicate()
