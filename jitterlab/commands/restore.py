# SPDX-License-Identifier: Apache-2.0
"""`jitterlab restore`: put back the settings that a killed guard left behind."""

import json
from dataclasses import asdict
from pathlib import Path

import click

EPILOG = """\b
Examples:
  jitterlab restore
  sudo jitterlab restore --json
  jitterlab restore --record /run/user/1000/guard.record

\b
Exit codes: 0 everything is as it was found; 1 something could not be put back;
3 a laboratory is at work on this machine, or its record belongs to another user."""


@click.command("restore", epilog=EPILOG)
@click.option("--record", type=click.Path(path_type=Path), help="The guard's record, if it was given one.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(*, record: Path | None, as_json: bool) -> None:
    """Put back the settings that a killed guard left behind.

    The guard puts everything back by itself when a study ends, is interrupted or is killed. Only when the
    guard itself is killed (SIGKILL, out of memory) its record on disk remains, for this command or the next
    study to put things back.
    """
    from jitterlab.errors import RunError
    from jitterlab.guard import restore
    from jitterlab.targets.local import LocalTarget

    result = restore(LocalTarget(), str(record) if record else None)
    if as_json:
        click.echo(json.dumps(asdict(result)))
    elif result.restored:
        click.echo(f"Settings put back: {result.restored}.")
    elif not result.failures:
        click.echo("Nothing to put back: this machine is as it was found.")
    if result.failures:
        raise RunError("; ".join(result.failures), "the record keeps it: remove the cause and try again")
