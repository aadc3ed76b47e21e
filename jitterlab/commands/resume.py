# SPDX-License-Identifier: Apache-2.0
"""`jitterlab resume`: make the runs of a recording that are missing, failed or were interrupted."""

from pathlib import Path

import click

EPILOG = """\b
Examples:
  jitterlab resume recordings/wakeup"""


@click.command("resume", epilog=EPILOG, short_help="Make the runs that a recording lacks.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--target", "target_name", default="local", show_default=True, help="Where to run.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; the answer and failures only.")
def command(recording: Path, target_name: str, quiet: bool) -> None:
    """Make the runs of a recording that are missing, failed or were interrupted."""
    from jitterlab import session
    from jitterlab.commands.conclusion import conclude, end_interrupted
    from jitterlab.commands.studying import target_named
    from jitterlab.commands.watching import Screen, Watch

    console = Screen()
    remaining = session.remaining(recording)
    if not remaining.runs:
        click.echo(f"{recording} is complete: nothing to do; `jitterlab report {recording}` explains it")
        return
    try:
        with Watch(console, remaining.runs, remaining.duration_s, quiet=quiet) as watch:
            resumed = session.resume(recording, target_named(target_name), watch)
    except KeyboardInterrupt:
        raise end_interrupted(recording) from None
    conclude(resumed, console)
