# SPDX-License-Identifier: Apache-2.0
"""rtla of the Linux kernel: the text of `rtla timerlat hist` and `rtla osnoise hist`."""

import re
from math import gcd
from pathlib import Path

from jitterlab.recording.importers.imported import ImportedRun, ImportedSource
from jitterlab.recording.importers.reading import counted, read_text, with_overflow, wrong
from jitterlab.recording.manifest import RecordedResponse

NAME = "rtla"
SUMMARY = "rtla timerlat hist, rtla osnoise hist"

_TITLE = re.compile(r"^# RTLA (timerlat|osnoise) histogram", re.MULTILINE)
_COLUMN = re.compile(r"(IRQ|Thr|Usr|CPU)-(\d{1,6})")
_LABEL = re.compile(r"[0-9]{1,15}|over:|count:|min:|avg:|max:")
_CELL = re.compile(r"[0-9]{1,15}|-")
_CONTEXTS = {"IRQ": "irq", "Thr": "thread", "Usr": "user", "CPU": ""}
_RESPONSES = {
    "timerlat": RecordedResponse(
        "latency", "ns", "how late the timer's interrupt, thread or user thread ran"
    ),
    "osnoise": RecordedResponse("noise", "ns", "how long the thread was kept from running"),
}


def recognises(beginning: bytes, path: Path) -> bool:  # noqa: ARG001 - the name says nothing here
    """Whether a file is from this tool, as its first bytes tell."""
    return bool(_TITLE.search(beginning.decode(errors="replace")))


def read(path: Path) -> list[ImportedRun]:
    """The runs in a file: for timerlat one per context (factor `context`: irq, thread, user).

    Values are the lower ends of the buckets.

    Raises:
        InputError: It is not from rtla, or damaged.
    """
    text = read_text(path)
    title = _TITLE.search(text)
    header = re.search(r"^Index +(\S.*)$", text, re.MULTILINE)
    if title is None or header is None:
        raise wrong(path, "holds no histogram of rtla", "run rtla without --no-header and --no-index")
    columns = [_column(path, name) for name in header.group(1).split()]
    rows = _rows(path, text[header.end() :], len(columns))
    unit = 1 if "# Time unit is nanoseconds" in text else 1_000
    buckets = {int(label): cells for label, cells in rows.items() if label.isdigit()}
    sources: dict[str, list[ImportedSource]] = {}
    for place, (context, cpu) in enumerate(columns):
        counts = counted(path, [(bucket, cells[place] or 0) for bucket, cells in buckets.items()], unit)
        source = ImportedSource(f"cpu{cpu}", counts, cpu, lost=0 if "over:" in rows else None)
        over = rows["over:"][place] if "over:" in rows else 0
        largest = rows["max:"][place] if "max:" in rows else None
        source = with_overflow(source, over or 0, None if largest is None else largest * unit)
        sources.setdefault(context, []).append(source)
    return [
        ImportedRun(
            tool=f"rtla {title.group(1)}",
            sources=tuple(found),
            response=_RESPONSES[title.group(1)],
            resolution_ns=unit * max(gcd(*buckets), 1),
            levels={"context": context} if context else {},
        )
        for context, found in sources.items()
    ]


def _column(path: Path, name: str) -> tuple[str, int]:
    """The context and the CPU of a column."""
    found = _COLUMN.fullmatch(name)
    if found is None:
        raise wrong(path, f"has a column '{name[:20]}' that no known rtla writes")
    return _CONTEXTS[found.group(1)], int(found.group(2))


def _rows(path: Path, text: str, width: int) -> dict[str, list[int | None]]:
    """The cells of every row by its label, up to the totals of all CPUs; None where rtla writes `-`."""
    rows: dict[str, list[int | None]] = {}
    for line in text.splitlines():
        label, *cells = line.split() or [""]
        if label == "ALL:":
            break
        if not _LABEL.fullmatch(label):
            continue
        if len(cells) != width or label in rows or not all(_CELL.fullmatch(cell) for cell in cells):
            raise wrong(path, f"row '{label}' is damaged")
        rows[label] = [None if cell == "-" else int(cell) for cell in cells]
    return rows
