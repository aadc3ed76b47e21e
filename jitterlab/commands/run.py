# SPDX-License-Identifier: Apache-2.0
"""`jitterlab run`: make the runs of a study, record them, and say what they say."""

from pathlib import Path

import click

from jitterlab.commands.studying import Asked, study_options

EPILOG = """\b
Examples:
  jitterlab run wakeup --output recordings/wakeup
  jitterlab run wakeup --output DIR --control                 with an A/A control
  jitterlab run wakeup --output DIR --set load=none           one factor held fixed
  jitterlab run osadl --output DIR --samples 100_000_000 --replicates 1 --skip-unavailable

\b
STUDY is the path of a study file, or a name that `jitterlab studies` lists.
Ctrl-C keeps what was measured; `jitterlab resume DIR` goes on."""


@click.command("run", epilog=EPILOG)
@study_options
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to record in; a new one.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress; the answer and failures only.")
def command(asked: Asked, *, output: Path, quiet: bool) -> None:
    """Make the runs of a study, record them, and say what they say."""
    from jitterlab import design, session
    from jitterlab.commands.conclusion import conclude, end_interrupted
    from jitterlab.commands.studying import by_reason, possible
    from jitterlab.commands.watching import Screen, Watch

    session.check_output(output)
    console = Screen()
    feasibility = session.examine(asked.study, asked.target)
    runnable = possible(asked.study, feasibility, skip=asked.skip_unavailable)
    left_out = feasibility.unavailable
    for name, levels in left_out.items():
        for reason, same in by_reason(levels).items():
            console.print(f"left out: {name} = {same} ({reason})", markup=False, highlight=False)
    runs = len(design.plan(runnable))
    try:
        with Watch(console, runs, session.duration_s(runnable), quiet=quiet) as watch:
            recording = session.begin(runnable, asked.target, output, watch, left_out=left_out)
    except KeyboardInterrupt:
        raise end_interrupted(output) from None
    conclude(recording, console)
