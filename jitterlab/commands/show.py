# SPDX-License-Identifier: Apache-2.0
"""`jitterlab show`: what is in a recording."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

EPILOG = """\b
Examples:
  jitterlab show recordings/wakeup          the runs of a recording, and the machine
  jitterlab show recordings/wakeup --json   the same for scripts
  jitterlab show recordings/wakeup --json | jq '.runs[] | select(.lost > 0) | .run'"""

_STATISTICS = ("min", "p50", "p99", "max")
_LONGEST = 80
_TOLD = ("distribution", "command_line", "clock_source", "idle_driver", "isolated_cpus", "smt", "probe")
"""What is told of the environment; `--json` tells all of it."""
_WIDE = 160


@click.command("show", epilog=EPILOG)
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(recording: Path, as_json: bool) -> None:
    """Show what is in a recording: its runs with their levels and status, and the machine."""
    from jitterlab.recording import Recording
    from jitterlab.recording.overview import overview

    content = overview(Recording.open(recording))
    if as_json:
        click.echo(json.dumps(content, indent=1))
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    console.print(f"[bold]{_plain(content['title'])}[/bold]", highlight=False)
    for line in _about(content):
        console.print(line, highlight=False, markup=False)
    console.print(_runs(content))
    if content["missing"]:
        missing = f"{len(content['missing'])} of {content['planned']} runs"
        console.print(f"{missing} are missing: jitterlab resume {recording}", highlight=False, markup=False)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _about(content: Mapping[str, Any]) -> list[str]:
    """The workload, the target and what the environment says in one line each."""
    keys = [key for key in ("name", "architecture", "kernel") if key in content["target"]]
    target = ", ".join(str(content["target"][key]) for key in keys)
    lines = {
        "workload": content["workload"],
        "target": target,
        "created": f"{content['created']} by jitterlab {content['jitterlab']}",
        **{key: value for key, value in content["environment"].items() if key in _TOLD and value},
    }
    width = max(map(len, lines)) + 2
    return [f"{key:<{width}}{' '.join(str(value).split())[:_LONGEST]}" for key, value in lines.items()]


def _runs(content: Mapping[str, Any]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    responses = {name: found["unit"] for run in content["runs"] for name, found in run["responses"].items()}
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("run", no_wrap=True)
    table.add_column("block", no_wrap=True)
    for name in (*content["factors"], "status"):
        table.add_column(name, overflow="fold")
    table.caption = ", ".join(
        f"{name} in {'µs' if unit == 'ns' else unit}" for name, unit in responses.items()
    )
    for _ in responses:
        for name in ("n", *_STATISTICS):
            table.add_column(name, justify="right", no_wrap=True)
    for name in ("missed", "lost"):
        table.add_column(name, justify="right")
    for run in content["runs"]:
        cells = [str(run["run"]), str(run["block"]), *run["levels"].values(), _status(run)]
        for name, unit in responses.items():
            found = run["responses"].get(name, {})
            cells += [
                _number(found.get("n")),
                *(_value(found.get(statistic), unit) for statistic in _STATISTICS),
            ]
        table.add_row(*map(_plain, [*cells, _number(run["missed"]), _number(run["lost"])]))
    return table


def _status(run: Mapping[str, Any]) -> str:
    error = f": {run['error'][:_LONGEST]}" if run["error"] else ""
    retried = f" (attempt {run['attempts']})" if run["attempts"] > 1 else ""
    return f"{run['status']}{retried}{error}"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _value(value: int | None, unit: str) -> str:
    """A value as people read it: times in µs."""
    if value is None:
        return "-"
    return f"{value / 1_000:,.1f}" if unit == "ns" else f"{value:,}"
