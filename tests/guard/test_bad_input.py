# SPDX-License-Identifier: Apache-2.0
"""Hostile lines, values, files, records and disks: a clear answer, and nothing is changed."""

import resource
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guard.machines import BARE, CPU, INTEL, snapshot
from tests.guard.process import TIMEOUT_S, GuardProcess

HOSTILE = [
    *("", " ", "set", "set swappiness", "set swappiness 1 2", "get", "list all", "quit", "restore"),
    *(
        "set swappiness -1",
        "set swappiness 201",
        "set swappiness 1e1",
        "set swappiness 0x10",
        "set swappiness +1",
    ),
    *("set swappiness 99999999999999999999", "set swappiness 1;2", "set swappiness none"),
    *("set thp [never]", "set thp nev", "set thp always madvise", "set boost 2", "set smt forceoff"),
    *("set governor performance", "set governor/0/0 performance", "set governor/00 performance"),
    *("set governor/-1 performance", "set governor/0x0 performance", "set governor/999999999999 performance"),
    *("set governor/../../../../etc 1", "set ../../etc/passwd 1", "set idle_disable/0/../../x 1"),
    *(
        "set irq_affinity/24/../25 0",
        "set irq_affinity/24 9",
        "set irq_affinity/24 1-0",
        "set irq_affinity/24 ,",
    ),
    *("set irq_affinity/24 0-999999999", "set isolation 0-3", "set isolation 17", "set cpuset_balance 0"),
    *("set cpuset_delegation 1", "set rt_runtime 1000001", "set rt_runtime -2", "set GOVERNOR/0 performance"),
    *("set dma_latency -1", "set dma_latency x", "set min_freq/0 800001.5", "set max_freq/0 1"),
]


@pytest.mark.parametrize("line", HOSTILE)
def test_a_line_that_is_wrong_is_refused(line: str, probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        answer = guard.ask(line)
        assert answer["error"]
        assert answer["remedy"]
        assert snapshot(root) == before
        assert guard.ask("get swappiness")["value"] == "60"
        assert guard.end() == 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    noise=st.lists(
        st.binary(max_size=300)
        | st.binary(min_size=1, max_size=40).map(lambda junk: b"set swappiness " + junk)
        | st.integers(4000, 9000).map(lambda length: b"set thp " + b"x" * length),
        max_size=20,
    )
)
def test_noise_never_breaks_it(noise: list[bytes], probe: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = BARE.build(Path(folder))
        before = snapshot(root)
        done = subprocess.run(
            [probe, "guard", "--root", str(root)],
            input=b"\n".join(noise),
            check=False,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        assert snapshot(root) == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=st.binary(max_size=200), header=st.booleans())
def test_a_damaged_record_is_never_obeyed(record: bytes, header: bool, probe: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = BARE.build(Path(folder))
        before = snapshot(root)
        path = Path(folder) / "run/jitterlab/guard.record"
        path.parent.mkdir(parents=True)
        begin = b"jitterlab-guard 1 0f0f0f0f-0000-4000-8000-000000000001\n" if header else b""
        path.write_bytes(begin + record)
        done = subprocess.run(
            [probe, "guard", "--root", str(root), "--restore"],
            check=False,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode in (0, 1, 3), done.stderr
        assert snapshot(root) == before


def test_a_record_cannot_set_what_a_user_could_not(probe: str, tmp_path: Path) -> None:
    root = BARE.build(tmp_path)
    before = snapshot(root)
    record = root / "run/jitterlab/guard.record"
    record.parent.mkdir(parents=True)
    record.write_text(
        "jitterlab-guard 1 0f0f0f0f-0000-4000-8000-000000000001\n"
        "../../etc/passwd x\nswappiness 12345\nthp sometimes\nidle_disable/0/../../../x 1\n"
    )
    done = subprocess.run(
        [probe, "guard", "--root", str(root), "--restore"],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 1
    assert "there is no knob" in done.stderr
    assert snapshot(root) == before


def test_a_record_of_another_user_is_refused(probe: str, tmp_path: Path) -> None:
    root = BARE.build(tmp_path)
    record = root / "run/jitterlab/guard.record"
    record.parent.mkdir(parents=True)
    record.symlink_to("/etc/hostname")
    with GuardProcess(probe, root) as guard:
        assert guard.process.wait(TIMEOUT_S) == 3
        assert str(record) in guard.stderr.read()


def test_a_full_disk_changes_nothing(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        soft, hard = resource.prlimit(guard.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(guard.process.pid, resource.RLIMIT_FSIZE, (60, hard))
        answer = guard.ask("set swappiness 1")
        assert "nothing was changed: the record" in answer["error"]
        assert snapshot(root) == before
        resource.prlimit(guard.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        assert guard.ask("set swappiness 1")["value"] == "1"
        guard.kill(signal.SIGKILL)
    with GuardProcess(probe, root, "--restore") as guard:
        assert guard.process.wait(TIMEOUT_S) == 0
    assert snapshot(root) == before


def test_a_value_that_reads_back_differently_is_an_error(probe: str, tmp_path: Path) -> None:
    """A file of a real kernel that takes 33 and shows 00000021 stands for a driver that clips."""
    root = BARE.build(tmp_path)
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        Path(f"/proc/{sleeper.pid}/coredump_filter").write_text("0")
        file = root / "proc/sys/vm/swappiness"
        file.unlink()
        file.symlink_to(f"/proc/{sleeper.pid}/coredump_filter")
        with GuardProcess(probe, root) as guard:
            answer = guard.ask("set swappiness 33")
            assert answer["error"] == "swappiness was set to 33 but reads back as 00000021"
            assert file.read_text() == "00000000\n"
            assert guard.end() == 0
        sleeper.kill()


def test_a_value_that_the_kernel_refuses_is_an_error(probe: str, tmp_path: Path) -> None:
    root = BARE.build(tmp_path)
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        file = root / "proc/sys/kernel/sched_rt_runtime_us"
        file.unlink()
        file.symlink_to(f"/proc/{sleeper.pid}/oom_score_adj")
        with GuardProcess(probe, root) as guard:
            answer = guard.ask("set rt_runtime 5000")
            assert answer["error"] == "rt_runtime cannot be set to 5000: Invalid argument"
            assert guard.end() == 0
        sleeper.kill()


def test_what_could_not_be_put_back_is_not_changed(probe: str, tmp_path: Path) -> None:
    """Groups without a record: somebody has removed the record of a killed guard."""
    root = INTEL.build(tmp_path)
    (root / "sys/fs/cgroup/jitterlab.isolated").mkdir()
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        answer = guard.ask("set isolation 1")
        assert answer["error"].startswith("isolation is 'incomplete' now, which could not be put back")
        assert guard.end() == 0
    assert snapshot(root) == before


def test_a_cpu_that_goes_off_line(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        guard.ask("set idle_disable/3/1 1")
        folder = root / CPU / "cpu3/cpuidle"
        folder.rename(tmp_path / "gone")
        assert "not available here" in guard.ask("set idle_disable/3/2 1")["error"]
        assert guard.end() == 1
        (tmp_path / "gone").rename(folder)
    with GuardProcess(probe, root) as guard:
        assert guard.greeting["restored"] == 1


@pytest.mark.parametrize(
    "arguments", [["--nonsense"], ["--root"], ["extra"], ["--list", "--restore"], ["--record"]]
)
def test_wrong_usage(arguments: list[str], probe: str) -> None:
    done = subprocess.run(
        [probe, "guard", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert "usage: jitter-probe guard" in done.stderr
