# SPDX-License-Identifier: Apache-2.0
"""Everything that is wrong with a study, collected, so that a user mends it in one go."""

from collections.abc import Mapping
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
        origins: {key: option} of keys that the command line gave, such as {"[study] seed": "--seed"}.
        lines: One line per problem: where, what was found, what is allowed, remedy.
    """

    path: Path
    origins: Mapping[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def add(self, key: str, found: str, allowed: str, remedy: str = "") -> None:
        """Note one problem of a key."""
        where = self.origins.get(key) or f"{self.path}: {key}"
        line = f"{where}: found {found}; allowed is {allowed}"
        self.lines.append(f"{line}; {remedy}" if remedy else line)

    def raise_if_any(self) -> None:
        """Stop here if anything is wrong.

        Raises:
            InputError: All problems, one per line, each with the name of the file or of the option.
        """
        if self.lines:
            in_file = any(line.startswith(f"{self.path}: ") for line in self.lines)
            remedy = "mend the study file; `jitterlab studies wakeup` prints a complete one"
            raise InputError("\n".join(self.lines), remedy if in_file else "correct the options")
