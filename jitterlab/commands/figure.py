# SPDX-License-Identifier: Apache-2.0
"""`jitterlab figure`: one figure of a report as a picture."""

from pathlib import Path

import click

from jitterlab.errors import InputError

EPILOG = """\b
Examples:
  jitterlab figure recordings/wakeup --list
  jitterlab figure recordings/wakeup ccdf --output tail.svg
  jitterlab figure recordings/wakeup latency-plot --output latency.png"""

KINDS = ("png", "svg")


@click.command("figure", epilog=EPILOG)
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("name", required=False)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="FILE.png or FILE.svg; NAME.png by default."
)
@click.option("--list", "listing", is_flag=True, help="List the figures that this recording has.")
@click.option("--response", help="The response to draw; the first of the workload by default.")
def command(
    recording: Path, name: str | None, output: Path | None, listing: bool, response: str | None
) -> None:
    """Write one figure of a recording as PNG or SVG."""
    if not listing and name is None:
        raise InputError("no figure is named", "name one, or see the list with --list")
    target = output or Path(f"{name}.png")
    kind = target.suffix.removeprefix(".").lower()
    if kind not in KINDS:
        raise InputError(
            f"{target}: a figure is written as {' or '.join(KINDS)}", "end the name in .png or .svg"
        )
    from jitterlab.analysis.findings import findings
    from jitterlab.recording import Recording
    from jitterlab.report import figures

    opened = Recording.open(recording)
    drawn = figures.of(opened, findings(opened, response))
    if listing:
        width = max(map(len, drawn))
        for figure in drawn.values():
            click.echo(f"{figure.name:<{width}}  {figure.title}")
        return
    if name not in drawn:
        raise InputError(f"{recording} has no figure '{name}'", f"choose one of: {', '.join(drawn)}")
    from jitterlab.report.pictures import picture
    from jitterlab.report.writing import write

    write(target, picture(drawn[name], "svg" if kind == "svg" else "png"))
    click.echo(target)
