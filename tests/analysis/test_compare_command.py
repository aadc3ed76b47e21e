# SPDX-License-Identifier: Apache-2.0
"""`jitterlab compare` on real recordings."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from jitterlab.commands.compare import command
from jitterlab.errors import InputError
from tests.analysis.designs import cells_of
from tests.analysis.recorded import record

FACTORS = {"load": ["none", "cpu:all"], "policy": ["other", "fifo:80"]}


def recording(path: Path, factor: float, seed: int, replicates: int = 3) -> str:
    """A recording in which fifo:80 halves the latency, load doubles it, and runs differ by 2 %."""

    def samples(levels: Any, _: int, rng: np.random.Generator) -> Any:
        level = 20_000 * factor * (2 if levels["load"] == "cpu:all" else 1)
        level /= 2 if levels["policy"] == "fifo:80" else 1
        return rng.normal(level * (1 + 0.02 * rng.normal()), level / 20, 400)

    path.mkdir()
    record(path / "recording", cells_of(FACTORS, samples, replicates=replicates, seed=seed))
    return str(path / "recording")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recording(tmp_path_factory.mktemp("recordings") / "before", 1.0, 1)


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recording(tmp_path_factory.mktemp("recordings") / "after", 1.1, 2)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=True)


def test_two_recordings(before: str, after: str) -> None:
    result = run(before, after)
    assert result.exit_code == 0, result.output
    first, *rest = result.output.splitlines()
    assert first.startswith("Worse: the median is 24.")
    assert first.endswith(f"(latency; 12 runs of {after} against 12 runs of {before}).")
    assert any(line.startswith("  The p99.9 is not compared.") for line in rest)
    assert any(line.startswith("The distributions differ most at") for line in rest)
    assert "recorded at different times" in rest[-1]


def test_json_has_what_a_script_needs(before: str, after: str) -> None:
    result = run(before, after, "--statistic", "p99", "--json")
    found = json.loads(result.output)
    assert found["verdict"] == "worse"
    assert found["primary"] == "p99"
    assert found["units_of_analysis"] == "runs"
    assert found["cells"] == 4
    assert found["machines_differ"] == {}
    p99 = next(one for one in found["contrasts"] if one["statistic"] == "p99")
    assert p99["ratio_interval"][0] < p99["ratio"] < p99["ratio_interval"][1]
    assert p99["detectable"] > 0
    assert 0 < found["distances"]["kolmogorov_smirnov"] < 1


def test_two_groups_of_cells_of_one_recording_are_matched_by_the_other_factors(before: str) -> None:
    result = run(before, "--cells", "policy=other", "--cells", "policy=fifo:80")
    assert "-50" in result.output
    assert result.output.startswith("Better: ")
    assert "6 runs of policy=fifo:80 against 6 runs of policy=other" in result.output
    assert "mixes" not in result.output
    assert "different times" not in result.output


def test_cells_across_recordings_and_conditions(before: str, after: str) -> None:
    result = run(
        before, after, "--cells", "policy=other", "--cells", "policy=fifo:80", "--where", "load=none"
    )
    assert f"3 runs of {after} (policy=fifo:80) against 3 runs of {before} (policy=other)" in result.output


def test_a_margin_makes_small_differences_not_matter(before: str, after: str) -> None:
    assert run(before, after, "--margin", "30%").output.startswith("No difference that matters: ")
    assert run(before, after, "--margin", "0.3").output.startswith("No difference that matters: ")


def test_single_runs_are_compared_from_their_samples(tmp_path: Path) -> None:
    a = recording(tmp_path / "a", 1.0, 3, replicates=1)
    b = recording(tmp_path / "b", 1.3, 4, replicates=1)
    result = run(a, b, "--where", "load=none", "--where", "policy=other")
    assert result.output.startswith("Worse: ")
    assert "true of these runs, not of their settings" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "two sides"),
        (["--cells", "policy=other"], "two sides"),
        (["--cells", "policy", "--cells", "policy=other"], "'policy' does not choose a level"),
        (["--cells", "policy=other", "--cells", "policy=rr:1"], "no level 'rr:1'"),
        (["--cells", "speed=1", "--cells", "speed=2"], "no factor 'speed'"),
    ],
)
def test_sides_that_are_none_are_wrong_input(before: str, arguments: list[str], message: str) -> None:
    error = run(before, *arguments).exception
    assert isinstance(error, InputError)
    assert message in str(error)
    assert error.remedy


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--margin", "much"], "'much' is no margin"),
        (["--margin", "200%"], "not from 0 to 1"),
        (["--margin", "nan"], "not from 0 to 1"),
        (["--statistic", "best"], "no statistic 'best'"),
        (["--response", "speed"], "no response 'speed'"),
        (["--where", "=none"], "does not choose a level"),
    ],
)
def test_wrong_options_are_wrong_input(before: str, after: str, arguments: list[str], message: str) -> None:
    error = run(before, after, *arguments).exception
    assert isinstance(error, InputError)
    assert message in str(error)


def test_a_recording_that_is_not_there_is_wrong_input(before: str, tmp_path: Path) -> None:
    error = run(before, str(tmp_path / "absent")).exception
    assert isinstance(error, InputError)
    assert "absent" in str(error)
