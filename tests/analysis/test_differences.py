# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.multitest import multipletests

from jitterlab.analysis.cells import Cells, group
from jitterlab.analysis.differences import Correction, adjust, differences
from jitterlab.analysis.factorial import analyse, default_formula
from jitterlab.errors import InputError
from tests.analysis.designs import cells_of, without

FACTORS = {"policy": ["other", "fifo", "deadline"], "load": ["none", "cpu"]}
LOADS = {"low": {"policy": "other", "load": "none"}, "high": {"policy": "fifo", "load": "none"}}


def noise(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    """Runs differ by 100 ns, blocks by 500 ns; fifo is 1000 ns faster, load adds 3000 ns."""
    centre = 10_000 + 500 * block + 3000 * (levels["load"] == "cpu") - 1000 * (levels["policy"] == "fifo")
    return rng.normal(centre + rng.normal(0, 100), 50, 40)


def test_differences_find_the_truth() -> None:
    found = {(d.reference, d.level): d for d in differences(cells_of(FACTORS, noise, replicates=4), "policy")}
    assert list(found) == [("other", "fifo"), ("other", "deadline"), ("fifo", "deadline")]
    fifo = found["other", "fifo"].contrast
    assert fifo.difference_interval is not None
    assert fifo.difference_interval[0] < -1000 < fifo.difference_interval[1] < 0
    assert fifo.verdict == "better"
    assert found["other", "deadline"].contrast.verdict == "cannot tell"
    assert found["other", "fifo"].n == 8
    assert "policy=fifo against other: better: the mean is" in found["other", "fifo"].sentence()


def test_blocks_are_taken_out() -> None:
    """Two cells in complete blocks: the paired t test of the blocks."""
    cells = cells_of(
        {"policy": ["other", "fifo"]}, lambda x, b, r: noise({**x, "load": ""}, b, r), replicates=6
    )
    (found,) = differences(cells, "policy")
    runs = cells.run_moments("mean").pivot_table(index="block", columns="policy", values="mean")
    expected = stats.ttest_rel(runs["fifo"], runs["other"])
    assert found.contrast.p == pytest.approx(float(expected.pvalue))
    interval = expected.confidence_interval()
    assert found.contrast.difference_interval == pytest.approx((interval.low, interval.high))


def test_a_control_that_repeats_a_combination_keeps_the_blocks() -> None:
    """Two combinations and the first again under another number: least squares with blocks."""
    cells = cells_of(
        {"policy": ["other", "fifo"]}, lambda x, b, r: noise({**x, "load": ""}, b, r), replicates=5
    )
    control = cells_of(
        {"policy": ["other"]}, lambda x, b, r: noise({**x, "load": ""}, b, r), replicates=5, seed=9
    )
    again = [replace(run, run=run.run + 100, cell=3) for run in control.runs]
    both = replace(cells, cells=group([*cells.runs, *again]))
    (found,) = differences(both, "policy")
    fit = ols("mean ~ policy + C(block)", both.run_moments()).fit()
    assert found.contrast.difference == pytest.approx(-fit.params["policy[T.other]"])
    assert (found.reference_n, found.n) == (10, 5)
    assert found.contrast.p == pytest.approx(fit.pvalues["policy[T.other]"], rel=0.5)
    assert default_formula(both).terms == (("policy",),)


def test_without_complete_blocks_it_is_the_test_of_welch() -> None:
    cells = without(
        cells_of({"policy": ["other", "fifo"]}, lambda x, b, r: noise({**x, "load": ""}, b, r), replicates=5),
        1,
    )
    (found,) = differences(cells, "policy", "median")
    runs = cells.run_moments("median").groupby("policy")["mean"]
    expected = stats.ttest_ind(runs.get_group("fifo"), runs.get_group("other"), equal_var=False)
    assert found.contrast.p == pytest.approx(float(expected.pvalue))
    assert (found.reference_n, found.n) == (4, 5)


def test_levels_are_compared_over_the_same_combinations() -> None:
    """`fifo` was never run under load: that it looks 1.5 us faster for that reason alone is not said."""
    cells = cells_of(FACTORS, noise, replicates=4)
    missing = [run.run for run in cells.runs if dict(run.levels) == {"policy": "fifo", "load": "cpu"}]
    found = differences(without(cells, *missing), "policy", reference="other")
    fifo = next(d for d in found if d.level == "fifo").contrast
    assert fifo.difference == pytest.approx(-1000, abs=300)


def test_levels_without_a_common_combination_are_refused() -> None:
    cells = cells_of({"policy": ["other", "fifo"], "load": ["none", "cpu"]}, noise)
    gone = [
        run.run for run in cells.runs if (run.levels["policy"] == "fifo") == (run.levels["load"] == "none")
    ]
    with pytest.raises(InputError, match="no combination of the other factors in common"):
        differences(without(cells, *gone), "policy")


def test_one_run_per_combination_is_compared_by_the_model() -> None:
    """Nothing repeats, so the additive model of the analysis of variance has the error."""
    cells = cells_of(FACTORS, noise, replicates=1)
    (found, *_) = differences(cells, "policy")
    fit = ols("mean ~ C(policy, Treatment('other')) + load", cells.run_moments()).fit()
    name = "C(policy, Treatment('other'))[T.fifo]"
    assert found.contrast.difference == pytest.approx(fit.params[name])
    assert found.contrast.p == pytest.approx(fit.pvalues[name])
    assert found.contrast.difference_interval == pytest.approx(tuple(fit.conf_int().loc[name]))
    assert found.contrast.method == "least squares over all runs"


def test_one_run_per_level_gives_no_interval() -> None:
    cells = cells_of({"policy": ["other", "fifo"]}, lambda x, b, r: r.normal(100, 9, 40), replicates=1)
    (found,) = differences(cells, "policy")
    assert found.contrast.difference_interval is None
    assert found.p_adjusted is None
    assert "measured only once" in (found.contrast.refusal or "")


def test_levels_of_a_screening_design_are_compared_by_the_model() -> None:
    """A half fraction of three factors: no two runs differ in one factor only."""
    full = cells_of(
        {name: ["low", "high"] for name in "abc"}, lambda x, b, r: noise({**x, **LOADS[x["a"]]}, b, r)
    )
    half = [run for run in full.runs if sum(level == "high" for level in run.levels.values()) % 2]
    cells = replace(full, cells=group(half))
    (found,) = differences(cells, "a")
    fit = ols("mean ~ C(block) + C(a, Treatment('low')) + b + c", cells.run_moments()).fit()
    name = "C(a, Treatment('low'))[T.high]"
    assert found.contrast.difference == pytest.approx(fit.params[name])
    assert found.contrast.difference_interval == pytest.approx(tuple(fit.conf_int().loc[name]))
    assert (found.reference_n, found.n) == (6, 6)
    assert found.contrast.ratio_interval is not None


def test_factors_inside_boots_are_compared_inside_boots() -> None:
    """Boots differ by 1000 ns, runs inside them by 10: as the second stratum of the split plot has it."""

    def boots(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
        boot = np.random.default_rng([block, len(levels["kernel"])]).normal(0, 1000)
        return rng.normal(10_000 + boot + 100 * (levels["load"] == "cpu") + rng.normal(0, 10), 1, 20)

    factors = {"kernel": ["rt", "generic"], "load": ["none", "cpu"]}
    cells = cells_of(factors, boots, replicates=4, between_boots=("kernel",))
    (found,) = differences(cells, "load")
    assert found.contrast.difference_interval is not None
    assert found.contrast.difference_interval == pytest.approx((100, 100), abs=25)
    runs = analyse(cells).runs
    assert runs is not None
    assert found.contrast.p == pytest.approx(runs["load"].p, rel=0.9)


def test_of_many_pairs_none_is_called_better_by_chance() -> None:
    """Twelve levels that do nothing: 66 pairs, some of whose intervals miss 0, and nothing is claimed."""
    cells = cells_of(
        {"slack": [f"{number}us" for number in range(12)]},
        lambda x, b, r: r.normal(1e4, 500, 30),
        replicates=4,
    )
    found = differences(cells, "slack")
    chance = [one for one in found if one.by_chance]
    assert chance
    assert {one.contrast.verdict for one in found} == {"cannot tell"}
    assert "; of 66 pairs one may look so by chance (p = 1)." in chance[0].sentence()


def test_p_values_are_corrected_for_the_number_of_pairs() -> None:
    found = differences(cells_of(FACTORS, noise), "policy")
    plain = [d.contrast.p for d in found]
    expected = multipletests(plain, method="holm")[1]
    assert [d.p_adjusted for d in found] == pytest.approx(list(expected))
    assert adjust([0.01, 0.04], "fdr_bh") == pytest.approx([0.02, 0.04])
    assert adjust([]) == []


@pytest.mark.parametrize("correction", ["holm", "fdr_bh"])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrected_p_values_equal_those_of_statsmodels(p: list[float], correction: Correction) -> None:
    expected = multipletests(p, method=correction)[1]
    assert adjust(p, correction) == pytest.approx(list(expected), abs=1e-12)


def test_intervals_cover_the_truth_with_three_runs() -> None:
    """3 replicates of 2 x 2 cells with different scatter: the interval of the main effect covers -1000 ns."""

    def uneven(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
        scatter = 300 if levels["load"] == "cpu" else 100
        centre = 10_000 + 300 * block - 1000 * (levels["policy"] == "fifo") + rng.normal(0, scatter)
        return np.array([centre])

    covered = 0
    studies = 200
    for seed in range(studies):
        cells = cells_of({"policy": ["other", "fifo"], "load": ["none", "cpu"]}, uneven, seed=seed)
        interval = differences(cells, "policy")[0].contrast.difference_interval
        covered += interval is not None and interval[0] <= -1000 <= interval[1]
    assert 0.90 <= covered / studies <= 0.99


def test_many_runs_are_resampled_reproducibly() -> None:
    cells = cells_of(
        {"policy": ["other", "fifo"]}, lambda x, b, r: noise({**x, "load": ""}, b, r), replicates=12
    )
    first, again, other = (differences(cells, "policy", seed=seed)[0].contrast for seed in (1, 1, 2))
    assert first.difference_interval == again.difference_interval != other.difference_interval


def test_factors_between_boots_are_compared_by_boots() -> None:
    def boots(levels: Mapping[str, str], block: int, rng: np.random.Generator) -> "NDArray[np.float64]":
        boot = np.random.default_rng([block, len(levels["kernel"])]).normal(0, 1000)
        return rng.normal(10_000 + boot, 10, 20)

    cells = cells_of(
        {"kernel": ["rt", "generic"], "load": ["none", "cpu", "disk"]},
        boots,
        replicates=5,
        between_boots=("kernel",),
    )
    (found,) = differences(cells, "kernel")
    assert (found.counted, found.n) == ("boot", 5)
    means = cells.run_moments().groupby(["block", "kernel"])["mean"].mean().unstack()
    expected = stats.ttest_rel(means["generic"], means["rt"])
    assert found.contrast.p == pytest.approx(float(expected.pvalue))


@pytest.mark.parametrize(
    ("factor", "reference", "message"),
    [("colour", None, "no factor 'colour'"), ("policy", "idle", "no level 'idle'")],
)
def test_what_is_not_there_is_refused(factor: str, reference: str | None, message: str) -> None:
    cells: Cells = cells_of(FACTORS, noise)
    with pytest.raises(InputError, match=message):
        differences(cells, factor, reference=reference)


def test_many_levels_measured_once_are_compared_with_few_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    inverse = Mock(wraps=np.linalg.pinv)
    monkeypatch.setattr(np.linalg, "pinv", inverse)
    levels = [f"{number}us" for number in range(20)]
    factors = {"interval": levels, "load": ["none", "cpu"]}
    cells = cells_of(factors, lambda x, b, r: noise({**x, "policy": ""}, b, r), replicates=1)
    assert len(differences(cells, "interval")) == 190
    assert 0 < inverse.call_count <= 4
