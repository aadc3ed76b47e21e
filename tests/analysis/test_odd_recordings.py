# SPDX-License-Identifier: Apache-2.0
"""Odd but valid recordings: every command answers or refuses with a remedy, and its JSON is JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cells, group
from jitterlab.analysis.findings import findings
from jitterlab.commands import anova, compare
from jitterlab.errors import JitterlabError
from tests.analysis.designs import cells_of, without
from tests.analysis.recorded import record

TWO = {"a": ["x", "y"], "b": ["p", "q"]}
Runs = Callable[[Mapping[str, str], int, np.random.Generator], "NDArray[np.float64]"]


def lognormal(levels: Mapping[str, str], _: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    return rng.lognormal(8.5 + 0.2 * (levels.get("a") == "y"), 0.2, 150)


def constant(levels: Mapping[str, str], _: int, __: np.random.Generator) -> "NDArray[np.float64]":
    return np.full(150, 5000.0 + 1000 * (levels["a"] == "y"))


def interrupted(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    return lognormal(levels, block, rng)[: 1 if (block, levels["a"]) == (1, "x") else None]


def one_constant(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    return (constant if set(levels.values()) == {"x", "p"} else lognormal)(levels, block, rng)


def controlled() -> Cells:
    cells = cells_of(TWO, lognormal)
    again = [replace(run, run=run.run + 100, cell=5) for run in cells.cells[0].runs]
    return replace(cells, cells=group([*cells.runs, *again]))


STUDIES: dict[str, Cells] = {
    "one run": cells_of({"a": ["x"]}, lognormal, replicates=1),
    "no factors": cells_of({}, lognormal),
    "a level without runs": without(cells_of({"a": ["x", "y"]}, lognormal, replicates=2), 2, 4),
    "all but one failed": without(cells_of(TWO, lognormal, replicates=1), 1, 2, 3),
    "one replicate": cells_of(TWO, lognormal, replicates=1),
    "twelve levels": cells_of({"a": list("abcdefghijkl")}, lognormal, replicates=2),
    "unbalanced": without(cells_of(TWO, lognormal, replicates=4), 2, 6, 10, 1),
    "a missing combination": without(cells_of(TWO, lognormal), 4, 8, 12),
    "a half fraction": without(cells_of({**TWO, "c": ["m", "n"]}, lognormal, replicates=1), 1, 4, 6, 7),
    "a control": controlled(),
    "boots": cells_of(TWO, lognormal, between_boots=("a",)),
    "one boot each": cells_of(TWO, lognormal, replicates=1, between_boots=("a",)),
    "equal runs": cells_of(TWO, constant),
    "nothing but zeros": cells_of(TWO, lambda x, b, r: np.zeros(150)),
    "a constant combination": cells_of(TWO, one_constant),
    "negative": cells_of(TWO, lambda x, b, r: lognormal(x, b, r) - 9000),
    "far from zero": cells_of(TWO, lambda x, b, r: np.rint(lognormal(x, b, r)) + 2.0**50),
    "interrupted": cells_of(TWO, interrupted),
    "single samples": cells_of(TWO, lambda x, b, r: lognormal(x, b, r)[:1]),
}  # fmt: skip


@pytest.fixture(params=STUDIES)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return record(tmp_path / "recording", STUDIES[request.param]).path


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--dispersion"],
        ["--statistic", "p99", "--type", "3"],
        ["--robust"],
        ["--differences", "a", "--statistic", "median"],
    ],
    ids=" ".join,
)
def test_anova_answers_or_refuses(folder: Path, arguments: list[str]) -> None:
    answered(anova.command, str(folder), *arguments)


def test_compare_answers_or_refuses(folder: Path) -> None:
    answered(compare.command, str(folder), str(folder), "--margin", "5%")
    answered(compare.command, str(folder), "--cells", "a=x", "--cells", "a=y")


def test_findings_answer(folder: Path) -> None:
    from jitterlab.recording import Recording

    found = findings(Recording.open(folder))
    json.dumps(found.to_dict(), allow_nan=False, default=str)
    assert found.answers[0].sentences


def answered(command: object, *arguments: str) -> None:
    for options in ([], ["--json"]):
        result = CliRunner().invoke(command, [*arguments, *options])  # type: ignore[arg-type]
        if isinstance(result.exception, JitterlabError):
            assert result.exception.remedy
        else:
            assert result.exit_code == 0, result.exception
            assert not options or json.loads(result.output, parse_constant=no_number)


def no_number(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")
