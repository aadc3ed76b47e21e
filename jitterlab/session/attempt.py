# SPDX-License-Identifier: Apache-2.0
"""One attempt at one run: hold every factor, confirm, measure, look at the meters, let go."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jitterlab.design import PlannedRun
from jitterlab.errors import JitterlabError, RunError
from jitterlab.factors import Bench
from jitterlab.meters import Meter, Reading
from jitterlab.quantities import format_cpus
from jitterlab.recording.runs import Status
from jitterlab.registry import lookup
from jitterlab.session.deferred_guard import DeferredGuard
from jitterlab.session.settings import held, settings, workload_of
from jitterlab.session.tail import read_tail, thread_readings
from jitterlab.study import Study
from jitterlab.targets import Target
from jitterlab.workloads import Progress


@dataclass(slots=True)
class Attempt:
    """What came out of one attempt.

    Attributes:
        status: `ok`, `failed` or `interrupted`.
        started_ns: When measuring began, ns since 1970 UTC.
        duration_s: How long measuring took.
        error: Why it failed.
        stream: The stream, fetched to this machine; None if there is none.
        readings: What the meters say.
        evidence: What was read back of every factor that was held.
    """

    status: Status = "failed"
    started_ns: int = field(default_factory=time.time_ns)
    duration_s: float = 0.0
    error: str | None = None
    stream: Path | None = None
    readings: dict[str, Reading] = field(default_factory=dict)
    evidence: dict[str, object] = field(default_factory=dict)

    @property
    def log(self) -> str:
        """What there is to say about the run beside its numbers."""
        lines = [
            json.dumps({"held": name, "evidence": found}, default=str)
            for name, found in self.evidence.items()
        ]
        return "".join(f"{line}\n" for line in [*lines, *([self.error] if self.error else [])])


@dataclass(frozen=True, slots=True)
class Measuring:
    """What all runs of a session share.

    Attributes:
        study: The study.
        target: Where it runs.
        guard: What changes the machine; held from the first run to the last.
        meters: The meters that can be read there.
        online: The CPUs that were online when the session began.
        folder: A folder on this machine for streams until they are recorded.
    """

    study: Study
    target: Target
    guard: DeferredGuard
    meters: Mapping[str, Meter]
    online: tuple[int, ...]
    folder: Path

    def attempt(self, planned: PlannedRun, progress: Callable[[Progress], None]) -> Attempt:
        """Try a run once. Failures and Ctrl-C are told by the status, not raised; see `collect`."""
        result = Attempt()
        try:
            with ExitStack() as stack:
                self._check_online(self.online, "before the run")
                chosen = self._hold(stack, planned, result)
                self._measure(chosen, self._stream(planned), progress, result)
                result.status = "ok"
        except (JitterlabError, OSError) as error:
            result.status = "failed"
            remedy = getattr(error, "remedy", "")
            result.error = f"{error} ({remedy})" if remedy else str(error)
        except KeyboardInterrupt:
            result.status = "interrupted"
        return result

    def _stream(self, planned: PlannedRun) -> str:
        return f"{self.target.scratch()}/run-{planned.run}.stream"

    def _hold(self, stack: ExitStack, planned: PlannedRun, result: Attempt) -> dict[str, Any]:
        chosen = settings(self.study, planned.levels)
        levels = held(self.study, planned.levels)
        stack.enter_context(self._put_back_after_failure())
        for name, level in levels.items():
            measured = workload_of(self.study).measured_cpus(self.target, chosen)
            bench = Bench(self.target, self.guard, measured)
            result.evidence[name] = stack.enter_context(lookup("factors", name).hold(bench, level))
        return chosen

    @contextmanager
    def _put_back_after_failure(self) -> Iterator[None]:
        """End the guard after a failure, so that all is put back even if it was its own or a factor's."""
        try:
            yield
        except BaseException:
            self.guard.close()
            raise

    def _measure(
        self, chosen: dict[str, Any], stream: str, progress: Callable[[Progress], None], result: Attempt
    ) -> None:
        measured = workload_of(self.study).measured_cpus(self.target, chosen)
        before = {name: meter.snapshot(self.target) for name, meter in self.meters.items()}
        result.started_ns, begin = time.time_ns(), time.monotonic()
        try:
            workload_of(self.study).run(self.target, chosen, stream, progress)
        finally:
            result.duration_s = time.monotonic() - begin
        for name, meter in self.meters.items():
            readings = meter.readings(before[name], meter.snapshot(self.target))
            result.readings |= {f"{name}.{key}": reading for key, reading in readings.items()}
        self._check_online(measured, "during the run")

    def _check_online(self, cpus: Iterable[int], when: str) -> None:
        gone = set(cpus) - set(self.target.info().cpus)
        if gone:
            raise RunError(
                f"CPU {format_cpus(gone)} went offline {when}", "bring it back and `jitterlab resume`"
            )

    def collect(self, planned: PlannedRun, result: Attempt) -> None:
        """Fetch the stream of an attempt and read its end; an attempt without a whole stream has failed."""
        local = self.folder / f"run-{planned.run}.stream"
        try:
            self.target.fetch(self._stream(planned), local)
        except (OSError, JitterlabError) as error:
            if result.status == "ok":
                result.status, result.error = "failed", f"the stream of the run is missing: {error}"
            return
        result.stream = local
        tail = read_tail(local)
        if tail is None:
            if result.status == "ok":
                result.status, result.error = "failed", "the stream of the run has no end"
            return
        result.readings |= thread_readings(tail)
        if tail.get("end") == "error" and result.status == "ok":
            result.status, result.error = "failed", str(tail.get("error"))
