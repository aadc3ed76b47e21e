# SPDX-License-Identifier: Apache-2.0
"""What cannot be asked of the probe, or not here: a message, a remedy, and an exit status."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.probe.probing import NOBODY, PROBE, QUICK, probe, refusal, wakeup

NO_RIGHTS = ("prlimit", "--rtprio=0", "--nice=0", "--memlock=0", *NOBODY)
HELP = probe("wakeup", "--help").stdout.decode()
OPTIONS = re.findall(r"^  (--\w+) ", HELP, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--interval", "soon"), "--interval takes TIME, not 'soon'"),
        (("--policy", "batch"), "--policy takes other|fifo|rr|deadline, not 'batch'"),
        (("--frequency", "1"), "there is no option '--frequency'"),
        (("--samples",), "--samples takes N, not ''"),
        (("--priority", "5"), "--priority needs --policy fifo or rr"),
        (("--progress", "1s", "--output", "-"), "--progress and --output - both need standard output"),
        (("--output", "/nowhere/stream"), "cannot create '/nowhere/stream': No such file or directory"),
    ],
)
def test_usage_is_checked(options: tuple[str, ...], message: str) -> None:
    assert refusal("--output", "/dev/null", "--samples", "1", *options)[:2] == (2, message)


def test_cpu_that_is_not_there() -> None:
    status, message, remedy = refusal("--output", "/dev/null", "--cpus", "1023")
    assert status == 3
    online = Path("/sys/devices/system/cpu/online").read_text().strip()
    assert message == f"cannot run on CPU 1023: Invalid argument (online: {online})"
    assert "online" in remedy


def test_samples_that_fit_no_memory(tmp_path: Path) -> None:
    status, message, remedy = refusal("--output", f"{tmp_path}/stream", "--samples", "2147480000")
    assert status == 3
    assert "MiB of memory" in message
    assert "--record counts" in remedy
    assert not (tmp_path / "stream").exists()


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        (
            ("--policy", "fifo"),
            "cannot use SCHED_FIFO with priority 80: Operation not permitted",
            "cap_sys_nice",
        ),
        (("--policy", "deadline"), "Operation not permitted", "CAP_SYS_NICE"),
        (("--nice", "-5"), "cannot change the nice value from 0 to -5: Permission denied", "CAP_SYS_NICE"),
        (("--lock", "yes"), "cannot lock memory: mlockall: ", "--lock auto"),
    ],
)
def test_what_needs_a_right_names_it(options: tuple[str, ...], message: str, remedy: str) -> None:
    status, told, how = refusal("--output", "/dev/null", *options, prefix=NO_RIGHTS)
    assert status == 3
    assert message in told
    assert remedy in how


def test_measuring_needs_no_rights() -> None:
    run = wakeup(*QUICK, prefix=NO_RIGHTS)
    assert run.sources[0].head["effective"]["policy"] == "other"
    assert run.sources[0].head["effective"]["locked"] is False
    assert "RLIMIT_MEMLOCK" in run.tail["not_available"]["locked"]
    assert run.sources[0].tail["samples"] == 300


def test_small_recordings_are_locked_without_rights() -> None:
    """As much may be locked as the kernel allows everybody."""
    run = wakeup(*QUICK, prefix=("prlimit", "--memlock=8388608", *NOBODY))
    assert all(source.head["effective"]["locked"] for source in run.sources)


@pytest.mark.root
def test_counter_that_the_kernel_does_not_trust(tmp_path: Path) -> None:
    listed = Path("/sys/devices/system/clocksource/clocksource0/available_clocksource")
    (tmp_path / "names").write_text("kvm-clock hpet acpi_pm \n")
    hidden = f'mount --bind {tmp_path}/names {listed} && exec "$0" "$@"'
    status, message, remedy = refusal(
        "--output", "/dev/null", "--clock", "cycles", prefix=("unshare", "--mount", "sh", "-c", hidden)
    )
    assert (status, remedy) == (3, "use --clock monotonic")
    assert message == "--clock cycles: the kernel found the TSC of this machine unstable"


def test_commands_are_listed() -> None:
    assert b"wakeup" in probe("--help").stdout
    assert probe().returncode == 2
    assert b"there is no command 'wakup'" in probe("wakup").stderr
    assert probe("version").stdout == probe("--version").stdout
    assert probe("version").stdout.startswith(b"jitter-probe ")
    assert probe("clock", "--fast").returncode == 2
    with Path("/dev/full").open("wb") as full:
        assert (
            subprocess.run([PROBE, "clock"], stdout=full, stderr=subprocess.PIPE, check=False).returncode == 1
        )
    assert "/dev/cpu_dma_latency is left alone" in HELP
    assert len(OPTIONS) > 15


def _words() -> st.SearchStrategy[list[str]]:
    text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
    value = st.one_of(
        text, st.integers().map(str), st.sampled_from(["1us", "0-1", "9" * 30, "-1", "%s%n", ""])
    )
    name = st.sampled_from(OPTIONS)
    return st.lists(st.one_of(text, name, value, st.tuples(name, value).map("=".join)), max_size=8)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_words())
def test_any_words_get_an_answer(words: list[str]) -> None:
    """The folder that the stream would go to is not there, so that nothing is ever measured."""
    done = subprocess.run(
        [PROBE, "wakeup", *words, "--output", "/nowhere/stream"],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode == 0:
        assert done.stdout.startswith(b"usage: ")
    else:
        assert done.returncode in {2, 3}
        assert done.stderr.startswith(b"error: ")
        assert b"\nremedy: " in done.stderr
