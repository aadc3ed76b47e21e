# SPDX-License-Identifier: Apache-2.0
"""`jitterlab plan`: what a study would do, and what this machine can do of it."""

import json
from typing import TYPE_CHECKING

import click

from jitterlab.commands.studying import Asked, study_options

if TYPE_CHECKING:
    from rich.console import Console

    from jitterlab.design import PlannedRun
    from jitterlab.session import Feasibility
    from jitterlab.study import Study

SHOWN_RUNS = 50

EPILOG = """\b
Examples:
  jitterlab plan wakeup
  jitterlab plan my.toml --replicates 10
  jitterlab plan osadl --json | jq .factors"""


@click.command("plan", epilog=EPILOG, short_help="Show what a study would do here, and how long it takes.")
@study_options
@click.option("--json", "as_json", is_flag=True, help="As JSON, for scripts.")
def command(asked: Asked, *, as_json: bool) -> None:
    """Show the runs of a study, how long they take, and what this machine can do of it. Changes nothing."""
    from rich.console import Console

    from jitterlab import design, session
    from jitterlab.commands.studying import possible

    feasibility = session.examine(asked.study, asked.target)
    shown = possible(asked.study, feasibility, skip=True) if asked.skip_unavailable else asked.study
    runs = design.plan(shown)
    if as_json:
        click.echo(json.dumps(_as_json(shown, runs, feasibility), indent=2))
    else:
        _show(shown, runs, feasibility, Console())


def _as_json(study: "Study", runs: "tuple[PlannedRun, ...]", feasibility: "Feasibility") -> dict[str, object]:
    from dataclasses import asdict

    from jitterlab.session import duration_s

    return {
        "title": study.title,
        "workload": {"name": study.workload, "reason": feasibility.workload},
        "duration_s": round(duration_s(study), 1),
        "parameters": dict(feasibility.parameters),
        "factors": dict(feasibility.factors),
        "meters": feasibility.meters,
        "runs": [asdict(run) for run in runs],
    }


def _show(
    study: "Study", runs: "tuple[PlannedRun, ...]", feasibility: "Feasibility", console: "Console"
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from jitterlab.commands.studying import by_reason
    from jitterlab.commands.watching import rough_time
    from jitterlab.session import duration_s

    console.print(study.title, style="bold", markup=False)
    console.print(
        f"{len(runs)} runs of {study.samples:,} samples, replicates {study.replicates}, "
        f"order {study.order}, seed {study.seed}; about {rough_time(duration_s(study))}",
        highlight=False,
    )
    if feasibility.workload is not None:
        console.print(f"the workload {study.workload} cannot run here: {feasibility.workload}", markup=False)
    console.print("\nWhat this machine can do", style="bold")
    can = Table("what", "levels", "here", box=SIMPLE_HEAD, pad_edge=False)
    for name, levels in {**feasibility.parameters, **feasibility.factors}.items():
        for reason, same in by_reason(levels).items():
            can.add_row(*map(escape, (name, same, reason or "yes")))
    for name, reason in feasibility.meters.items():
        can.add_row(f"meter {name}", "", escape(reason or "yes"))
    console.print(can)
    console.print("The runs, in order", style="bold")
    factors = (factor.name for factor in study.factors)
    order = Table("run", "block", "cell", *factors, box=SIMPLE_HEAD, pad_edge=False)
    for run in runs[:SHOWN_RUNS]:
        order.add_row(str(run.run), str(run.block), str(run.cell), *map(escape, run.levels.values()))
    console.print(order)
    if len(runs) > SHOWN_RUNS:
        console.print(f"… and {len(runs) - SHOWN_RUNS} more (all with --json)", highlight=False)
