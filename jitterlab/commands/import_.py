# SPDX-License-Identifier: Apache-2.0
"""`jitterlab import`: the results of other tools as a recording."""

from pathlib import Path

import click

EPILOG = """\b
Formats (found by themselves, or named with --format):
  cyclictest      --json with -h, histogram text of -h and --histfile, -v
  rtla            timerlat hist, osnoise hist
  jitterdebugger  results.json, samples.raw beside it
  fio             --output-format=json+, logs of --write_lat_log
  hyperfine       --export-json
  csv             a header, one column of samples; columns cpu, run and count are known

\b
Examples:
  jitterlab import idle.json loaded.json --factor load=none,cpu --output recordings/old
  jitterlab import histogram.txt --output recordings/histogram
  jitterlab import results.csv --response latency_us --unit us --by network,size --output DIR"""


@click.command("import", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), help="The new folder of the recording."
)
@click.option("--format", "tool", help="The tool that wrote the files.")
@click.option(
    "--factor",
    "factors",
    multiple=True,
    metavar="NAME=LEVEL[,LEVEL…]",
    help="A factor: its level in all files, or one level per file.",
)
@click.option("--response", default="latency", show_default=True, help="CSV: the column of samples.")
@click.option(
    "--unit", help="CSV: ns (default), us, ms, s, byte, 1; cyclictest texts: us (default), ns (of -N)."
)
@click.option("--by", default="", metavar="COLUMN[,COLUMN…]", help="CSV: the columns that are factors.")
def command(  # noqa: PLR0917 - click passes options by name
    files: tuple[Path, ...],
    output: Path,
    tool: str | None,
    factors: tuple[str, ...],
    response: str,
    unit: str | None,
    by: str,
) -> None:
    """Make a recording of what other tools measured, so that all that works on recordings works on it."""
    from jitterlab.errors import InputError
    from jitterlab.recording.importers import detect, importers
    from jitterlab.recording.importers.assembly import ImportedFile, record

    known = importers(response, unit, [name for name in by.split(",") if name])
    if tool is not None and tool not in known:
        raise InputError(f"there is no format '{tool}'", f"choose one of: {', '.join(known)}")
    given = {}
    for text in factors:
        name, equals, levels = text.partition("=")
        if not (name and equals and levels):
            raise InputError(f"--factor {text}: a factor needs a name and a level", "write --factor load=cpu")
        given[name] = levels.split(",")
    found = []
    for path in files:
        importer = known[tool] if tool else detect(path, known)
        found.append(ImportedFile(path, importer.read(path)))
    recording = record(found, output, given)
    click.echo(f"{len(recording.runs)} runs in {recording.path}")
