# SPDX-License-Identifier: Apache-2.0
"""`jitterlab doctor`: what makes this machine late, with evidence, cost and remedy."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from jitterlab.doctor import Finding

EPILOG = """\b
Examples:
  jitterlab doctor
  jitterlab doctor --cpus 2-3           only what matters for these CPUs
  jitterlab doctor --json | jq '.[] | select(.verdict == "late") | .remedy'

\b
It only reads, and needs root only to see whether tracing was left on. Verdicts: late, unknown (cannot be told
on this machine), ok. Exit code: 0, whatever is found."""

STYLES = {"late": "bold red", "unknown": "yellow", "ok": "green"}
SCALE = {1: "10 µs", 2: "100 µs", 3: "1 ms", 4: "many ms"}


@click.command("doctor", epilog=EPILOG)
@click.option("--cpus", metavar="LIST", help="The CPUs that matter, such as 2-3; default: all on line.")
@click.option("--json", "as_json", is_flag=True, help="Print the list of findings as JSON.")
def command(*, cpus: str | None, as_json: bool) -> None:
    """Tell what makes this machine late: evidence, cost, remedy; the worst first."""
    from jitterlab.doctor import examine
    from jitterlab.targets.local import LocalTarget

    target = LocalTarget()
    findings = examine(target, _chosen(cpus, target.info().cpus))
    if as_json:
        click.echo(json.dumps([_to_dict(finding) for finding in findings], indent=2))
    else:
        _show(findings)


def _chosen(cpus: str | None, online: tuple[int, ...]) -> tuple[int, ...]:
    from jitterlab.errors import InputError
    from jitterlab.quantities import format_cpus, parse_cpus

    if cpus is None:
        return online
    try:
        chosen = parse_cpus(cpus)
    except ValueError as error:
        raise InputError(f"--cpus '{cpus}' is not understood", f"write {error}") from None
    absent = set(chosen) - set(online)
    if absent:
        raise InputError(
            f"--cpus: CPU {format_cpus(absent)} is not on line", f"on line are {format_cpus(online)}"
        )
    return chosen


def _to_dict(finding: "Finding") -> dict[str, object]:
    return asdict(finding) | {"severity": int(finding.severity), "costs_up_to": SCALE[finding.severity]}


def _show(findings: Sequence["Finding"]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("verdict", "check", "costs up to", "evidence"):
        table.add_column(heading, no_wrap=heading != "evidence")
    for finding in findings:
        cost = SCALE[finding.severity] if finding.verdict != "ok" else ""
        style = STYLES[finding.verdict]
        table.add_row(Text(finding.verdict, style), Text(finding.name), Text(cost), Text(finding.evidence))
    console.print(table)
    late = [finding for finding in findings if finding.verdict == "late"]
    if late:
        console.print("\nWhat it costs, and what helps:")
    for finding in late:
        # Not wrapped, so that commands and addresses can be copied whole.
        console.print(Text(f"\n{finding.name}: {finding.cost}.", "bold"), soft_wrap=True)
        console.print(Text(f"  remedy: {finding.remedy}"), soft_wrap=True)
        console.print(Text(f"  source: {finding.source}", "dim"), soft_wrap=True)
