# SPDX-License-Identifier: Apache-2.0
"""What the guard is asked once, without holding anything: all knobs, and to put back what was left behind."""

from dataclasses import dataclass

from jitterlab.guard.knobs import Knob, parse_knobs
from jitterlab.guard.process import end, options, parse, start
from jitterlab.targets import Target


def list_knobs(target: Target, *, root: str = "") -> dict[str, Knob]:
    """All knobs of a target, whether they can be set and why not, without changing or locking anything.

    Args:
        target: The machine to look at.
        root: A tree of plain files there that stands for the machine; empty for the machine itself.

    Raises:
        NotAvailableError: The guard cannot be started there.
    """
    process, answer = start(target, [*options(root, None), "--list"])
    end(process)
    return parse_knobs(answer)


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
    process, answer = start(target, [*options(root, record), "--restore"])
    answers = [answer]
    while "guard" not in answers[-1] and (line := process.stdout.readline()):
        answers.append(parse(line))
    end(process)
    failures = tuple(str(answer["error"]) for answer in answers if "error" in answer)
    return Restored(int(answers[-1].get("restored", 0)), failures)
