# SPDX-License-Identifier: Apache-2.0
"""The client that holds a guard: everything it sets is put back when it is closed or dies."""

import contextlib
import itertools
from types import TracebackType
from typing import Any, Self

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.guard.knobs import Knob, parse_knobs
from jitterlab.guard.process import end, options, parse, start
from jitterlab.targets import Target


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
        self._closed = False
        self._interrupted = False
        self._marks = itertools.count()
        self._process, said = start(target, options(root, record))
        # What an earlier guard left behind and this one cannot put back is told first, and again at the end.
        while "guard" not in said:
            line = self._process.stdout.readline()
            if not line:
                raise NotAvailableError(f"the guard ended at once: {self._process.stderr.strip()}")
            said = parse(line)

    def _exchange(self, request: str) -> dict[str, Any]:
        """Send one line and return the next one that comes."""
        line = ""
        if not self._closed:
            with contextlib.suppress(BrokenPipeError, ValueError):
                self._process.stdin.write(request + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
        if not line:
            said = self._process.stderr.strip()
            raise RunError(
                f"the guard is gone, so '{request}' was not done{': ' + said if said else ''}",
                "run `jitterlab restore` to make sure that the machine is as it was found",
            )
        return parse(line)

    def _resynchronise(self) -> None:
        """Skip answers to requests that were interrupted, up to the one to a question of its own."""
        mark = f"resync/{next(self._marks)}"
        answer = self._exchange(f"get {mark}")
        while answer.get("knob") != mark:
            line = self._process.stdout.readline()
            if not line:
                raise RunError(f"the guard is gone: {self._process.stderr.strip()}")
            with contextlib.suppress(RunError):
                answer = parse(line)

    def _ask(self, request: str) -> dict[str, Any]:
        if self._interrupted:
            self._resynchronise()
        self._interrupted = True  # unless the answer arrives: Ctrl-C may come in between
        answer = self._exchange(request)
        self._interrupted = False
        if "error" in answer:
            raise NotAvailableError(str(answer["error"]), str(answer.get("remedy") or ""))
        return answer

    def _value(self, request: str) -> str:
        if not request.isascii() or not request.isprintable():
            raise NotAvailableError(f"the guard takes plain text only, not {request!r}")
        return str(self._ask(request)["value"])

    def knobs(self) -> dict[str, Knob]:
        """All knobs of the machine by name, with their values now."""
        return parse_knobs(self._ask("list"))

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
        status, failures = end(self._process)
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
