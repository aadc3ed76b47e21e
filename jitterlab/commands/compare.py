# SPDX-License-Identifier: Apache-2.0
"""`jitterlab compare`: two recordings or two groups of cells, side by side."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from jitterlab.analysis.compare import Comparison
    from jitterlab.recording import Recording

EPILOG = """\b
Examples:
  jitterlab compare BEFORE AFTER
  jitterlab compare BEFORE AFTER --statistic p99 --margin 5%
  jitterlab compare BEFORE AFTER --where load=none --json
  jitterlab compare RECORDING --cells policy=other --cells policy=fifo:80

\b
The first side is the reference; lower is better. Runs are compared inside matching cells. With --margin a
difference counts only beyond it; one that surely stays within it is 'no difference that matters'."""


@click.command("compare", epilog=EPILOG)
@click.argument("a", metavar="RECORDING", type=click.Path(path_type=Path))
@click.argument("b", metavar="[RECORDING]", required=False, type=click.Path(path_type=Path))
@click.option("--response", metavar="NAME", help="What to compare; default: the first response.")
@click.option("--where", multiple=True, metavar="FACTOR=LEVEL", help="Only runs with this level; repeatable.")
@click.option(
    "--cells", multiple=True, metavar="FACTOR=LEVEL[,…]", help="The cells of each side; give it twice."
)
@click.option(
    "--statistic", default="median", show_default=True, help="What the verdict goes by (mean, p99, sd, …)."
)
@click.option("--margin", default="0%", show_default=True, help="Relative difference that does not matter.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    *,
    a: Path,
    b: Path | None,
    response: str | None,
    where: tuple[str, ...],
    cells: tuple[str, ...],
    statistic: str,
    margin: str,
    as_json: bool,
) -> None:
    """Compare two recordings, or two groups of cells: better, worse, or cannot tell.

    Differences and ratios come with intervals over runs, and with the smallest effect that this comparison
    could have seen.
    """
    from jitterlab.analysis.compare import compare
    from jitterlab.analysis.sides import of_recording
    from jitterlab.errors import InputError
    from jitterlab.recording import Recording

    if len(cells) not in {0, 2} or (b is None and not cells):
        raise InputError("a comparison has two sides", "name two recordings, or one and --cells twice")
    limits, groups = _levels(where), [_levels(text.split(",")) for text in cells or ("", "")]
    opened = [Recording.open(a), Recording.open(b or a)]
    name = response or opened[0].responses[0].name
    sides = [
        of_recording(recording, _label(recording, text, alone=b is None), name, limits | group)
        for recording, text, group in zip(opened, cells or ("", ""), groups, strict=True)
    ]
    units = [next(known.unit for known in one.responses if known.name == name) for one in opened]
    if units[0] != units[1]:
        raise InputError(f"{name} is in {units[0]} in {a}, in {units[1]} in {b}", "compare what has one unit")
    chosen = {factor for group in groups for factor in group}
    match = [factor for factor in opened[0].factors if factor in opened[1].factors and factor not in chosen]
    result = compare(
        sides[0],
        sides[1],
        response=name,
        unit=units[0],
        match=match,
        primary=statistic,
        margin=_share(margin),
        interleaved=b is None,
        boots=[factor.name for factor in opened[0].manifest.factors if factor.between_boots],
    )
    machines = _machines(opened[0], opened[1])
    click.echo(json.dumps(_as_json(result, machines), indent=2) if as_json else _as_text(result, machines))


def _levels(texts: Iterable[str]) -> dict[str, str]:
    """The levels that `factor=level` texts choose."""
    from jitterlab.errors import InputError

    found: dict[str, str] = {}
    for text in texts:
        factor, equals, level = text.partition("=")
        if not text:
            continue
        if not (factor and equals and level):
            raise InputError(
                f"'{text}' does not choose a level", "write FACTOR=LEVEL, such as policy=fifo:80"
            )
        found[factor.strip()] = level.strip()
    return found


def _label(recording: "Recording", cells: str, *, alone: bool) -> str:
    """What a side is called."""
    if alone:
        return cells
    return f"{recording.path} ({cells})" if cells else str(recording.path)


def _share(text: str) -> float:
    """A relative difference from `5%` or `0.05`."""
    from jitterlab.errors import InputError

    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError as error:
        raise InputError(f"'{text}' is no margin", "write a margin such as 5%") from error


def _machines(a: "Recording", b: "Recording") -> dict[str, tuple[object, object]]:
    """In what the machines of two recordings differ, as far as their manifests say."""
    first, second = a.manifest.target, b.manifest.target
    names = [*first, *(name for name in second if name not in first)]
    return {
        name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)
    }


def _as_json(result: "Comparison", machines: dict[str, tuple[object, object]]) -> dict[str, object]:
    """The comparison as it goes into JSON."""
    from dataclasses import asdict

    return {
        "verdict": result.verdict,
        "sentence": result.sentence(),
        **asdict(result),
        "machines_differ": machines,
    }


def _as_text(result: "Comparison", machines: dict[str, tuple[object, object]]) -> str:
    """The comparison as the terminal prints it."""
    others = [found.sentence() for found in result.contrasts if found.statistic != result.primary]
    lines = [
        result.sentence(),
        "",
        f"Also, each by itself at {result.decisive.confidence:.0%} confidence:",
        *(f"  {sentence}" for sentence in others),
        "",
        result.shape(),
        *result.notes,
        *(f"The machines differ in {name}: {a} and {b}." for name, (a, b) in machines.items()),
    ]
    return "\n".join(lines)
