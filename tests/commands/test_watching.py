# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows of a session."""

import io

import pytest
from rich.console import Console

from jitterlab.commands.watching import Watch, microseconds, time_left
from jitterlab.design import PlannedRun
from jitterlab.recording import RunRow
from jitterlab.session import RunBegun, RunEnded, RunProgress
from jitterlab.workloads import Progress

RUN = PlannedRun(1, 1, 2, {"policy": "fifo:80", "load": "[bold]none"})
SEEN = Progress(50, 100, 18_400, 99_000, 1_234_500)
OK = RunRow(run=1, status="ok", started_ns=0, duration_s=2.04)
FAILED = RunRow(run=1, status="failed", started_ns=0, duration_s=0, attempts=2, error="no [luck]")


def shown(*rows: RunRow, terminal: bool, quiet: bool = False) -> str:
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=terminal, color_system=None)
    with Watch(console, 2, 10.0, quiet=quiet) as watch:
        for row in rows:
            watch(RunBegun(RUN, row.attempts))
            watch(RunProgress(RUN, SEEN))
            watch(RunEnded(RUN, row, SEEN))
    return text.getvalue()


def test_a_terminal_shows_the_run_live_with_the_time_left() -> None:
    text = shown(OK, terminal=True)
    assert "run 1/2  0:10 left  setting up  policy fifo:80  load [bold]none" in text
    assert "p50 18.4 us  p99 99.0 us  max 1234.5 us" in text


def test_elsewhere_there_is_a_line_per_run_and_nothing_else() -> None:
    assert shown(OK, FAILED, terminal=False).splitlines() == [
        "run 1/2  policy fifo:80  load [bold]none  ok  2.0 s  p50 18.4 us  p99 99.0 us  max 1234.5 us",
        (
            "run 2/2  policy fifo:80  load [bold]none  failed  0.0 s  p50 18.4 us  p99 99.0 us  max 1234.5 us"
            "  (second attempt)  no [luck]"
        ),
    ]


def test_quiet_tells_failures_only() -> None:
    assert shown(OK, terminal=True, quiet=True) == ""
    assert "no [luck]" in shown(FAILED, terminal=False, quiet=True)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (65.4, "1:05"), (3600 * 5 + 33 * 60 + 20, "5:33:20")]
)
def test_times_read_like_a_clock(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


def test_what_is_not_known_is_a_dash() -> None:
    assert microseconds(None) == "–"
