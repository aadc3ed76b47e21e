# SPDX-License-Identifier: Apache-2.0
"""The end of `jitterlab run` and `resume`: the answer, the report, and what is left to do."""

import click
from rich.console import Console

from jitterlab.errors import RunError
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
        write(target, page(recording, found))
        click.echo(f"report: {target}")
    if failed:
        planned = len(recording.manifest.plan)
        raise RunError(
            f"{failed} of {planned} runs failed; `jitterlab show {recording.path}` says why",
            f"remove the cause and make them again: jitterlab resume {recording.path}",
        )


def tell_interrupted(path: object) -> None:
    """Say that a session was interrupted and how to go on."""
    click.echo(
        f"interrupted: all runs until here are in {path}; go on with: jitterlab resume {path}", err=True
    )
