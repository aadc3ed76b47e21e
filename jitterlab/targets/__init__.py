# SPDX-License-Identifier: Apache-2.0
"""Targets: where runs happen. This machine, a device over SSH, a virtual machine with another kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """What a target is.

    Attributes:
        name: How the user named it: `local`, `ssh:USER@HOST`, `vm:KERNEL`.
        architecture: As `uname -m` says.
        kernel: As `uname -r` says.
        cpus: The CPUs that are online, as numbers.
        privileged: Whether programs run there as root.
    """

    name: str
    architecture: str
    kernel: str
    cpus: tuple[int, ...]
    privileged: bool


class Process(Protocol):
    """A program that was started on a target; it ends when the laboratory does."""

    stdin: IO[str]
    stdout: IO[str]

    @property
    def pid(self) -> int:
        """Its process id on the target; it leads a process group of this number."""

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit status; TimeoutError if it goes on."""

    def terminate(self) -> None:
        """Ask it to end (SIGTERM), and end it (SIGKILL) where it does not within five seconds."""

    @property
    def stderr(self) -> str:
        """What it has written to its standard error so far."""


class Target(Protocol):
    """A machine to measure on. Reading never raises: what is not there is None."""

    def info(self) -> TargetInfo:
        """What this target is."""

    def read(self, path: str) -> str | None:
        """The text of a file there, stripped; None if it is absent or not readable."""

    def glob(self, pattern: str) -> list[str]:
        """The paths there that match a pattern, sorted naturally."""

    def writable(self, path: str) -> bool:
        """Whether programs started there may write a file."""

    def which(self, program: str) -> str | None:
        """The path of a program there; None if it is not installed."""

    def start(self, argv: Sequence[str], *, cpus: Sequence[int] | None = None) -> Process:
        """Start a program there, on those CPUs, with pipes to its standard input and output.

        Raises:
            NotAvailableError: The program cannot be started.
        """

    def probe(self) -> str:
        """The path there of `jitter-probe` for its architecture, installed if need be."""

    def scratch(self) -> str:
        """A folder there for files of this session."""

    def fetch(self, path: str, destination: Path) -> None:
        """Move a file from there to here."""
