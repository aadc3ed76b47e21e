# SPDX-License-Identifier: Apache-2.0
"""`jitterlab studies`: the studies that come with jitterlab."""

import json

import click

EPILOG = """\b
Examples:
  jitterlab studies                       list them, with how long they take here
  jitterlab studies wakeup > mine.toml    begin a study of your own from one of them"""


@click.command("studies", epilog=EPILOG)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for scripts.")
def command(name: str | None, as_json: bool) -> None:
    """List the studies that come with jitterlab, or print one."""
    from jitterlab.commands.watching import rough_time
    from jitterlab.session import duration_s
    from jitterlab.study import load, shipped

    if name is not None:
        click.echo(load(name).text, nl=False)
        return
    found = [(known, load(path)) for known, path in shipped().items()]
    if as_json:
        rows = [
            {"name": known, "title": study.title, "duration_s": duration_s(study)} for known, study in found
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for known, study in found:
        click.echo(f"{known:12} {rough_time(duration_s(study)):>11}  {study.title}")
