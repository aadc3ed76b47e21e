# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows of a session."""

import io

import pytest
from rich.console import Console

from jitterlab.commands.watching import Watch, rough_time
from jitterlab.design import PlannedRun
from jitterlab.recording import RunRow
from jitterlab.session import RunBegun, RunEnded, RunProgress
from jitterlab.workloads import Progress

RUN = PlannedRun(1, 1, 2, {"policy": "fifo:80", "load": "[bold]none"})
SEEN = Progress(50, 100, 18_400, 99_000, 1_234_500)
OK = RunRow(run=1, status="ok", started_ns=0, duration_s=2.04)
FAILED = RunRow(run=1, status="failed", started_ns=0, duration_s=0, attempts=2, error="no [luck]")


def shown(*rows: RunRow, terminal: bool, quiet: bool = False, width: int = 80) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=terminal, color_system=None)
    with Watch(console, 2, 100.0, quiet=quiet) as watch:
        for row in rows:
            for attempt in range(1, row.attempts + 1):
                watch(RunBegun(RUN, attempt, "bad [luck]" if attempt > 1 else None))
                watch(RunProgress(RUN, Progress(0, 100)))
                watch(RunProgress(RUN, SEEN))
            watch(RunEnded(RUN, row, SEEN))
    return text.getvalue()


def test_a_terminal_shows_the_run_live_with_the_time_left() -> None:
    text = shown(OK, terminal=True)
    assert "run 1/2  1 min 40 s left  setting up  policy fifo:80  load [bold]none" in text
    assert "left  warming up  policy" in text
    assert "left  p50 18.4  p99 99.0  max 1,234.5 µs  policy" in text


def test_a_bar_is_drawn_where_it_takes_no_room_from_the_figures() -> None:
    assert "━" not in shown(OK, terminal=True)
    assert "━" in shown(OK, terminal=True, width=160)


def test_elsewhere_there_is_a_line_per_run_and_nothing_else() -> None:
    assert shown(OK, FAILED, terminal=False).splitlines() == [
        "run 1/2  policy fifo:80  load [bold]none  ok  2.0 s  p50 18.4  p99 99.0  max 1,234.5 µs",
        "run 2/2  policy fifo:80  load [bold]none  once more  bad [luck]",
        "run 2/2  policy fifo:80  load [bold]none  failed  twice  no [luck]",
    ]


def test_quiet_tells_failures_only() -> None:
    assert shown(OK, terminal=True, quiet=True) == ""
    assert "no [luck]" in shown(FAILED, terminal=False, quiet=True)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (65.4, "1 min 05 s"), (3600 * 5 + 33 * 60 + 20, "5 h 33 min")]
)
def test_times_have_their_units(seconds: float, text: str) -> None:
    assert rough_time(seconds) == text
