# SPDX-License-Identifier: Apache-2.0
"""A session as the terminal shows it: time left, the current run live, a line per finished run."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

from jitterlab.design import PlannedRun
from jitterlab.session import Event, RunBegun, RunEnded, RunProgress
from jitterlab.workloads import Progress as RunState

WIDE = 130  # columns of a terminal with room for a long bar
MARKS = {"ok": "[green]ok[/]", "failed": "[red]failed[/]", "interrupted": "[yellow]interrupted[/]"}


def microseconds(value_ns: int | None) -> str:
    """Nanoseconds as people read latencies: "18.4 us"."""
    return "–" if value_ns is None else f"{value_ns / 1000:.1f} us"


def time_left(seconds: float) -> str:
    """A rough time: "1:05", "2:03:20"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def levels_text(levels: dict[str, str]) -> str:
    """The levels of a run in one line."""
    return escape("  ".join(f"{name} {level}" for name, level in levels.items()) or "the only cell")


def _figures(seen: RunState | None) -> str:
    if seen is None:
        return ""
    return (
        f"p50 {microseconds(seen.p50_ns)}  p99 {microseconds(seen.p99_ns)}  max {microseconds(seen.max_ns)}"
    )


class Watch:
    """Shows a session on a console; call it with every event.

    It draws only then: a thread that redraws would disturb what is measured.

    Args:
        console: Where to.
        runs: How many runs the session makes.
        expected_s: How long they take, roughly; the time left is corrected by what runs really take.
        quiet: Whether to show nothing but failures.
    """

    def __init__(self, console: Console, runs: int, expected_s: float, *, quiet: bool) -> None:
        self._console, self._runs, self._quiet = console, runs, quiet
        self._expected_s, self._ended, self._begin = expected_s, 0, time.monotonic()
        # One text, so that a narrow terminal loses its end and nothing else.
        text = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis"))
        self._bar = Progress(
            BarColumn(bar_width=24 if console.width >= WIDE else 8),
            text,
            console=console,
            transient=True,
            auto_refresh=False,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task(f"{runs} runs  {time_left(expected_s)} left", total=runs)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunBegun(planned, attempt):
                self._show(planned, 0.0, "setting up" if attempt == 1 else "once more, after a failure")
            case RunProgress(planned, seen):
                self._show(planned, seen.samples / max(seen.wanted, 1), _figures(seen))
            case RunEnded():
                self._ended += 1
                self._finish(event)

    def _show(self, planned: PlannedRun, share: float, figures: str) -> None:
        done = self._ended + min(share, 1.0)
        spent = time.monotonic() - self._begin
        total = self._expected_s if done < 1 else spent / done * self._runs
        left = time_left(max(total - spent, 0))
        text = f"run {self._ended + 1}/{self._runs}  {left} left  {figures}  {levels_text(planned.levels)}"
        self._bar.update(self._task, completed=done, description=text, refresh=True)

    def _finish(self, event: RunEnded) -> None:
        if self._quiet and event.row.status == "ok":
            return
        line = (
            f"run {self._ended}/{self._runs}  {levels_text(event.planned.levels)}  {MARKS[event.row.status]}"
        )
        reason = f"  {escape(event.row.error)}" if event.row.error else ""
        again = "  (second attempt)" if event.row.attempts > 1 else ""
        self._bar.console.print(
            f"{line}  {event.row.duration_s:.1f} s  {_figures(event.last)}{again}{reason}",
            highlight=False,
            soft_wrap=True,
        )
