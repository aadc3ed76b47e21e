# SPDX-License-Identifier: Apache-2.0
"""`jitterlab report`: what a recording says, as a page, as text or as JSON."""

import json
from pathlib import Path

import click

EPILOG = """\b
Examples:
  jitterlab report recordings/wakeup                        write recordings/wakeup/report.html
  jitterlab report recordings/wakeup --output wakeup.html   write it elsewhere
  jitterlab report recordings/wakeup --format text          print the answer in the terminal
  jitterlab report recordings/wakeup --format json | jq .answers"""


@click.command("report", epilog=EPILOG)
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Where to write; DIR/report.html for HTML."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "text", "json"]),
    default="html",
    show_default=True,
    help="A page that needs no network, the answer as text, or all findings as JSON.",
)
@click.option("--response", help="The response to report; the first of the workload by default.")
def command(recording: Path, output: Path | None, kind: str, response: str | None) -> None:
    """Say what a recording says: what decides, how much, how surely."""
    from jitterlab.analysis.findings import findings
    from jitterlab.recording import Recording
    from jitterlab.report.writing import write

    opened = Recording.open(recording)
    found = findings(opened, response)
    if kind == "html":
        from jitterlab.report.html import page

        target = output or recording / "report.html"
        write(target, page(opened, found))
        click.echo(target)
        return
    if kind == "json":
        text = json.dumps(found.to_dict(), indent=2)
    else:
        from jitterlab.report.terminal import as_text

        text = as_text(found)
    if output is None:
        click.echo(text)
    else:
        write(output, f"{text}\n".encode())
