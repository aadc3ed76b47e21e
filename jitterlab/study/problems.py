# SPDX-License-Identifier: Apache-2.0
"""Everything that is wrong with a study, collected, so that a user mends it in one go."""

from dataclasses import dataclass, field
from pathlib import Path

from jitterlab.errors import InputError

MAX_SHOWN = 60


def show(value: object) -> str:
    """A value of a TOML document as short text; safe for any size and depth."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number beyond all limits"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


@dataclass(slots=True)
class Problems:
    """Collects what is wrong with one file.

    Attributes:
        path: The file.
        lines: One line per problem: key, what was found, what is allowed, remedy.
    """

    path: Path
    lines: list[str] = field(default_factory=list)

    def add(self, key: str, found: str, allowed: str, remedy: str = "") -> None:
        """Note one problem of a key."""
        line = f"{key}: found {found}; allowed is {allowed}"
        self.lines.append(f"{line}; {remedy}" if remedy else line)

    def raise_if_any(self) -> None:
        """Stop here if anything is wrong.

        Raises:
            InputError: All problems, one per line, each with the file's name.
        """
        if self.lines:
            raise InputError(
                "\n".join(f"{self.path}: {line}" for line in self.lines),
                "mend the study file; `jitterlab studies wakeup` shows a complete one",
            )
