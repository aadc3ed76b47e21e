# SPDX-License-Identifier: Apache-2.0
"""`jitterlab anova`: what decides, from a table of cells or from a recording."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from jitterlab.analysis.anovatable import Anova

EPILOG = """\b
Examples:
  jitterlab anova CELLS.csv --formula "latency ~ network * size"
  jitterlab anova CELLS.csv --formula "latency ~ network + size" --type 3 --json"""


@click.command("anova", epilog=EPILOG)
@click.argument("source", metavar="CELLS.csv|RECORDING", type=click.Path(path_type=Path))
@click.option("--formula", metavar="FORMULA", help="The model; default: all factors and their interactions.")
@click.option(
    "--type",
    "type_",
    type=click.Choice(["1", "2", "3"]),
    default="2",
    show_default=True,
    help="Type of the sums of squares.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the list of terms as JSON.")
def command(source: Path, formula: str | None, type_: str, as_json: bool) -> None:
    """Analyse the variance: which factor decides, how much, with what certainty.

    CELLS.csv holds the factors, then N, Mean and SD (or SE, Variance) of each combination, from any tool.
    """
    from jitterlab.analysis.anovatext import as_text

    result = _of_table(source, formula, int(type_))
    if as_json:
        click.echo(json.dumps([term.to_dict() for term in result.terms], indent=2))
    else:
        click.echo(as_text(result))


def _of_table(source: Path, formula: str | None, type_: int) -> "Anova":
    from jitterlab.analysis import celltable
    from jitterlab.analysis.anova import anova
    from jitterlab.analysis.formula import full, parse
    from jitterlab.errors import InputError

    table = celltable.read(source)
    model = parse(formula) if formula else full("response", table.factors)
    if model.transform:
        raise InputError(
            f"{source} holds means, and the mean of {model.transform}({model.response}) cannot be had from them",
            "leave the transformation out, or analyse a recording",
        )
    return anova(table.groups, model, type_)  # type: ignore[arg-type]
