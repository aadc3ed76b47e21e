# SPDX-License-Identifier: Apache-2.0
"""`jitterlab export`: a recording in the formats of other tools."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

EPILOG = """\b
Formats:
  csv        a table with a header: --table cells, runs, samples or counts
  parquet    the same tables; needs --output
  json       the recording as one document with the exact counts of every cell
  hdr        HdrHistogram log, one tagged interval per run and CPU
  histogram  as cyclictest -h writes it: whole µs, one column per CPU

\b
Examples:
  jitterlab export recordings/wakeup --format csv > cells.csv
  jitterlab export recordings/wakeup --format parquet --table samples --output samples.parquet
  jitterlab export recordings/wakeup --format histogram --where load=none --output idle.txt
  jitterlab anova cells.csv --formula "latency ~ load * policy"  # of the first example"""


@click.command("export", epilog=EPILOG)
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--format", "form", required=True, help="csv, json, parquet, hdr or histogram.")
@click.option(
    "--table", default="cells", show_default=True, help="csv, parquet: cells, runs, samples or counts."
)
@click.option("--response", help="Which response; by default the first.")
@click.option("--where", multiple=True, metavar="FACTOR=LEVEL", help="Only runs with this level.")
@click.option("--output", type=click.Path(path_type=Path), help="The file to write; by default the output.")
def command(  # noqa: PLR0917 - click passes options by name
    recording: Path, form: str, table: str, response: str | None, where: tuple[str, ...], output: Path | None
) -> None:
    """Write a recording, or a part of it, in a format of other tools."""
    from jitterlab.errors import InputError
    from jitterlab.recording import Recording
    from jitterlab.recording.exporters import EXPORTERS, Selection

    if form not in EXPORTERS:
        raise InputError(f"there is no format '{form}'", f"choose one of: {', '.join(EXPORTERS)}")
    if form == "parquet" and output is None:
        raise InputError("Parquet cannot be written to a terminal or a pipe", "name a file with --output")
    selection = Selection.of(Recording.open(recording), response, _levels(where))
    if output is None:
        EXPORTERS[form](selection, table, sys.stdout.buffer)
        return
    part = output.with_name(output.name + ".part")
    try:
        with part.open("wb") as file:
            EXPORTERS[form](selection, table, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(output)
    except OSError as error:
        raise InputError(
            f"{output} cannot be written: {error.strerror or error}", "name another file"
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _levels(where: tuple[str, ...]) -> Mapping[str, str]:
    from jitterlab.errors import InputError

    for text in where:
        if "=" not in text:
            raise InputError(f"--where {text}: a factor and a level are needed", "write --where load=none")
    return dict(text.split("=", 1) for text in where)
