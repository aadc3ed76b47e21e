# SPDX-License-Identifier: Apache-2.0
"""Without root: every setting says that it is not permitted, and how it can be."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitterlab.errors import NotAvailableError
from jitterlab.guard import Guard, list_knobs
from jitterlab.targets import TargetInfo
from jitterlab.targets.local import LocalTarget
from tests.guard.machines import INTEL, snapshot
from tests.guard.process import TIMEOUT_S, GuardProcess

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def answers(argv: list[str], lines: str = "") -> list[dict[str, object]]:
    done = subprocess.run(argv, check=True, input=lines, capture_output=True, text=True, timeout=TIMEOUT_S)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that any user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def program(probe: str, public: Path) -> str:
    """The probe where any user can reach it."""
    return str(shutil.copy(probe, str(public / "jitter-probe")))


@pytest.mark.root
def test_an_ordinary_user_is_told_how_to_be_allowed(program: str) -> None:
    greeting, listing, refused = answers([*NOBODY, program, "guard"], "list\nset swappiness 1\n")
    assert greeting == {"guard": 1, "restored": 0, "failed": 0, "record": None}
    knobs = {knob["knob"]: knob for knob in listing["knobs"]}  # type: ignore[attr-defined]
    assert not knobs["swappiness"]["available"]
    assert knobs["swappiness"]["value"] is not None
    assert not knobs["isolation"]["available"]
    assert "swappiness is not permitted" in str(refused["error"])
    assert f"NOPASSWD: {program} guard, {program} guard --list, {program} guard --restore" in str(
        refused["remedy"]
    )


@pytest.mark.root
def test_an_ordinary_user_may_ask_to_restore(program: str, public: Path) -> None:
    root = INTEL.build(public / "machine")
    (root / "run/jitterlab").mkdir(parents=True)
    argv = [*NOBODY, program, "guard", "--root", str(root), "--restore"]
    assert answers(argv)[0]["restored"] == 0
    record = root / "run/jitterlab/guard.record"
    record.touch(mode=0o600)
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 3
    assert done.stderr.endswith(f"{record}: it belongs to another user\nremedy: run it with sudo\n")


@pytest.mark.root
def test_an_ordinary_user_with_a_place_for_the_record(program: str, public: Path) -> None:
    """A tree whose files the user may write, but not /run: a record elsewhere will do."""
    root = INTEL.build(public / "machine")
    (root / "run").mkdir(mode=0o755)
    own = public / "own"
    own.mkdir()
    for path in (own, *root.rglob("*")):
        if path != root / "run":
            shutil.chown(path, 65534, 65534)
    before = snapshot(root)
    argv = [*NOBODY, program, "guard", "--root", str(root)]
    _, refused = answers(argv, "set swappiness 1\n")
    assert "the record" in str(refused["error"])
    argv += ["--record", str(own / "guard.record")]
    greeting, done = answers(argv, "set swappiness 1\n")
    assert greeting["record"] == str(own / "guard.record")
    assert done == {"knob": "swappiness", "value": "1", "original": "60"}
    assert snapshot(root) == before


@pytest.mark.root
def test_a_container_with_a_read_only_proc(program: str, public: Path) -> None:
    root = INTEL.build(public / "machine")
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" guard --root "$3"'
    argv = ["unshare", "--mount", "sh", "-c", script, "sh", str(root / "proc"), program, str(root)]
    _, refused = answers(argv, "set swappiness 1\n")
    assert "is on a read-only file system" in str(refused["error"])
    assert "containers see such files read-only" in str(refused["remedy"])


class OrdinaryTarget(LocalTarget):
    """This machine for somebody who is not root, with a `sudo` of the test's making."""

    def __init__(self, sudo: Path | None) -> None:
        super().__init__()
        self.sudo = sudo

    def info(self) -> TargetInfo:
        info = super().info()
        return TargetInfo(info.name, info.architecture, info.kernel, info.cpus, privileged=False)

    def which(self, program: str) -> str | None:
        return (str(self.sudo) if self.sudo else None) if program == "sudo" else super().which(program)


def make_sudo(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    sudo = folder / "bin/sudo"
    sudo.parent.mkdir()
    sudo.write_text(f"#!/bin/sh\n{script}\n")
    sudo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{sudo.parent}:/usr/bin:/bin")
    return sudo


@pytest.mark.parametrize("allowed", [True, False])
def test_sudo_is_used_where_it_is_allowed(
    allowed: bool, probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    script = f'echo "$@" >> {log}; ' + (
        'shift; exec "$@"' if allowed else 'echo "a password is required" >&2; exit 1'
    )
    target = OrdinaryTarget(make_sudo(tmp_path, script, monkeypatch))
    root = INTEL.build(tmp_path / "machine")
    assert list_knobs(target, root=str(root))["swappiness"].value == "60"
    with Guard(target, root=str(root)) as guard:
        assert guard.set("swappiness", "1") == "1"
    assert log.read_text().splitlines() == [
        f"--non-interactive {probe} guard --root {root} --list",
        f"--non-interactive {probe} guard --root {root}",
    ]


def test_another_guard_is_told_through_sudo_too(
    probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = OrdinaryTarget(make_sudo(tmp_path, 'shift; exec "$@"', monkeypatch))
    root = INTEL.build(tmp_path / "machine")
    with GuardProcess(probe, root), pytest.raises(NotAvailableError, match="another guard is at work"):
        Guard(target, root=str(root))


def test_a_guard_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JITTERLAB_PROBE", "/bin/false")
    with pytest.raises(NotAvailableError, match="the guard does not start"):
        Guard(OrdinaryTarget(None), root=str(tmp_path))
