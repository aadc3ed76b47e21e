# SPDX-License-Identifier: Apache-2.0
"""`jitterlab anova`: what decides, from a table of cells or from a recording."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    import pandas as pd

    from jitterlab.analysis.anovatable import Anova
    from jitterlab.analysis.cells import Cells
    from jitterlab.analysis.factorial import FactorialAnova
    from jitterlab.analysis.formula import Formula
    from jitterlab.errors import InputError

Type = Literal[1, 2, 3]

_SAMPLES = "Note: Values of one run resemble each other: where these come from few runs, p is too small."

EPILOG = """\b
Examples:
  jitterlab anova CELLS.csv --formula "latency ~ network * size"
  jitterlab anova CELLS.csv --formula "latency ~ network + size" --type 3 --json
  jitterlab anova RECORDING
  jitterlab anova RECORDING --statistic p99 --formula "latency ~ policy * load"
  jitterlab anova RECORDING --formula "log(latency) ~ policy"
  jitterlab anova RECORDING --dispersion
  jitterlab anova RECORDING --differences policy --statistic p99

\b
Factors are categories; 'a * b' is 'a + b + a:b'; put names with blanks or hyphens between backticks.
Types: 1 in the order of the formula; 2 each term after all that do not contain it; 3 each term after all
others, with sum-to-zero contrasts. A p too small for the machine is 0 in JSON ('p_text': '< 1e-300')."""


@click.command("anova", epilog=EPILOG)
@click.argument("source", metavar="CELLS.csv|RECORDING", type=click.Path(path_type=Path))
@click.option("--formula", metavar="FORMULA", help="The model; default: factors and their interactions.")
@click.option(
    "--type",
    "type_",
    type=click.Choice(["1", "2", "3"]),
    default="2",
    show_default=True,
    help="Sums of squares.",
)
@click.option(
    "--robust", is_flag=True, help="Allow unequal variances (HC3, type 3; of a RECORDING, its runs)."
)
@click.option("--response", metavar="NAME", help="RECORDING: the response; default: the first.")
@click.option(
    "--statistic", default="mean", show_default=True, help="RECORDING: what stands for a run (p99, …)."
)
@click.option("--dispersion", is_flag=True, help="RECORDING: what decides the jitter instead of the latency.")
@click.option("--differences", metavar="FACTOR", help="RECORDING: by how much the levels of a factor differ.")
@click.option(
    "--unit-of-analysis",
    "unit",
    type=click.Choice(["both", "run", "sample"]),
    default="both",
    show_default=True,
    help="RECORDING: what is taken as independent; JSON lists runs for 'both'.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the list of terms as JSON.")
def command(
    *,
    source: Path,
    formula: str | None,
    type_: str,
    robust: bool,
    response: str | None,
    statistic: str,
    dispersion: bool,
    differences: str | None,
    unit: str,
    as_json: bool,
) -> None:
    """Analyse the variance: which factor decides, how much, with what certainty.

    CELLS.csv holds the factors, then N, Mean and SD (or SE, Variance) of each combination, from any tool.
    RECORDING is a folder that 'jitterlab run' or 'jitterlab import' wrote: tested with samples as units,
    as papers do it, and with runs as units, which is the test to believe.
    """
    if not source.is_dir():
        if response or dispersion or differences or statistic != "mean" or unit != "both":
            raise _no_recording(source)
        _of_table(source, formula, _type(type_), robust=robust, as_json=as_json)
        return
    import jitterlab
    from jitterlab.analysis.cells import cells

    recording = jitterlab.open(source)
    found = cells(recording, response or recording.responses[0].name)
    if differences:
        _differences(found, differences, statistic, as_json=as_json)
    elif robust:
        _robust(found, formula, "log_sd" if dispersion else statistic, as_json=as_json)
    else:
        _factorial(found, formula, statistic, _type(type_), unit, dispersion=dispersion, as_json=as_json)


def _no_recording(source: Path) -> "InputError":
    from jitterlab.errors import InputError

    return InputError(
        f"{source} is no recording, and the options for recordings need one",
        "leave them out, or name a folder written by 'jitterlab run'",
    )


def _type(text: str) -> Type:
    types: dict[str, Type] = {"1": 1, "2": 2, "3": 3}
    return types[text]


def _of_table(source: Path, formula: str | None, type_: Type, *, robust: bool, as_json: bool) -> None:
    from jitterlab.analysis.anova import anova
    from jitterlab.analysis.anovatext import as_text, robust_as_text
    from jitterlab.analysis.robust import wald

    groups, model = _table(source, formula)
    if robust:
        tests = wald(groups, model)
        _print([test.to_dict() for test in tests], robust_as_text(str(model), tests), as_json=as_json)
        return
    result = anova(groups, model, type_)
    _print([term.to_dict() for term in result.terms], f"{as_text(result)}\n{_SAMPLES}", as_json=as_json)


def _table(source: Path, formula: str | None) -> "tuple[pd.DataFrame, Formula]":
    """The cells of a table and the model for them."""
    from jitterlab.analysis import celltable
    from jitterlab.analysis.formula import full, parse
    from jitterlab.errors import InputError

    model = parse(formula) if formula else None
    if model is not None and model.transform:
        raise InputError(
            f"{source} holds means: the mean of {model.left} cannot be had from them",
            "leave the transformation out, or analyse a recording",
        )
    table = celltable.read(source, model.factors if model else ())
    if not table.factors:
        raise InputError(f"{source} has no factor columns", "put them left of N, or name them by --formula")
    return table.groups, model or full("response", table.factors)


def _differences(cells: "Cells", factor: str, statistic: str, *, as_json: bool) -> None:
    from jitterlab.analysis.differences import differences

    found = differences(cells, factor, statistic)
    _print([one.to_dict() for one in found], "\n".join(one.sentence() for one in found), as_json=as_json)


def _robust(cells: "Cells", formula: str | None, statistic: str, *, as_json: bool) -> None:
    from jitterlab.analysis.anovatext import robust_as_text
    from jitterlab.analysis.factorial import analyse_robustly

    tests = analyse_robustly(cells, formula, statistic)
    _print(
        [test.to_dict() for test in tests],
        robust_as_text(f"{statistic} of {cells.response}", tests),
        as_json=as_json,
    )


def _factorial(
    cells: "Cells",
    formula: str | None,
    statistic: str,
    type_: Type,
    unit: str,
    *,
    dispersion: bool,
    as_json: bool,
) -> None:
    from jitterlab.analysis.anovatext import as_text
    from jitterlab.analysis.factorial import analyse, analyse_jitter

    result = (
        analyse_jitter(cells, formula, type_) if dispersion else analyse(cells, formula, statistic, type_)
    )
    parts = []
    if unit != "run":
        parts.append(as_text(result.samples))
    if unit != "sample":
        parts.append(as_text(result.runs) if result.runs else f"Runs as units: {result.refusal}")
    parts.append(result.components.sentence())
    _print(_rows(result, unit) if as_json else [], "\n\n".join(parts), as_json=as_json)


def _rows(result: "FactorialAnova", unit: str) -> list[dict[str, Any]]:
    """The terms of one table, each with what the other table says about it."""
    from jitterlab.errors import InputError

    tables: dict[str, Anova | None] = {"run": result.runs, "sample": result.samples}
    main, other = ("sample", "run") if unit == "sample" else ("run", "sample")
    chosen, second = tables[main], tables[other]
    if chosen is None:
        raise InputError(str(result.refusal), "analyse the samples with --unit-of-analysis sample")
    beside = {term.term: term.to_dict() for term in second.terms} if second else {}
    return [
        {**term.to_dict(), "unit_of_analysis": main, f"{other}s_as_units": beside.get(term.term)}
        for term in chosen.terms
    ]


def _print(rows: list[dict[str, Any]], text: str, *, as_json: bool) -> None:
    click.echo(json.dumps(rows, indent=2, allow_nan=False) if as_json else text)
