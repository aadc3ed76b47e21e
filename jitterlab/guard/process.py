# SPDX-License-Identifier: Apache-2.0
"""The guard as a process on a target: how it is started, what it says, how it ends."""

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.targets import Process, Target

RESTORE_TIMEOUT_S = 60.0
REFUSED = 3
"""The guard's exit status when it may not start here; sudo, when it may not start the guard, ends with 1."""


def options(root: str, record: str | None) -> list[str]:
    """The arguments of the guard for a tree of files instead of the machine, and for a record of its own."""
    return [*(["--root", root] if root else []), *(["--record", record] if record else [])]


def _commands(target: Target, arguments: Sequence[str]) -> list[list[str]]:
    """The ways to start the guard there, best first: through sudo where the user may, then as the user."""
    plain = [target.probe(), "guard", *arguments]
    if target.info().privileged or target.which("sudo") is None:
        return [plain]
    return [["sudo", "--non-interactive", *plain], plain]


def start(target: Target, arguments: Sequence[str]) -> tuple[Process, dict[str, Any]]:
    """Start the guard and return it with the first line that it says.

    Raises:
        NotAvailableError: It did not start; the message says why.
    """
    reason = ""
    for argv in _commands(target, arguments):
        process = target.start(argv)
        line = process.stdout.readline()
        if line:
            return process, parse(line)
        status = process.wait(RESTORE_TIMEOUT_S)
        reason = process.stderr.strip() or reason
        if status == REFUSED:
            break
    said = dict(line.partition(": ")[::2] for line in reason.splitlines())
    raise NotAvailableError(
        said.get("error") or f"the guard does not start: {reason}", said.get("remedy", "")
    )


def parse(line: str) -> dict[str, Any]:
    """One answer of the guard.

    Raises:
        RunError: It is no JSON object.
    """
    try:
        answer = json.loads(line)
    except ValueError:
        raise RunError(f"the guard said something that is no JSON: {line[:80]!r}") from None
    if not isinstance(answer, dict):
        raise RunError(f"the guard said something unexpected: {line[:80]!r}")
    return answer


def end(process: Process) -> tuple[int, list[str]]:
    """Close the guard's input and wait until it has put everything back; its status and what it could not do.

    Raises:
        RunError: It goes on after a minute.
    """
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    answers = [parse(line) for line in process.stdout]
    try:
        status = process.wait(RESTORE_TIMEOUT_S)
    except TimeoutError:
        raise RunError(
            f"the guard does not end: {process.stderr.strip()}", "run `jitterlab restore` later"
        ) from None
    process.stdout.close()
    return status, [str(answer["error"]) for answer in answers if "error" in answer]
