# SPDX-License-Identifier: Apache-2.0
"""A session: the runs of a plan one after another, each on disk before the next begins."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jitterlab import design, environment
from jitterlab.design import PlannedRun
from jitterlab.errors import InputError, NotAvailableError
from jitterlab.recording import Recording, RunRow
from jitterlab.registry import registered
from jitterlab.session.attempt import Attempt, Measuring
from jitterlab.session.deferred_guard import DeferredGuard
from jitterlab.session.events import Observer, RunBegun, RunEnded, RunProgress
from jitterlab.session.feasibility import duration_s
from jitterlab.session.interruption import Interruption
from jitterlab.session.settings import needs_guard, workload_of
from jitterlab.study import Study, parse
from jitterlab.targets import Target
from jitterlab.targets.local import temporary_folder
from jitterlab.workloads import Progress

ATTEMPTS = 2
RETRY_AFTER_S = 1.0


def check_output(path: Path) -> None:
    """Whether a recording can be begun in a folder: it must not be there yet, or be empty.

    Raises:
        InputError: It cannot.
    """
    try:
        exists = path.exists() and (not path.is_dir() or any(path.iterdir()))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", "choose another --output") from None
    if exists:
        raise InputError(
            f"{path} exists already",
            f"go on with `jitterlab resume {path}` if it is a recording, or choose another --output",
        )


def begin(
    study: Study,
    target: Target,
    path: Path,
    observe: Observer,
    *,
    left_out: Mapping[str, Mapping[str, str]] | None = None,
) -> Recording:
    """Make all runs of a study and record them in a new folder.

    Args:
        study: The study; what the machine cannot do must have been left out (see `examine`).
        target: Where it runs.
        path: The folder to record in.
        observe: Is told what happens.
        left_out: {name: {level: reason}} of what the machine cannot do, for the environment of the recording.

    Raises:
        InputError: The folder exists and is not empty.
        NotAvailableError: The guard is needed and cannot be started, or is at work for another session.
        RunError: The recording cannot be written; what was recorded until then stays.
        KeyboardInterrupt: The user ended it; what was recorded until then is valid.
    """
    check_output(path)
    with _session(study, target) as (interruption, guard):
        plan = design.plan(study)
        surroundings = {**environment.capture(target), "left_out": left_out or {}}
        with interruption.shield():
            recording = Recording.create(path, study, plan, surroundings, workload_of(study), target.info())
        with _locked(path):
            _make_runs(recording, _measuring(study, target, guard), plan, observe, interruption)
    return recording


def resume(path: Path, target: Target, observe: Observer) -> Recording:
    """Make the runs of a recording that are missing, failed or interrupted.

    Raises:
        InputError: It is no recording, damaged, of a study that was changed, or not writable for this user.
        NotAvailableError: This is not the machine, or not the kernel, that it was begun on; or the guard is
            needed and cannot be started.
        RunError: The recording cannot be written.
        KeyboardInterrupt: The user ended it; what was recorded until then is valid.
    """
    with _locked(path):
        if not os.access(path, os.W_OK):
            raise InputError(f"{path}: this user may not write there", "resume it as the user who began it")
        recording = Recording.reopen(path)
        _check_same_machine(recording, target)
        study = parse(recording.study, path / "study.toml")
        with _session(study, target) as (interruption, guard):
            _make_runs(recording, _measuring(study, target, guard), recording.missing, observe, interruption)
    return recording


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left to do of a recording: how many runs, and how long they take, roughly, in seconds."""

    runs: int
    duration_s: float


def remaining(path: Path) -> Remaining:
    """What `resume` would do.

    Raises:
        InputError: It is no recording, or damaged.
    """
    recording = Recording.open(path)
    study = parse(recording.study, path / "study.toml")
    share = len(recording.missing) / max(len(recording.manifest.plan), 1)
    return Remaining(len(recording.missing), duration_s(study) * share)


@contextmanager
def _session(study: Study, target: Target) -> Iterator[tuple[Interruption, DeferredGuard]]:
    """Signals and the guard, from before the first run until after the last.

    A study that needs the guard fails here, where no run could change what it must.
    """
    with Interruption() as interruption, DeferredGuard(target) as guard:
        if needs_guard(study):
            guard.begin()
        yield interruption, guard


def _measuring(study: Study, target: Target, guard: DeferredGuard) -> Measuring:
    meters = {name: meter for name, meter in registered("meters").items() if meter.available(target)}
    return Measuring(study, target, guard, meters, target.info().cpus, Path(temporary_folder()))


def _check_same_machine(recording: Recording, target: Target) -> None:
    info, begun = target.info(), recording.manifest.target
    now = {"architecture": info.architecture, "kernel": info.kernel, "cpus": list(info.cpus)}
    for name, value in now.items():
        if begun.get(name) != value:
            raise NotAvailableError(
                f"{recording.path} was begun where {name} was {begun.get(name)}; here it is {value}",
                "resume it on the machine and kernel that it was begun on, or begin a new recording",
            )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a recording, so that two sessions never write to one."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", "give the folder of a recording") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InputError(f"{path}: another session is writing there", "wait for its end") from None
    finally:
        os.close(folder)


def _make_runs(
    recording: Recording,
    measuring: Measuring,
    plan: Sequence[PlannedRun],
    observe: Observer,
    interruption: Interruption,
) -> None:
    try:
        for planned in plan:
            _make_run(recording, measuring, planned, observe, interruption)
    finally:
        shutil.rmtree(measuring.folder, ignore_errors=True)


def _make_run(
    recording: Recording,
    measuring: Measuring,
    planned: PlannedRun,
    observe: Observer,
    interruption: Interruption,
) -> None:
    last: Progress | None = None

    def progress(seen: Progress) -> None:
        nonlocal last
        last = seen
        observe(RunProgress(planned, seen))

    failures: list[str] = []
    for number in range(1, ATTEMPTS + 1):
        if number > 1:
            time.sleep(RETRY_AFTER_S)  # what was in the way may pass
        observe(RunBegun(planned, number, failures[-1] if failures else None))
        result = measuring.attempt(planned, progress)
        with interruption.shield():
            measuring.collect(planned, result)
            if result.status == "failed" and number < ATTEMPTS and not interruption.requested:
                failures.append(str(result.error))
                continue
            row = _record(recording, planned, result, failures)
        observe(RunEnded(planned, row, last))
        break
    if interruption.requested:
        raise KeyboardInterrupt


def _record(recording: Recording, planned: PlannedRun, result: Attempt, failures: Sequence[str]) -> RunRow:
    """Commit a run after these failures; a stream that turns out to be damaged makes it a failed one."""
    before = "".join(
        f"attempt {number} failed: {failure}\n" for number, failure in enumerate(failures, start=1)
    )

    def row() -> RunRow:
        return RunRow(
            run=planned.run,
            status=result.status,
            started_ns=result.started_ns,
            duration_s=result.duration_s,
            attempts=len(failures) + 1,
            error=result.error,
            readings=result.readings,
            log=before + result.log,
        )

    try:
        recording.append(row(), result.stream)
    except InputError as error:
        result.status, result.error = "failed", result.error or str(error)
        recording.append(row(), None)
    finally:
        if result.stream is not None:
            result.stream.unlink(missing_ok=True)
    return row()
