# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from jitterlab.analysis.formula import parse
from jitterlab.analysis.splitplot import split_plot
from jitterlab.errors import InputError

MODEL = parse("y ~ block + kernel * load")


def runs(seed: int = 1, boots: int = 4, per_combination: int = 1, boot_sd: float = 5.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for block in range(boots):
        for kernel in ("rt", "generic"):
            boot = rng.normal(0, boot_sd)
            for load in ("none", "cpu", "disk"):
                for _ in range(per_combination):
                    value = boot + (load == "cpu") * 2 + rng.normal()
                    rows.append({"block": str(block), "kernel": kernel, "load": load, "mean": value})
    return pd.DataFrame(rows).assign(n=1, variance=0.0)


def slope(load: str, raw: pd.DataFrame) -> "pd.Series[int]":
    return ((raw["kernel"] == "rt") & (raw["load"] == load)).astype(int)


def test_terms_inside_boots_equal_an_analysis_with_boots_as_blocks() -> None:
    table = runs(per_combination=2).drop(index=[0, 7, 20])
    result = split_plot(table, MODEL, ("kernel",))
    raw = table.assign(y=table["mean"], boot=table["block"] + table["kernel"])
    boots, loads, full = (
        ols(f"y ~ C(boot){more}", raw.assign(rt_cpu=slope("cpu", raw), rt_disk=slope("disk", raw))).fit()
        for more in ("", " + C(load)", " + C(load) + rt_cpu + rt_disk")
    )
    assert result["load"].sum_sq == pytest.approx(boots.ssr - loads.ssr)
    assert result["kernel:load"].sum_sq == pytest.approx(loads.ssr - full.ssr)
    assert result["Residual"].sum_sq == pytest.approx(full.ssr)
    assert result["Residual"].df == full.df_resid
    assert "approximate" in result.notes[1]


def test_a_kernel_without_effect_is_not_found() -> None:
    """Boots differ, kernels do not: a test of runs alarms often, the test against boots 1 in 20 times."""
    studies = 150
    naive = honest = 0
    for seed in range(studies):
        table = runs(seed)
        honest += (split_plot(table, MODEL, ("kernel",))["kernel"].p or 1) < 0.05
        raw = table.assign(y=table["mean"])
        naive += anova_lm(ols("y ~ block + kernel * load", raw).fit(), typ=2).loc["kernel", "PR(>F)"] < 0.05
    assert honest / studies < 0.12
    assert naive / studies > 0.3


def test_one_boot_of_each_leaves_kernels_untested() -> None:
    result = split_plot(runs(boots=1, per_combination=2), parse("y ~ kernel * load"), ("kernel",))
    assert (result["kernel"].F, result["Residual (boots)"].df) == (None, 0)
    assert result["load"].F is not None
    assert "No combination was booted twice" in result.notes[-1]


def test_incomplete_boots_take_no_part_in_the_test_of_kernels() -> None:
    complete = runs(boots=4)
    cut = complete.drop(index=[0])
    result = split_plot(cut, MODEL, ("kernel",))
    assert result["Residual (boots)"].df == 7 - 1 - 3 - 1
    assert "1 boot lacks" in result.notes[1]


def test_only_factors_between_boots() -> None:
    result = split_plot(runs(per_combination=2), parse("y ~ kernel"), ("kernel",))
    assert [term.term for term in result.terms] == ["kernel", "Residual (boots)", "Residual"]
    assert result["kernel"].error == "Residual (boots)"


def test_no_complete_boot_is_refused() -> None:
    table = runs(boots=2)
    scattered = table[(table["block"] == "0") == (table["load"] == "cpu")]
    with pytest.raises(InputError, match="no boot holds all 3 combinations of load"):
        split_plot(scattered, MODEL, ("kernel",))
