# SPDX-License-Identifier: Apache-2.0
"""The guard as a process with pipes, spoken to as its client does."""

import json
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TIMEOUT_S = 30


class GuardProcess:
    """`jitter-probe guard` on a tree of files."""

    def __init__(self, probe: str, root: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [probe, "guard", "--root", str(root), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self.greeting = self.read()

    def read(self) -> dict[str, Any]:
        line = self.stdout.readline()
        return dict(json.loads(line)) if line else {}

    def ask(self, line: str) -> dict[str, Any]:
        self.stdin.write(line + "\n")
        self.stdin.flush()
        return self.read()

    def knobs(self) -> dict[str, dict[str, Any]]:
        return {knob["knob"]: knob for knob in self.ask("list")["knobs"]}

    def end(self) -> int:
        """Close its input and wait."""
        self.stdin.close()
        return self.process.wait(TIMEOUT_S)

    def kill(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT_S)
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
