# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

from jitterlab.analysis.robust import Correction, wald, welch
from jitterlab.errors import InputError


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Unbalanced, with scatter that differs 1 : 20 between cells."""
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        [
            {"a": f"a{a}", "b": f"b{b}", "y": rng.normal(a + a * b, 0.5 + 3 * a * b)}
            for a in range(3)
            for b in range(3)
            for _ in range(3 + 2 * a + b)
        ]
    )


@pytest.fixture(scope="module")
def groups(rows: pd.DataFrame) -> pd.DataFrame:
    moments = rows.groupby(["a", "b"])["y"].agg(["size", "mean", "var"]).reset_index()
    return moments.rename(columns={"size": "n", "var": "variance"})


@pytest.mark.parametrize("correction", ["hc2", "hc3"])
@pytest.mark.parametrize("model", ["a * b", "a + b"])
def test_equals_statsmodels(
    rows: pd.DataFrame, groups: pd.DataFrame, model: str, correction: Correction
) -> None:
    text = model.replace("a", "C(a, Sum)").replace("b", "C(b, Sum)")
    expected = anova_lm(ols(f"y ~ {text}", rows).fit(), typ=3, robust=correction)
    found = wald(groups, f"y ~ {model}", correction)
    for test, (_, row) in zip(found, expected.iloc[1:-1].iterrows(), strict=True):
        assert pytest.approx(row["F"], rel=1e-9) == test.F
        assert test.p == pytest.approx(row["PR(>F)"], rel=1e-8)
        assert test.df == row["df"]
    assert found[0].error_df == expected.loc["Residual", "df"]


def test_welch_equals_statsmodels(rows: pd.DataFrame, groups: pd.DataFrame) -> None:
    expected = anova_oneway(rows["y"], rows["a"], use_var="unequal", welch_correction=True)
    found = welch(groups, "a")
    assert pytest.approx(expected.statistic) == found.F
    assert found.p == pytest.approx(expected.pvalue)
    assert found.df == 2
    assert found.error_df == pytest.approx(expected.df_denom)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 1}, "single value"),
        ({"variance": 0.0}, "all values of a combination are equal"),
    ],
)
def test_cells_without_scatter_are_refused(
    groups: pd.DataFrame, change: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        wald(groups.assign(**change), "y ~ a * b")
    with pytest.raises(InputError, match="has no scatter"):
        welch(groups.assign(mean=0.0, **change).iloc[::3], "a")


def test_a_wrong_scatter_is_refused(groups: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="cannot be computed"):
        wald(groups.assign(variance=[1.0] * 8 + [1e30]), "y ~ a")


def test_missing_cells_are_refused(groups: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="cannot tell all terms apart"):
        wald(groups.iloc[1:], "y ~ a * b")
