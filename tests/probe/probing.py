# SPDX-License-Identifier: Apache-2.0
"""Running the real probe, and reading its streams with the reader that the documentation shows."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "build" / "probe" / "jitter-probe"
WARMUP, BROKE_LIMIT = 1, 2
QUICK = ("--interval", "200us", "--samples", "300", "--warmup", "20")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
"""Puts a command under a user without privileges."""


def _documented_reader() -> Any:
    page = (ROOT / "docs" / "stream-format.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code
    names: dict[str, Any] = {}
    exec(compile(code[1], "docs/stream-format.md", "exec"), names)  # noqa: S102  the example must run as it stands
    return names["read"]


read_stream = _documented_reader()


@dataclass(frozen=True)
class Source:
    """What one thread left in a stream."""

    head: dict[str, Any]
    tail: dict[str, Any]
    rows: list[tuple[int, int, int, int]]

    @property
    def measured(self) -> list[tuple[int, int, int, int]]:
        return [row for row in self.rows if not row[2] & WARMUP]

    @property
    def gaps(self) -> int:
        periods = [row[0] for row in self.measured]
        return periods[-1] - periods[0] + 1 - len(periods) if periods else 0


@dataclass(frozen=True)
class Run:
    """A stream, source by source; rows are those of the first table."""

    head: dict[str, Any]
    tail: dict[str, Any]
    sources: list[Source]

    @classmethod
    def of(cls, data: bytes) -> "Run":
        head, rows, tail = read_stream(data)
        sources = [
            Source(source, facts, [row for table, at, row in rows if (table, at) == (0, place)])
            for place, (source, facts) in enumerate(zip(head["sources"], tail["sources"], strict=True))
        ]
        return cls(head, tail, sources)


def probe(
    *words: str, prefix: Sequence[str] = (), timeout_s: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Run a command of the probe to its end."""
    return subprocess.run([*prefix, PROBE, *words], capture_output=True, timeout=timeout_s, check=False)


def wakeup(*options: str, prefix: Sequence[str] = ()) -> Run:
    """Measure, and read the stream that came through the standard output."""
    done = probe("wakeup", "--output", "-", *options, prefix=prefix)
    assert (done.returncode, done.stderr) == (0, b"")
    return Run.of(done.stdout)


def refusal(*options: str, prefix: Sequence[str] = ()) -> tuple[int, str, str]:
    """Exit status, message and remedy of a run that cannot be."""
    done = probe("wakeup", *options, prefix=prefix)
    message, remedy = done.stderr.decode().splitlines()
    assert message.startswith("error: ")
    assert remedy.startswith("remedy: ")
    return done.returncode, message.removeprefix("error: "), remedy.removeprefix("remedy: ")
