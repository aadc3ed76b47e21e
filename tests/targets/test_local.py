# SPDX-License-Identifier: Apache-2.0
"""This machine as a target: what is read, what is started, and that it ends with the laboratory."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from jitterlab.errors import NotAvailableError
from jitterlab.targets.local import LocalTarget


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pid: int, limit_s: float = 5.0) -> bool:
    deadline = time.monotonic() + limit_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_info_is_what_uname_says() -> None:
    info = LocalTarget().info()
    assert info.kernel == os.uname().release
    assert set(os.sched_getaffinity(0)) <= set(info.cpus)


def test_reading_never_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b" text\xff \n")
    target = LocalTarget()
    assert target.read(str(tmp_path / "file")) == "text\N{REPLACEMENT CHARACTER}"
    assert target.read(str(tmp_path / "absent")) is None
    assert target.read(str(tmp_path)) is None
    assert target.read("a\0b") is None


def test_paths_are_sorted_by_number(tmp_path: Path) -> None:
    for cpu in (10, 2, 1):
        (tmp_path / f"cpu{cpu}").mkdir()
    assert [Path(path).name for path in LocalTarget().glob(f"{tmp_path}/cpu*")] == ["cpu1", "cpu2", "cpu10"]


def test_a_program_talks_through_pipes_on_the_cpus_asked_for() -> None:
    process = LocalTarget().start(
        ["sh", "-c", "read x; grep Cpus_allowed_list /proc/self/status; echo $x >&2; exit 3"], cpus=[0]
    )
    process.stdin.write("hello\n")
    process.stdin.close()
    assert process.stdout.read().split() == ["Cpus_allowed_list:", "0"]
    assert process.wait(5) == 3
    assert process.stderr == "hello\n"


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(NotAvailableError, match="no-such-program"):
        LocalTarget().start(["no-such-program"])


def test_waiting_has_a_limit_and_ending_reaches_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitterlab.targets.local.GRACE_S", 0.2)
    process = LocalTarget().start(["sh", "-c", "trap '' TERM; sleep 60 & echo $!; wait"])
    child = int(process.stdout.readline())
    with pytest.raises(TimeoutError):
        process.wait(0.05)
    process.terminate()
    process.terminate()
    assert wait_for_end(child)
    assert not alive(process.pid)


def test_programs_end_when_the_laboratory_is_killed() -> None:
    code = (
        "from jitterlab.targets.local import LocalTarget; import time; "
        "print(LocalTarget().start(['sleep', '60']).pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as laboratory:
        assert laboratory.stdout is not None
        pid = int(laboratory.stdout.readline())
        time.sleep(0.2)
        assert alive(pid)
        laboratory.send_signal(signal.SIGKILL)
        laboratory.wait(5)
        assert wait_for_end(pid)


def test_scratch_of_killed_laboratories_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen(["true"]) as gone:
        pass
    (tmp_path / f"jitterlab-{gone.pid}-x").mkdir()
    (tmp_path / f"jitterlab-{os.getpid()}-x").mkdir()
    scratch = Path(LocalTarget().scratch())
    assert not (tmp_path / f"jitterlab-{gone.pid}-x").exists()
    assert (tmp_path / f"jitterlab-{os.getpid()}-x").exists()
    assert scratch.parent == tmp_path


def test_the_probe_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "jitter-probe"
    monkeypatch.setenv("JITTERLAB_PROBE", str(named))
    with pytest.raises(NotAvailableError, match="JITTERLAB_PROBE"):
        LocalTarget().probe()
    named.write_text("#!/bin/sh\n")
    named.chmod(0o755)
    assert LocalTarget().probe() == str(named)
    monkeypatch.delenv("JITTERLAB_PROBE")
    monkeypatch.setattr("jitterlab.targets.local.CHECKOUT_PROBE", tmp_path / "absent")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert LocalTarget().probe() == str(named)
    named.unlink()
    with pytest.raises(NotAvailableError, match="not built"):
        LocalTarget().probe()


def test_fetching_moves(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    LocalTarget().fetch(str(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x"
    assert not (tmp_path / "a").exists()
