# SPDX-License-Identifier: Apache-2.0
"""`jitterlab restore`, on a tree of files that a probe of the test's making takes for the machine."""

import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from jitterlab.commands.restore import command
from jitterlab.errors import NotAvailableError, RunError
from tests.guard.machines import INTEL, snapshot
from tests.guard.process import GuardProcess


@pytest.fixture
def root(probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = INTEL.build(tmp_path / "machine")
    wrapper = tmp_path / "jitter-probe"
    wrapper.write_text(f'#!/bin/sh\nexec {probe} "$@" --root {root}\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("JITTERLAB_PROBE", str(wrapper))
    return root


def leave_behind(probe: str, root: Path, *requests: str) -> None:
    with GuardProcess(probe, root) as guard:
        for request in requests:
            assert "error" not in guard.ask(request)
        guard.kill(signal.SIGKILL)


def test_puts_back_and_says_so(probe: str, root: Path) -> None:
    before = snapshot(root)
    leave_behind(probe, root, "set swappiness 1", "set thp never")
    assert CliRunner().invoke(command, []).output == "Settings put back: 2.\n"
    assert snapshot(root) == before
    assert CliRunner().invoke(command, []).output == "Nothing to put back: this machine is as it was found.\n"


def test_json(probe: str, root: Path) -> None:
    leave_behind(probe, root, "set swappiness 1")
    assert json.loads(CliRunner().invoke(command, ["--json"]).output) == {"restored": 1, "failures": []}


def test_what_cannot_be_put_back_is_an_error(probe: str, root: Path) -> None:
    leave_behind(probe, root, "set swappiness 1")
    (root / "proc/sys/vm/swappiness").unlink()
    result = CliRunner().invoke(command, [])
    assert isinstance(result.exception, RunError)
    assert "swappiness is not available here" in str(result.exception)


def test_a_laboratory_at_work_is_left_alone(probe: str, root: Path) -> None:
    with GuardProcess(probe, root) as guard:
        guard.ask("set swappiness 1")
        result = CliRunner().invoke(command, [])
        assert isinstance(result.exception, NotAvailableError)
        assert result.exception.remedy == "a `jitterlab run` or `resume` holds it: wait for its end"
        assert guard.ask("get swappiness")["value"] == "1"


def test_a_record_of_its_own(probe: str, root: Path, tmp_path: Path) -> None:
    before = snapshot(root)
    record = tmp_path / "own.record"
    with GuardProcess(probe, root, "--record", str(record)) as guard:
        guard.ask("set swappiness 1")
        guard.kill(signal.SIGKILL)
    assert CliRunner().invoke(command, []).output.startswith("Nothing to put back")
    assert CliRunner().invoke(command, ["--record", str(record)]).output == "Settings put back: 1.\n"
    assert snapshot(root) == before
