# SPDX-License-Identifier: Apache-2.0
"""`jitterlab anova`, as scripts and people call it."""

import io
import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import jitterlab
from jitterlab.cli import main
from tests.analysis.designs import cells_of
from tests.analysis.recorded import record

KEYS = {"term", "sum_sq", "df", "F", "p"}


@dataclass(frozen=True)
class Result:
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Result:
    """The command line in this process, as the installed command starts it."""
    out, error = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(error):
        patch.setattr(sys, "argv", ["jitterlab", "anova", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    return Result(int(ended.value.code or 0), out.getvalue(), error.getvalue())


def terms(*arguments: object) -> dict[str, dict[str, Any]]:
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert all(set(row) >= KEYS for row in found)
    return {row["term"]: row for row in found}


def robust(source: Path) -> dict[str, dict[str, Any]]:
    return {row["term"]: row for row in json.loads(run(source, "--robust", "--json").stdout)}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    return pd.DataFrame(
        [
            {
                "network": network,
                "size": size,
                "latency": rng.gamma(4, 10 + (network == "loaded") * int(size)),
            }
            for network in ("loaded", "unloaded")
            for size in ("1", "2", "4")
            for _ in range(20 + 3 * int(size))
        ]
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, rows: pd.DataFrame) -> Path:
    path = tmp_path_factory.mktemp("table") / "cells.csv"
    groups = rows.groupby(["network", "size"])["latency"]
    cells = groups.agg(n="count", mean="mean", sd="std").reset_index()
    cells.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def samples(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
        return rng.normal(20_000 + 4000 * (levels["policy"] == "other") + rng.normal(0, 100), 500, 120)

    cells = cells_of({"policy": ["other", "fifo:80"], "load": ["none", "cpu:all"]}, samples)
    return record(tmp_path_factory.mktemp("anova") / "recording", cells).path


@pytest.mark.parametrize("type_", [1, 2, 3])
def test_a_table_gives_what_statsmodels_gives_on_raw_rows(
    rows: pd.DataFrame, table: Path, type_: int
) -> None:
    found = terms(table, "--formula", "latency ~ network * size", "--type", type_)
    expected = anova_lm(ols("latency ~ C(network, Sum) * C(size, Sum)", rows).fit(), typ=type_)
    for name in ("network", "size", "network:size"):
        row = expected.loc[":".join(f"C({factor}, Sum)" for factor in name.split(":"))]
        assert found[name]["sum_sq"] == pytest.approx(row["sum_sq"], rel=1e-9)
        assert found[name]["F"] == pytest.approx(row["F"], rel=1e-9)
        assert found[name]["p"] == pytest.approx(row["PR(>F)"], rel=1e-8)
        assert found[name]["df"] == row["df"]
    assert found["Residual"]["df"] == len(rows) - 6
    assert (found["Residual"]["F"], found["Residual"]["p"]) == (None, None)


def test_a_table_that_allows_unequal_variances(rows: pd.DataFrame, table: Path) -> None:
    found = robust(table)
    expected = anova_lm(ols("latency ~ C(network, Sum) * C(size, Sum)", rows).fit(), typ=3, robust="hc3")
    assert found["network"]["F"] == pytest.approx(expected.loc["C(network, Sum)", "F"], rel=1e-9)
    assert "HC3" in run(table, "--robust").stdout


def test_runs_of_a_recording_that_may_scatter_unequally(recording: Path) -> None:
    raw = jitterlab.open(recording).samples.to_pandas()
    means = raw.groupby(["run", "policy", "load"], observed=True)["latency"].mean().reset_index()
    means["block"] = (means["run"] + 3) // 4
    fit = ols("latency ~ C(block, Sum) + C(policy, Sum) * C(load, Sum)", means).fit()
    expected = anova_lm(fit, typ=3, robust="hc3")
    assert robust(recording)["policy"]["F"] == pytest.approx(expected.loc["C(policy, Sum)", "F"])
    assert "mean of latency   (Wald tests, HC3" in run(recording, "--robust").stdout


def test_differences_of_levels(recording: Path) -> None:
    (found,) = json.loads(run(recording, "--differences", "policy", "--json").stdout)
    assert (found["reference"], found["level"]) == ("other", "fifo:80")
    assert found["contrast"]["verdict"] == "better"
    assert run(recording, "--differences", "policy").stdout == found["sentence"] + "\n"


def test_a_recording_is_tested_with_samples_and_with_runs(recording: Path) -> None:
    found = terms(recording)
    raw = jitterlab.open(recording).samples.to_pandas()
    samples = anova_lm(ols("latency ~ C(policy) * C(load)", raw).fit(), typ=2)
    means = raw.groupby(["run", "policy", "load"], observed=True)["latency"].mean().reset_index()
    means["block"] = (means["run"] + 3) // 4
    runs = anova_lm(ols("latency ~ C(block) + C(policy) * C(load)", means).fit(), typ=2)
    assert found["policy"]["unit_of_analysis"] == "run"
    assert found["policy"]["F"] == pytest.approx(runs.loc["C(policy)", "F"])
    beside = found["policy:load"]["samples_as_units"]
    assert beside["F"] == pytest.approx(samples.loc["C(policy):C(load)", "F"])
    assert terms(recording, "--unit-of-analysis", "sample")["policy"]["F"] == pytest.approx(
        samples.loc["C(policy)", "F"]
    )
    text = run(recording).stdout
    assert "1,440 samples as units" in text
    assert "12 runs as units" in text
    assert "worth" in text


def test_percentiles_transformations_and_dispersion_of_a_recording(recording: Path) -> None:
    assert "p90 of latency ~ block + policy" in run(recording, "--statistic", "p90").stdout
    assert "log(latency) ~ policy" in run(recording, "--formula", "log(latency) ~ policy").stdout
    text = run(recording, "--dispersion").stdout
    assert "|latency - median| ~" in text
    assert "log_sd of latency ~" in text
    assert run(recording, "--unit-of-analysis", "sample").stdout.count("as units") == 1


def test_the_installed_command(table: Path) -> None:
    command = [str(Path(sys.executable).parent / "jitterlab"), "anova", str(table)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert result.stdout == run(table).stdout


def test_too_small_a_p_is_said(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("a,n,mean,sd\nx,10000,1,1\ny,10000,3,1\n")
    text = run(path).stdout
    assert "< 1e-300" in text
    assert "where these come from few runs, p is too small" in text
    assert terms(path)["a"]["p"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--formula", "latency ~ Network"], "capital letters count"),
        (["--formula", "latency ~ network *"], "not expected there"),
        (["--formula", "log(latency) ~ network"], "the mean of log(latency) cannot be had"),
        (["--response", "latency"], "is no recording"),
        (["--statistic", "p99"], "is no recording"),
        (["--type", "4"], "'4' is not one of"),
    ],
)
def test_wrong_use_of_a_table(table: Path, arguments: list[str], message: str) -> None:
    result = run(table, *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--differences", "colour"], "no factor 'colour' was varied"),
        (["--response", "colour"], "no response 'colour'"),
        (["--formula", "latency ~ colour"], "no factor 'colour'"),
        (["--statistic", "p99.99", "--json"], "needs at least 10000"),
        (["--statistic", "best"], "there is no statistic 'best'"),
    ],
)
def test_wrong_use_of_a_recording(recording: Path, arguments: list[str], message: str) -> None:
    result = run(recording, *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_what_is_neither_table_nor_recording(tmp_path: Path) -> None:
    assert "No such file" in run(tmp_path / "none.csv").stderr
    assert run(tmp_path).returncode == 2
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    assert "is no text file" in run(tmp_path / "binary.csv").stderr
    (tmp_path / "bare.csv").write_text("n,mean,sd\n2,1,1\n")
    assert "has no factor columns" in run(tmp_path / "bare.csv").stderr
    (tmp_path / "one.csv").write_text("a,n,mean,sd\nx,2,1,1\n")
    assert "factor 'a' has only one level (x)" in run(tmp_path / "one.csv").stderr
