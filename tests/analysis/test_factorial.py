# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from jitterlab.analysis.cells import Cells, group
from jitterlab.analysis.components import components
from jitterlab.analysis.factorial import analyse, analyse_jitter, analyse_robustly, default_formula
from jitterlab.errors import InputError
from jitterlab.recording import Counts
from tests.analysis.designs import cells_of, without

FACTORS = {"policy": ["other", "fifo"], "load": ["none", "cpu", "disk"]}


def policy_decides(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    """Policy decides the latency, load the jitter; runs and blocks differ by themselves."""
    centre = 20_000 + 200 * block + 5000 * (levels["policy"] == "other") + rng.normal(0, 100)
    scatter = {"none": 100, "cpu": 400, "disk": 100}[levels["load"]]
    return np.maximum(rng.normal(centre, scatter, 80), 1)


@pytest.fixture(scope="module")
def study() -> Cells:
    return cells_of(FACTORS, policy_decides, replicates=4)


def raw(cells: Cells) -> pd.DataFrame:
    """One row per sample."""
    parts = [
        pd.DataFrame(
            {
                **run.levels,
                "run": run.run,
                "block": str(run.block),
                "y": np.repeat(run.counts.values, run.counts.counts),
            }
        )
        for run in cells.runs
    ]
    return pd.concat(parts)


def test_samples_and_runs_side_by_side(study: Cells) -> None:
    found = analyse(study)
    rows = raw(study)
    samples = anova_lm(ols("y ~ policy * load", rows).fit(), typ=2)
    means = rows.groupby(["run", "block", "policy", "load"])["y"].mean().reset_index()
    runs = anova_lm(ols("y ~ block + policy * load", means).fit(), typ=2)
    assert found.runs is not None
    for name in ("policy", "load", "policy:load"):
        assert pytest.approx(samples.loc[name, "F"], rel=1e-9) == found.samples[name].F
        assert pytest.approx(runs.loc[name, "F"], rel=1e-9) == found.runs[name].F
    assert found.runs["block"].kind == "block"
    assert (found.samples.unit_of_analysis, found.samples.n) == ("sample", 24 * 80)
    assert (found.runs.unit_of_analysis, found.runs.n, found.runs.response) == ("run", 24, "mean of latency")


def test_quantiles_of_runs_as_response(study: Cells) -> None:
    found = analyse(study, "latency ~ policy", "p95").runs
    rows = raw(study).groupby(["run", "block", "policy"])["y"]
    quantiles = rows.agg(lambda y: np.quantile(y, 0.95, method="inverted_cdf")).reset_index()
    expected = anova_lm(ols("y ~ block + policy", quantiles).fit(), typ=2)
    assert found is not None
    assert pytest.approx(expected.loc["policy", "F"]) == found["policy"].F


def test_the_logarithm_of_samples(study: Cells) -> None:
    found = analyse(study, "log(latency) ~ policy + load", type=3)
    expected = anova_lm(ols("np.log(y) ~ C(policy, Sum) + C(load, Sum)", raw(study)).fit(), typ=3)
    assert found.samples["load"].sum_sq == pytest.approx(expected.loc["C(load, Sum)", "sum_sq"])
    assert found.samples.response == "log(latency)"


def test_jitter_is_attributed_to_what_makes_it(study: Cells) -> None:
    found = analyse_jitter(study)
    assert found.runs is not None
    assert (found.runs["load"].p or 1) < 1e-6
    assert (found.runs["policy"].p or 0) > 0.01
    assert found.runs.response == "log_sd of latency"
    assert found.samples.response == "|latency - median|"


def test_dispersion_takes_no_transformation(study: Cells) -> None:
    with pytest.raises(InputError, match=r"the dispersion of log\(latency\) is not analysed"):
        analyse_jitter(study, "log(latency) ~ policy")


def test_dispersion_of_one_factor_is_the_test_of_brown_and_forsythe(study: Cells) -> None:
    one = cells_of({"load": FACTORS["load"]}, lambda x, b, r: policy_decides({**x, "policy": ""}, b, r))
    found = analyse_jitter(one).samples["load"]
    groups = [group["y"].to_numpy(float) for _, group in raw(one).groupby("load")]
    expected = stats.levene(*groups, center="median")
    assert pytest.approx(float(expected.statistic), rel=1e-9) == found.F
    assert found.p == pytest.approx(float(expected.pvalue), rel=1e-8)


def test_one_run_per_combination_spends_the_interaction_on_the_error(study: Cells) -> None:
    once = without(study, *range(7, 25))
    assert str(default_formula(once)) == "latency ~ policy + load"
    runs = analyse(once).runs
    assert runs is not None
    assert (runs.residual.df, runs["policy"].error) == (2, "Residual")
    assert str(default_formula(study)) == "latency ~ policy + load + policy:load"


def test_a_block_that_leaves_no_error_is_dropped() -> None:
    two = cells_of({"policy": ["other", "fifo"]}, lambda x, b, r: r.normal(100 * b, 10, 20), replicates=2)
    runs = analyse(without(two, 1, 4)).runs
    assert runs is not None
    assert [term.term for term in runs.terms] == ["policy", "Residual"]


def test_blocks_that_hold_one_level_are_left_out_and_it_is_said(study: Cells) -> None:
    """As imported runs may be: all of one policy, then all of the other."""
    sorted_runs = [replace(run, block=1 + (run.levels["policy"] == "fifo")) for run in study.runs]
    runs = analyse(replace(study, cells=group(sorted_runs))).runs
    assert runs is not None
    assert [term.term for term in runs.terms] == ["policy", "load", "policy:load", "Residual"]
    assert "drift over time may pass as an effect" in runs.notes[-1]
    assert analyse_robustly(replace(study, cells=group(sorted_runs)))[0].term == "policy"


def test_a_block_per_run_is_no_block(study: Cells) -> None:
    alone = replace(study, cells=group([replace(run, block=run.run) for run in study.runs]))
    runs = analyse(alone).runs
    assert runs is not None
    assert [term.term for term in runs.terms] == ["policy", "load", "policy:load", "Residual"]
    assert runs.notes == ()


def test_two_runs_say_nothing_with_runs_as_units(study: Cells) -> None:
    two = cells_of({"policy": ["other", "fifo"]}, lambda x, b, r: r.normal(100, 10, 20), replicates=1)
    found = analyse(two)
    assert found.runs is not None
    assert found.runs["policy"].F is None
    assert "Nothing is left to estimate the error with" in found.runs.notes[0]
    assert found.samples["policy"].F is not None


def test_runs_too_short_for_a_percentile_are_refused_by_reason(study: Cells) -> None:
    found = analyse(study, statistic="p99")
    assert found.runs is None
    assert found.refusal is not None
    assert "run 1 has 80 samples, but p99 needs at least 100" in found.refusal
    assert found.to_dict()["runs"] is None


def test_factors_between_boots_are_tested_against_boots(study: Cells) -> None:
    runs = analyse(replace(study, between_boots=("policy",))).runs
    assert runs is not None
    assert runs["policy"].error == "Residual (boots)"
    assert runs["load"].error == "Residual"


def test_robust_tests_know_no_boots(study: Cells) -> None:
    assert [test.term for test in analyse_robustly(study)] == ["block", "policy", "load", "policy:load"]
    with pytest.raises(InputError, match="policy changes by a boot"):
        analyse_robustly(replace(study, between_boots=("policy",)))


@pytest.mark.parametrize(
    ("formula", "message"),
    [("latency ~ colour", "no factor 'colour'"), ("size ~ policy", "names the response 'size'")],
)
def test_formulas_that_do_not_fit_are_refused(study: Cells, formula: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        analyse(study, formula)


def test_a_study_without_factors_is_refused(study: Cells) -> None:
    alone = cells_of({"policy": ["fifo"]}, lambda x, b, r: r.normal(100, 10, 20))
    with pytest.raises(InputError, match="no factor of the recording has two levels"):
        analyse(alone)


def test_variance_components_recover_the_truth() -> None:
    """Runs scatter by 300 ns, samples by 400 ns: a quarter of ... 9 / 25 of the variance is between runs."""
    many = cells_of(
        {"policy": ["other", "fifo"]},
        lambda _, block, rng: rng.normal(10_000 + rng.normal(0, 300), 400, int(rng.integers(50, 150))),
        replicates=200,
    )
    found = components(many)
    assert found.intraclass == pytest.approx(9 / 25, abs=0.04)
    assert found.samples == pytest.approx(400**2, rel=0.02)
    assert found.effective == pytest.approx(25 / 9, abs=0.3)
    assert "of the scatter is between runs of the same settings" in found.sentence()


def test_variance_components_need_repeated_runs(study: Cells) -> None:
    found = components(without(study, *range(7, 25)))
    assert (found.runs, found.intraclass, found.effective) == (None, None, None)
    assert found.sentence() == "How much runs differ is not known: no combination was run twice."


def test_runs_too_short_for_a_statistic_are_left_out_and_named(study: Cells) -> None:
    """A run that was interrupted after three samples does not take the answer about all others away."""
    short = [replace(run, counts=Counts.of([9, 10, 11])) if run.run == 5 else run for run in study.runs]
    found = analyse(replace(study, cells=group(short)), statistic="p90").runs
    assert found is not None
    assert found.n == 23
    assert found.notes[-1] == "Left out, because p90 needs 10 samples: run 5 (3 samples)."
    assert len(analyse_robustly(replace(study, cells=group(short)), statistic="p90")) == 4


def test_runs_of_one_sample_do_not_tell_what_is_inside_runs() -> None:
    found = components(cells_of(FACTORS, lambda x, b, r: r.normal(1000, 10, 1)))
    assert found.intraclass is None
    assert found.sentence() == "How much runs differ is not known: runs hold one sample."
