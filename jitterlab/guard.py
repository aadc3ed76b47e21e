# SPDX-License-Identifier: Apache-2.0
"""The client of `jitter-probe guard`, the only thing that changes a machine and always puts it back.

The guard is a process on the target that reads requests from its standard input (docs/guard.md). It puts
everything back when that input closes, so that the death of the laboratory or of the link does so too.
"""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.targets import Process, Target

RESTORE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting of a machine that the guard can change.

    Attributes:
        name: Its name, with the CPU, state or interrupt it belongs to: `governor/0`, `idle_disable/0/2`.
        summary: What it means.
        unit: The unit of its values; None for words.
        value: Its value now; None if it cannot be read or is not there.
        original: What it was before the guard changed it; None if it is as found.
        allowed: The words that it takes; empty if it takes numbers or CPUs only.
        lowest: The lowest number that it takes now; None for words.
        highest: The highest number that it takes now; None for words.
        available: Whether it can be set.
        reason: Why it cannot be set, as a sentence; None if it can be.
        remedy: What can be done about that; None if it can be set or nothing is known.
    """

    name: str
    summary: str
    unit: str | None
    value: str | None
    original: str | None
    allowed: tuple[str, ...]
    lowest: int | None
    highest: int | None
    available: bool
    reason: str | None
    remedy: str | None

    @property
    def family(self) -> str:
        """The name without CPU, state or interrupt: `governor`."""
        return self.name.partition("/")[0]


def _parse_knobs(answer: dict[str, Any]) -> dict[str, Knob]:
    return {
        item["knob"]: Knob(
            name=item["knob"],
            summary=item["summary"],
            unit=item["unit"],
            value=item["value"],
            original=item["original"],
            allowed=tuple(item["allowed"]),
            lowest=item.get("lowest"),
            highest=item.get("highest"),
            available=item["available"],
            reason=item["reason"],
            remedy=item["remedy"],
        )
        for item in answer["knobs"]
    }


def _commands(target: Target, arguments: Sequence[str]) -> list[list[str]]:
    """The ways to start the guard there, best first: through sudo where the user may, then as the user."""
    plain = [target.probe(), "guard", *arguments]
    if target.info().privileged or target.which("sudo") is None:
        return [plain]
    return [["sudo", "--non-interactive", *plain], plain]


def _start(target: Target, arguments: Sequence[str]) -> tuple[Process, dict[str, Any]]:
    """Start the guard and return it with the first line that it says."""
    reason = ""
    for argv in _commands(target, arguments):
        process = target.start(argv)
        line = process.stdout.readline()
        if line:
            return process, _parse(line)
        process.wait(RESTORE_TIMEOUT_S)
        reason = process.stderr.strip() or reason
    said = dict(line.partition(": ")[::2] for line in reason.splitlines())
    raise NotAvailableError(
        said.get("error") or f"the guard does not start: {reason}", said.get("remedy", "")
    )


def _parse(line: str) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        raise RunError(f"the guard said something that is no JSON: {line[:80]!r}") from None
    if not isinstance(answer, dict):
        raise RunError(f"the guard said something unexpected: {line[:80]!r}")
    return answer


def list_knobs(target: Target, *, root: str = "") -> dict[str, Knob]:
    """All knobs of a target, whether they can be set and why not, without changing or locking anything.

    Args:
        target: The machine to look at.
        root: A tree of plain files there that stands for the machine; empty for the machine itself.

    Raises:
        NotAvailableError: The guard cannot be started there.
    """
    process, answer = _start(target, [*_options(root, None), "--list"])
    process.stdin.close()
    process.wait(RESTORE_TIMEOUT_S)
    process.stdout.close()
    return _parse_knobs(answer)


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of putting back what a killed guard left behind.

    Attributes:
        restored: How many settings are as they were found again.
        failures: What could not be put back, as sentences; the record keeps it.
    """

    restored: int
    failures: tuple[str, ...]


