# SPDX-License-Identifier: Apache-2.0
"""This machine as a target."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from jitterlab.errors import NotAvailableError
from jitterlab.quantities import format_cpus, parse_cpus
from jitterlab.targets import Process, TargetInfo

GRACE_S = 5.0
CHECKOUT_PROBE = Path(__file__).parents[2] / "build" / "probe" / "jitter-probe"


def temporary_folder() -> str:
    """A new folder for files of this process; removes those that killed processes have left behind."""
    for folder in Path(tempfile.gettempdir()).glob("jitterlab-[0-9]*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"jitterlab-{os.getpid()}-")


def _close(pipes: Sequence[IO[str]], descriptor: int) -> None:
    for pipe in pipes:
        with suppress(OSError):
            pipe.close()
    os.close(descriptor)


class LocalProcess:
    """A program on this machine, in a session of its own, that gets SIGTERM when the laboratory dies.

    The kernel sends the signal (PR_SET_PDEATHSIG, set by setpriv), so it arrives after a SIGKILL too. A
    signal from the terminal does not reach the program: the laboratory decides when it ends.
    """

    def __init__(self, argv: Sequence[str], cpus: Sequence[int] | None) -> None:
        self._terminated = False
        pinned = ["taskset", "--cpu-list", format_cpus(cpus)] if cpus else []
        self._errors = os.memfd_create("stderr")
        try:
            self._popen = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *pinned, *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._errors)
            raise NotAvailableError(
                f"{argv[0]} cannot be started: {error}",
                "setpriv and taskset come with `apt install util-linux`",
            ) from error
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self.stdin: IO[str] = self._popen.stdin
        self.stdout: IO[str] = self._popen.stdout
        weakref.finalize(self, _close, (self.stdin, self.stdout), self._errors)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its process group."""
        return self._popen.pid

    @property
    def stderr(self) -> str:
        """What it has written to its standard error so far."""
        return os.pread(self._errors, os.fstat(self._errors).st_size, 0).decode(errors="replace")

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit status (negative: the signal); TimeoutError if it goes on."""
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"{error.cmd[0]} goes on after {timeout_s} s") from None

    def terminate(self) -> None:
        """Ask it and what it started to end, and end them where they do not within five seconds."""
        if self._terminated:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(self.pid, number)
                self._popen.wait(GRACE_S)
        # Never again: the number may belong to somebody else by then.
        self._terminated = True


class LocalTarget:
    """This machine."""

    name = "local"
    summary = "this machine"

    def __init__(self) -> None:
        self._scratch: str | None = None

    def info(self) -> TargetInfo:
        """What this machine is."""
        system = os.uname()
        online = self.read("/sys/devices/system/cpu/online")
        cpus = parse_cpus(online) if online else tuple(sorted(os.sched_getaffinity(0)))
        return TargetInfo(self.name, system.machine, system.release, cpus, os.geteuid() == 0)

    def read(self, path: str) -> str | None:
        """The text of a file, stripped; None if it is absent or not readable."""
        try:
            return Path(path).read_text(errors="replace").strip()
        except (OSError, ValueError):
            return None

    def glob(self, pattern: str) -> list[str]:
        """The paths that match a pattern, cpu2 before cpu10."""
        return sorted(
            map(str, Path("/").glob(pattern.lstrip("/"))),
            key=lambda path: [
                (part.isdigit(), int(part) if part.isdigit() else 0, part)
                for part in re.split(r"(\d+)", path)
            ],
        )

    def writable(self, path: str) -> bool:
        """Whether programs started here may write a file."""
        return os.access(path, os.W_OK)

    def which(self, program: str) -> str | None:
        """The path of a program; None if it is not installed."""
        return shutil.which(program)

    def start(self, argv: Sequence[str], *, cpus: Sequence[int] | None = None) -> Process:
        """Start a program; it ends when the laboratory does, however that ends.

        Call it from the main thread: the kernel ties the program's life to the thread that started it.

        Raises:
            NotAvailableError: There is no such program, or it cannot be started.
        """
        if self.which(argv[0]) is None:
            raise NotAvailableError(f"{argv[0]} is not installed or not executable", f"install {argv[0]}")
        return LocalProcess(argv, cpus)

    def probe(self) -> str:
        """The path of `jitter-probe`: $JITTERLAB_PROBE, the checkout's build, or the PATH.

        Raises:
            NotAvailableError: There is none.
        """
        named = os.environ.get("JITTERLAB_PROBE")
        if named:
            if not os.access(named, os.X_OK):
                raise NotAvailableError(
                    f"$JITTERLAB_PROBE names {named}, which is no program", "unset or correct it"
                )
            return named
        found = str(CHECKOUT_PROBE) if os.access(CHECKOUT_PROBE, os.X_OK) else shutil.which("jitter-probe")
        if found is None:
            raise NotAvailableError(
                "jitter-probe is not built", "run `make probe`, or set $JITTERLAB_PROBE to its path"
            )
        return found

    def scratch(self) -> str:
        """A folder for files of this session, removed at its end."""
        if self._scratch is None:
            self._scratch = temporary_folder()
            weakref.finalize(self, shutil.rmtree, self._scratch, ignore_errors=True)
        return self._scratch

    def fetch(self, path: str, destination: Path) -> None:
        """Move a file to where the laboratory wants it."""
        shutil.move(path, destination)
