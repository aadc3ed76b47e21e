# SPDX-License-Identifier: Apache-2.0
"""Sessions make the runs of a plan in order, survive what goes wrong, and go on where they were left."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitterlab import registry, session
from jitterlab.errors import InputError, NotAvailableError, RunError
from jitterlab.factors import Bench
from jitterlab.recording import Recording
from jitterlab.study import Study, parse
from tests.session.laboratory import Bookkeeper, Machine, Noting, Standby, stream


def fail(_: str) -> None:
    raise RunError("no inspiration", "sleep on it")


def interrupt(path: str) -> None:
    Path(path).write_bytes(stream([7, 7], end="interrupted"))
    os.kill(os.getpid(), signal.SIGINT)


def statuses(recording: Recording) -> list[str]:
    return list(recording.runs["status"])


def ignore(_: session.Event) -> None:
    pass


def test_runs_are_made_in_order_with_every_factor_held_and_loads_last(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    recording = session.begin(study, machine, tmp_path / "r", ignore)
    one_run = ["setting high", "noise low", "ponder {}", "noise released", "setting released"]
    topics = ["latency", "jitter", "latency", "jitter"]
    assert keeper.log == [line.format(topic) for topic in topics for line in one_run]
    assert statuses(recording) == ["ok"] * 4
    assert list(recording.runs["looks.between"]) == [1.0] * 4
    assert list(recording.runs["threads.migrations"]) == [3.0] * 4
    assert "read back" in (tmp_path / "r" / "logs" / "00001.txt").read_text()


def test_a_run_is_on_disk_before_the_next_begins(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    found: list[int] = []

    def look(path: str) -> None:
        found.append(len(Recording.open(tmp_path / "r").runs))
        Path(path).write_bytes(stream([1]))

    keeper.happenings = dict.fromkeys(range(1, 5), look)
    session.begin(study, machine, tmp_path / "r", ignore)
    assert found == [0, 1, 2, 3]


def test_what_happens_is_told(study: Study, machine: Machine, tmp_path: Path) -> None:
    events: list[session.Event] = []
    session.begin(study, machine, tmp_path / "r", events.append)
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["RunBegun", "RunProgress", "RunEnded"] * 4
    ended = [event for event in events if isinstance(event, session.RunEnded)]
    assert all(event.last is not None and event.last.max_ns == 3 for event in ended)


def test_a_failed_run_is_tried_once_more(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {2: fail}
    recording = session.begin(study, machine, tmp_path / "r", ignore)
    assert statuses(recording) == ["ok"] * 4
    assert list(recording.runs["attempts"]) == [1, 2, 1, 1]
    assert keeper.log.count("noise low") == 5


def test_a_run_that_fails_twice_is_marked_and_the_session_goes_on(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {2: fail, 3: fail}
    recording = session.begin(study, machine, tmp_path / "r", ignore)
    assert statuses(recording) == ["ok", "failed", "ok", "ok"]
    assert recording.runs["error"][1] == "no inspiration (sleep on it)"
    again = session.resume(tmp_path / "r", machine, ignore)
    assert statuses(again) == ["ok"] * 4


def test_a_factor_that_cannot_be_held_fails_its_run_only(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    broken = parse(study.text.replace('setting = "high"', 'setting = "broken"'), "x.toml")
    recording = session.begin(broken, machine, tmp_path / "r", ignore)
    assert statuses(recording) == ["failed"] * 4
    assert not any(line.startswith("ponder") for line in keeper.log)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: Path(path).write_bytes(b"no stream"),
        lambda path: Path(path).write_bytes(stream([1])[:-10]),
        lambda path: None,
        lambda path: Path(path).write_bytes(stream([1], end="error")),
    ],
)
def test_a_damaged_stream_is_a_failed_run(
    damage: Any, study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {1: damage, 2: damage}
    recording = session.begin(study, machine, tmp_path / "r", ignore)
    assert statuses(recording) == ["failed", "ok", "ok", "ok"]
    assert recording.runs["error"][0]


def test_ctrl_c_keeps_what_was_measured_and_resume_goes_on(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {3: interrupt}
    with pytest.raises(KeyboardInterrupt):
        session.begin(study, machine, tmp_path / "r", ignore)
    partial = Recording.open(tmp_path / "r")
    assert statuses(partial) == ["ok", "ok", "interrupted"]
    assert keeper.log[-2:] == ["noise released", "setting released"]
    assert session.remaining(tmp_path / "r").runs == 2
    resumed = session.resume(tmp_path / "r", machine, ignore)
    assert statuses(resumed) == ["ok"] * 4
    assert keeper.executions == 5


def test_ctrl_c_ends_the_session_even_if_letting_go_fails(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {1: interrupt}
    sticky = parse(study.text.replace('noise = "low"', 'noise = "sticky"'), "x.toml")
    with pytest.raises(KeyboardInterrupt):
        session.begin(sticky, machine, tmp_path / "r", ignore)
    assert keeper.executions == 1
    recording = Recording.open(tmp_path / "r")
    assert statuses(recording) == ["failed"]
    assert "does not let go" in recording.runs["error"][0]


def test_a_signal_while_a_run_is_written_waits_for_its_end(
    study: Study, machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    append = Recording.append

    def interrupted_append(self: Recording, *arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        append(self, *arguments)

    monkeypatch.setattr(Recording, "append", interrupted_append)
    with pytest.raises(KeyboardInterrupt):
        session.begin(study, machine, tmp_path / "r", ignore)
    assert statuses(Recording.open(tmp_path / "r")) == ["ok"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_cpu_that_goes_offline_fails_the_run_and_the_session_goes_on(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    def lose(path: str) -> None:
        Path(path).write_bytes(stream([1]))
        machine.cpus = (0,)

    def bring_back(event: session.Event) -> None:
        if isinstance(event, session.RunEnded):
            machine.cpus = (0, 1)

    keeper.happenings = {2: lose}
    recording = session.begin(study, machine, tmp_path / "r", bring_back)
    assert statuses(recording) == ["ok", "failed", "ok", "ok"]
    assert "CPU 1 went offline" in recording.runs["error"][1]


def test_a_full_disk_ends_the_session_and_keeps_what_is_recorded(
    study: Study, machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    append = Recording.append

    def full(self: Recording, row: Any, path: Any) -> None:
        if row.run == 3:
            raise RunError("no space left", "make space")
        append(self, row, path)

    monkeypatch.setattr(Recording, "append", full)
    with pytest.raises(RunError, match="no space left"):
        session.begin(study, machine, tmp_path / "r", ignore)
    assert statuses(Recording.open(tmp_path / "r")) == ["ok", "ok"]


def test_a_folder_with_something_in_it_is_not_written_to(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    for path in (tmp_path, tmp_path / "precious.txt"):
        with pytest.raises(InputError, match="exists already") as caught:
            session.begin(study, machine, path, ignore)
        assert "jitterlab resume" in caught.value.remedy
    assert keeper.log == []


def test_without_the_guard_that_it_needs_a_session_does_not_begin(
    study: Study, machine: Machine, keeper: Bookkeeper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_: object) -> None:
        raise NotAvailableError("another guard is at work", "wait for its end")

    monkeypatch.setattr("jitterlab.session.deferred_guard.Guard", refuse)
    with pytest.raises(NotAvailableError, match="at work"):
        session.begin(study, machine, tmp_path / "r", ignore)
    assert not (tmp_path / "r").exists()
    unguarded = parse(study.text.replace('setting = "high"', ""), "x.toml")
    assert statuses(session.begin(unguarded, machine, tmp_path / "r", ignore)) == ["ok"] * 4


def test_two_sessions_never_write_to_one_recording(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    def resume_meanwhile(path: str) -> None:
        with pytest.raises(InputError, match="another session"):
            session.resume(tmp_path / "r", machine, ignore)
        Path(path).write_bytes(stream([1]))

    keeper.happenings = {2: resume_meanwhile}
    assert statuses(session.begin(study, machine, tmp_path / "r", ignore)) == ["ok"] * 4


def test_a_recording_is_not_resumed_on_another_machine(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {1: interrupt}
    with pytest.raises(KeyboardInterrupt):
        session.begin(study, machine, tmp_path / "r", ignore)
    machine.cpus = (0, 1, 2, 3)
    with pytest.raises(NotAvailableError, match="cpus was"):
        session.resume(tmp_path / "r", machine, ignore)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happenings=st.lists(st.sampled_from([None, fail, interrupt]), max_size=9))
def test_whatever_happens_resuming_completes_every_run_once(
    happenings: list[Callable[[str], None] | None],
    study: Study,
    machine: Machine,
    keeper: Bookkeeper,
    tmp_path: Path,
) -> None:
    folder = tmp_path / f"r{len(list(tmp_path.iterdir()))}"
    keeper.executions = 0
    keeper.happenings = {number: what for number, what in enumerate(happenings, start=1) if what}
    for _ in range(len(happenings) + 2):
        recorded = len(Recording.open(folder).runs) if folder.exists() else 0
        try:
            if folder.exists():
                session.resume(folder, machine, ignore)
            else:
                session.begin(study, machine, folder, ignore)
        except KeyboardInterrupt:
            assert len(Recording.open(folder).runs) >= recorded
    complete = Recording.open(folder)
    assert list(complete.runs["run"]) == [1, 2, 3, 4]
    assert statuses(complete) == ["ok"] * 4
    assert len(complete.samples) == 4 * 3


def test_a_recording_is_not_resumed_with_another_study(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    keeper.happenings = {3: interrupt}
    with pytest.raises(KeyboardInterrupt):
        session.begin(study, machine, tmp_path / "r", ignore)
    given_text = (tmp_path / "r/study.toml").read_text()
    (tmp_path / "r/study.toml").write_text(given_text.replace("samples = 3", "samples = 4"))
    with pytest.raises(InputError, match=r"study\.toml was changed"):
        session.resume(tmp_path / "r", machine, ignore)
    (tmp_path / "r/study.toml").write_text(given_text)
    assert statuses(session.resume(tmp_path / "r", machine, ignore)) == ["ok"] * 4


def test_resuming_what_is_complete_does_nothing(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    session.begin(study, machine, tmp_path / "r", ignore)
    session.resume(tmp_path / "r", machine, ignore)
    assert keeper.executions == 4
    with pytest.raises(InputError):
        session.resume(tmp_path / "absent", machine, ignore)


def test_ctrl_c_before_the_first_run_leaves_nothing_or_all_of_a_recording(
    study: Study, machine: Machine, keeper: Bookkeeper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    create = Recording.create

    def interrupted_create(*arguments: Any) -> Recording:
        os.kill(os.getpid(), signal.SIGINT)
        return create(*arguments)

    monkeypatch.setattr(Recording, "create", interrupted_create)
    with pytest.raises(KeyboardInterrupt):
        session.begin(study, machine, tmp_path / "r", ignore)
    assert keeper.executions == 0
    monkeypatch.undo()
    assert session.remaining(tmp_path / "r").runs == 4


def test_the_reason_of_a_first_failure_is_told_and_kept(
    study: Study, machine: Machine, keeper: Bookkeeper, tmp_path: Path
) -> None:
    def leave_half(path: str) -> None:
        Path(path).write_bytes(b"half a")
        fail(path)

    keeper.happenings = {1: leave_half, 3: leave_half, 4: leave_half}
    events: list[session.Event] = []
    recording = session.begin(study, machine, tmp_path / "r", events.append)
    begun = [event for event in events if isinstance(event, session.RunBegun)]
    said = "no inspiration (sleep on it)"
    assert [event.failure for event in begun] == [None, said, None, said, None, None]
    assert statuses(recording) == ["ok", "failed", "ok", "ok"]
    assert recording.runs["error"][1] == said
    for run in (1, 2):
        assert (tmp_path / f"r/logs/0000{run}.txt").read_text().startswith(f"attempt 1 failed: {said}\n")


def test_the_guard_is_held_from_the_first_run_to_the_last_and_anew_after_a_failure(
    study: Study, machine: Machine, keeper: Bookkeeper, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Noted(Standby):
        def __init__(self, target: Any) -> None:
            super().__init__(target)
            keeper.log.append("guard")

        def get(self, knob: str) -> str:
            return knob

        def close(self) -> None:
            keeper.log.append("guard ends")

    class Asking(Noting):
        @contextmanager
        def hold(self, bench: Bench, level: str) -> Iterator[Mapping[str, object]]:
            yield {"asked": bench.guard.get("setting")}

    monkeypatch.setattr("jitterlab.session.deferred_guard.Guard", Noted)
    monkeypatch.setitem(registry.registered("factors"), "setting", Asking(keeper, "setting", busy=False))
    keeper.happenings = {3: fail}
    session.begin(study, machine, tmp_path / "r", ignore)
    assert [line for line in keeper.log if line.startswith(("guard", "ponder"))] == [
        "guard",
        "ponder latency",
        "ponder jitter",
        "ponder latency",
        "guard ends",
        "guard",
        "ponder latency",
        "ponder jitter",
        "guard ends",
    ]