def restore(target: Target, record: str | None = None, *, root: str = "") -> Restored:
    """Put back what a guard that was killed left behind on a target; nothing happens if there is nothing.

    Raises:
        NotAvailableError: A guard is at work there, or its record cannot be used; the message says why.
    """
    process, answer = _start(target, [*_options(root, record), "--restore"])
    answers = [answer, *map(_parse, process.stdout)]
    process.stdin.close()
    process.wait(RESTORE_TIMEOUT_S)
    process.stdout.close()
    failures = tuple(str(answer["error"]) for answer in answers if "error" in answer)
    return Restored(sum(int(answer.get("restored", 0)) for answer in answers), failures)


def _options(root: str, record: str | None) -> list[str]:
    return [*(["--root", root] if root else []), *(["--record", record] if record else [])]


class Guard:
    """Changes settings of a target until it is closed, and then puts all of them back.

    Args:
        target: The machine.
        record: Where the guard notes there what it changed; None for the default under /run/jitterlab.
        root: A tree of plain files there that stands for the machine; empty for the machine itself.

    Raises:
        NotAvailableError: The guard cannot be started, or another one is at work there.
    """

    def __init__(self, target: Target, record: str | None = None, *, root: str = "") -> None:
        self._process, greeting = _start(target, _options(root, record))
        self.leftovers: list[str] = []
        while "guard" not in greeting:
            self.leftovers.append(str(greeting.get("error")))
            greeting = _parse(self._process.stdout.readline() or "{}")
            if not greeting:
                raise NotAvailableError(f"the guard ended at once: {self._process.stderr.strip()}")
        self.restored_at_start = int(greeting["restored"])
        self._closed = False

    def _ask(self, request: str) -> dict[str, Any]:
        line = ""
        if not self._closed:
            try:
                self._process.stdin.write(request + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except (BrokenPipeError, ValueError):
                line = ""
        if not line:
            said = self._process.stderr.strip()
            raise RunError(
                f"the guard is gone, so '{request}' was not done{': ' + said if said else ''}",
                "run `jitterlab restore` to make sure that the machine is as it was found",
            )
        answer = _parse(line)
        if "error" in answer:
            raise NotAvailableError(str(answer["error"]), str(answer.get("remedy") or ""))
        return answer

    def _value(self, request: str) -> str:
        if not request.isascii() or not request.isprintable():
            raise NotAvailableError(f"the guard takes plain text only, not {request!r}")
        return str(self._ask(request)["value"])

    def knobs(self) -> dict[str, Knob]:
        """All knobs of the machine by name, with their values now."""
        return _parse_knobs(self._ask("list"))

    def get(self, knob: str) -> str:
        """The value of a knob now.

        Raises:
            NotAvailableError: There is no such knob here, or it cannot be read.
        """
        return self._value(f"get {knob}")

    def set(self, knob: str, value: str) -> str:
        """Set a knob and return what was read back, which equals what was set.

        Raises:
            NotAvailableError: It is not there, not permitted, or the machine would not take the value; the
                message says which, and the knob is as it was.
        """
        return self._value(f"set {knob} {value}")

    def reset(self, knob: str) -> str:
        """Put a knob back to what was found, and return what was read back."""
        return self._value(f"reset {knob}")

    def close(self) -> None:
        """Put everything back and end the guard.

        Raises:
            RunError: Something could not be put back; the message says what, and the record keeps it.
        """
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        failures = [str(_parse(line).get("error")) for line in self._process.stdout]
        status = self._process.wait(RESTORE_TIMEOUT_S)
        self._process.stdout.close()
        if status != 0:
            said = "; ".join(failures) or self._process.stderr.strip() or f"it ended with status {status}"
            raise RunError(
                f"the guard could not put everything back: {said}",
                "remove the cause and run `jitterlab restore`; the record keeps the original values",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
