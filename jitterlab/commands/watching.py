# SPDX-License-Identifier: Apache-2.0
"""A session as the terminal shows it: time left, the current run live, a line per finished run."""

import time
from contextlib import suppress
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


def rough_time(seconds: float) -> str:
    """A time in two units: "33 s", "1 min 05 s", "5 h 33 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def levels_text(levels: dict[str, str]) -> str:
    """The levels of a run in one line."""
    return escape("  ".join(f"{name} {level}" for name, level in levels.items()) or "the only cell")


def _figures(seen: RunState | None) -> str:
    if seen is None:
        return ""
    known = {"p50": seen.p50_ns, "p99": seen.p99_ns, "max": seen.max_ns}
    figures = [f"{name} {value / 1000:,.1f}" for name, value in known.items() if value is not None]
    return f"{'  '.join(figures)} µs" if figures else "warming up"


class Screen(Console):
    """A console whose reader may go away: what is measured goes on, unseen."""

    def on_broken_pipe(self) -> None:
        """Write nothing any more, where rich would end the program."""
        self.quiet = True


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
            *([BarColumn(bar_width=24)] if console.width >= WIDE else []),
            text,
            console=console,
            transient=True,
            auto_refresh=False,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task(f"{runs} runs  {rough_time(expected_s)} left", total=runs)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Show an event; where the terminal is gone, the session goes on unseen."""
        with suppress(OSError):
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case RunBegun(planned, _, failure):
                if failure is not None:
                    self._tell(planned, f"[yellow]once more[/]  {escape(failure)}")
                self._show(planned, 0.0, "setting up")
            case RunProgress(planned, seen):
                self._show(planned, seen.samples / max(seen.wanted, 1), _figures(seen))
            case RunEnded():
                self._finish(event)
                self._ended += 1

    def _show(self, planned: PlannedRun, share: float, figures: str) -> None:
        done = self._ended + min(share, 1.0)
        spent = time.monotonic() - self._begin
        total = self._expected_s if done < 1 else spent / done * self._runs
        left = rough_time(max(total - spent, 0))
        text = f"run {self._ended + 1}/{self._runs}  {left} left  {figures}  {levels_text(planned.levels)}"
        self._bar.update(self._task, completed=done, description=text, refresh=True)

    def _finish(self, event: RunEnded) -> None:
        if self._quiet and event.row.status == "ok":
            return
        row = event.row
        if row.status == "failed":
            again = "twice  " if row.attempts > 1 else ""
            self._tell(event.planned, f"{MARKS[row.status]}  {again}{escape(row.error or '')}")
        else:
            self._tell(event.planned, f"{MARKS[row.status]}  {row.duration_s:.1f} s  {_figures(event.last)}")

    def _tell(self, planned: PlannedRun, what: str) -> None:
        line = f"run {self._ended + 1}/{self._runs}  {levels_text(planned.levels)}  {what}"
        self._bar.console.print(line, highlight=False, soft_wrap=True)
