# SPDX-License-Identifier: Apache-2.0
"""The end of `jitterlab run` and `resume`: the answer, the report, and what is left to do."""

from pathlib import Path

import click
from rich.console import Console

from jitterlab.errors import INTERRUPTED, RunError
from jitterlab.recording import Recording


def conclude(recording: Recording, console: Console) -> None:
    """Print the answer, write the report beside the recording, and fail if runs did.

    Raises:
        RunError: Runs failed; the others are explained all the same.
    """
    from jitterlab.analysis.findings import findings
    from jitterlab.report.html import page
    from jitterlab.report.terminal import show
    from jitterlab.report.writing import write

    failed = len(recording.missing)
    if failed < len(recording.manifest.plan):
        found = findings(recording)
        show(found, console)
        target = recording.path / "report.html"
        try:
            write(target, page(recording, found))
        except RunError as error:
            raise RunError(
                f"the recording is whole, but {error}",
                f"write the report elsewhere: jitterlab report {recording.path} --output FILE",
            ) from error
        console.print(f"report: {target}", soft_wrap=True, markup=False, highlight=False)
    if failed:
        planned = len(recording.manifest.plan)
        raise RunError(
            f"{failed} of {planned} runs failed; `jitterlab show {recording.path}` says why",
            f"remove the cause and make them again: jitterlab resume {recording.path}",
        )


def end_interrupted(path: Path) -> click.exceptions.Exit:
    """Say what an interrupted session has left, and how to go on; returns what ends the command."""
    if (path / "recording.json").exists():
        recording = Recording.open(path)
        planned = len(recording.manifest.plan)
        click.echo(
            f"interrupted: {planned - len(recording.missing)} of {planned} runs are complete in {path}; "
            f"go on with: jitterlab resume {path}",
            err=True,
        )
    else:
        click.echo("interrupted before the first run: nothing was recorded", err=True)
    return click.exceptions.Exit(INTERRUPTED)
