# SPDX-License-Identifier: Apache-2.0
"""The analysis of cells equals the analysis of the raw rows, by statsmodels and by published tables."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from jitterlab.analysis.anova import Anova, Type, anova
from jitterlab.errors import InputError

TYPES: tuple[Type, ...] = (1, 2, 3)
REFERENCE = {
    "a * b": "C(a, Sum) * C(b, Sum)",
    "a + b": "C(a, Sum) + C(b, Sum)",
    "b + a + a:b": "C(b, Sum) + C(a, Sum) + C(a, Sum):C(b, Sum)",
    "a": "C(a, Sum)",
    "a * b * c": "C(a, Sum) * C(b, Sum) * C(c, Sum)",
    "(a + b + c)**2": "(C(a, Sum) + C(b, Sum) + C(c, Sum))**2",
    "a + b + c + a:c": "C(a, Sum) + C(b, Sum) + C(c, Sum) + C(a, Sum):C(c, Sum)",
}


def grouped(rows: pd.DataFrame) -> pd.DataFrame:
    moments = rows.groupby(["a", "b", "c"])["y"].agg(["size", "mean", "var"]).reset_index()
    return moments.rename(columns={"size": "n", "var": "variance"})


def reference(rows: pd.DataFrame, formula: str, type_: int) -> Any:
    table = anova_lm(ols(f"y ~ {REFERENCE[formula]}", rows).fit(), typ=type_)
    names = [name.replace("C(", "").replace(", Sum)", "") for name in table.index]
    return table.set_axis(names, axis=0).drop(index="Intercept", errors="ignore")


def assert_equal(result: Anova, expected: Any, scale: float) -> None:
    """Relative to each value, or to the scatter where a sum of squares is almost nothing beside it."""
    assert [term.term for term in result.terms] == list(expected.index)
    for term in result.terms:
        row = expected.loc[term.term]
        assert term.sum_sq == pytest.approx(row["sum_sq"], rel=1e-9, abs=1e-12 * scale)
        assert term.df == row["df"]
        if term.kind == "error":
            assert (term.F, term.p) == (None, None)
        else:
            assert pytest.approx(row["F"], rel=1e-9, abs=1e-11) == term.F
            assert term.p == pytest.approx(row["PR(>F)"], rel=1e-8)


@st.composite
def unbalanced(draw: st.DrawFn) -> pd.DataFrame:
    """Raw rows of a design with 2-3 x 2-4 x 2 levels and 1 to 6 values per cell, several in the first."""
    seed = draw(st.integers(0, 2**32 - 1))
    levels = [draw(st.integers(2, 3)), draw(st.integers(2, 4)), 2]
    offset = draw(st.sampled_from([0.0, 100.0]))
    rng = np.random.default_rng(seed)
    rows = []
    for cell in np.ndindex(*levels):
        n = int(rng.integers(1, 7)) + (3 if cell == (0, 0, 0) else 0)
        mean = offset + rng.normal(0, 3)
        rows += [
            {"a": f"a{cell[0]}", "b": f"b{cell[1]}", "c": f"c{cell[2]}", "y": y}
            for y in rng.normal(mean, 1, n)
        ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("formula", REFERENCE)
@settings(max_examples=8, deadline=None)
@given(rows=unbalanced())
def test_equals_statsmodels_on_raw_rows(formula: str, type_: Type, rows: pd.DataFrame) -> None:
    expected = reference(rows.assign(y=rows["y"] - rows["y"].mean()), formula, type_)
    result = anova(grouped(rows), f"y ~ {formula}", type_)
    assert_equal(result, expected, float(expected["sum_sq"].sum()))


@pytest.mark.parametrize("type_", TYPES)
def test_missing_cells_of_a_model_that_can_be_estimated(type_: Type) -> None:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        [
            {"a": f"a{a}", "b": f"b{b}", "c": "c0", "y": rng.normal(a * b, 1)}
            for a, b in [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 2)]
            for _ in range(2 + a)
        ]
    )
    result = anova(grouped(rows), "y ~ a + b", type_)
    expected = reference(rows, "a + b", type_)
    assert_equal(result, expected, float(expected["sum_sq"].sum()))
    assert result.lack_of_fit.df == 6 - 5
    assert result.notes == ("3 combinations of levels have no data.",)


def test_missing_cells_cost_degrees_of_freedom_of_the_interaction() -> None:
    """Sums of squares of nested least-squares fits, with ranks counted: what R's anova() prints."""
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        [
            {"a": f"a{a}", "b": f"b{b}", "c": "c0", "y": rng.normal(a - b, 1)}
            for a, b in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
            for _ in range(3)
        ]
    )
    result = anova(grouped(rows), "y ~ a * b", 2)
    assert [(term.term, term.df) for term in result.terms] == [
        ("a", 1),
        ("b", 2),
        ("a:b", 1),
        ("Residual", 10),
    ]
    additive = ols("y ~ a + b", rows).fit().ssr
    within = sum(((cell["y"] - cell["y"].mean()) ** 2).sum() for _, cell in rows.groupby(["a", "b"]))
    assert result["a:b"].sum_sq == pytest.approx(additive - within, rel=1e-9)
    assert result["a"].sum_sq == pytest.approx(ols("y ~ b", rows).fit().ssr - additive, rel=1e-9)
    assert "1 of 2 degrees of freedom" in result.notes[0]
    assert "prefer type 2" in anova(grouped(rows), "y ~ a * b", 3).notes[-1]


def test_a_term_that_cannot_be_estimated_has_no_test() -> None:
    groups = pd.DataFrame({"a": ["0", "1"], "b": ["0", "1"], "n": 5, "mean": [1.0, 2.0], "variance": 1.0})
    result = anova(groups, "y ~ a + b", 2)
    assert (result["b"].df, result["b"].F, result["b"].p) == (0, None, None)
    assert "Of b 0 of 1 degrees of freedom" in result.notes[1]


def test_saturated_design_without_replicates_has_no_test() -> None:
    groups = pd.DataFrame({"a": ["0", "0", "1", "1"], "b": ["0", "1"] * 2, "n": 1, "mean": [1.0, 2, 3, 5]})
    result = anova(groups.assign(variance=0.0), "y ~ a * b")
    assert [term.F for term in result.terms] == [None] * 4
    assert result.residual.df == 0
    assert "no F and p" in result.notes[0]
    assert anova(groups.assign(variance=float("nan")), "y ~ a + b").residual.df == 1


def test_equal_values_have_no_test() -> None:
    groups = pd.DataFrame({"a": ["0", "1"], "n": 3, "mean": [1.0, 1.0], "variance": 0.0})
    result = anova(groups, "y ~ a")
    assert (result["a"].F, result["a"].eta_sq) == (None, None)
    assert "The model leaves no scatter" in result.notes[0]


def test_what_rounding_leaves_is_no_error_to_test_against() -> None:
    """Runs that agree to the last digit in every block: F would be the inverse of a rounding error."""
    rows = [
        {"block": block, "a": a, "b": b, "n": 1, "mean": 5000.1 + 1000.3 * (a == "1"), "variance": 0.0}
        for block in "123"
        for a in "01"
        for b in "01"
    ]
    result = anova(pd.DataFrame(rows), "y ~ block + a * b", unit_of_analysis="run")
    assert result.residual.sum_sq == 0
    assert [term.F for term in result.terms] == [None] * 5
    assert "The model leaves no scatter" in result.notes[-1]


def test_a_lost_run_is_no_missing_combination() -> None:
    rows = [
        {"block": block, "a": a, "n": 1, "mean": float(len(block)) + (a == "1"), "variance": 0.0}
        for block in ("1", "22", "333")
        for a in "01"
    ]
    assert not anova(pd.DataFrame(rows[1:]), "y ~ block + a").notes[0].startswith("1 combination")


def test_lack_of_fit_is_tested_against_pure_error() -> None:
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        [
            {"a": f"a{a}", "b": f"b{b}", "c": "c0", "y": rng.normal(a * b, 1)}
            for a in range(3)
            for b in range(3)
            for _ in range(1 + a + b)
        ]
    )
    result = anova(grouped(rows), "y ~ a + b")
    compared = anova_lm(ols("y ~ a + b", rows).fit(), ols("y ~ a * b", rows).fit()).iloc[1]
    assert pytest.approx(compared["F"]) == result.lack_of_fit.F
    assert result.lack_of_fit.p == pytest.approx(compared["Pr(>F)"])
    assert result.residual.sum_sq == pytest.approx(result.lack_of_fit.sum_sq + result.pure_error.sum_sq)


@settings(max_examples=20, deadline=None)
@given(rows=unbalanced())
def test_sequential_sums_add_up_to_the_total(rows: pd.DataFrame) -> None:
    result = anova(grouped(rows), "y ~ a * b * c", 1)
    assert sum(term.sum_sq for term in result.terms) == pytest.approx(result.total_sum_sq)
    assert result.total_sum_sq == pytest.approx(((rows["y"] - rows["y"].mean()) ** 2).sum())
    assert sum(term.df for term in result.terms) == len(rows) - 1


@settings(max_examples=20, deadline=None)
@given(rows=unbalanced())
def test_all_types_agree_in_balanced_designs(rows: pd.DataFrame) -> None:
    balanced = grouped(rows).assign(n=4)
    first, second, third = (anova(balanced.fillna(1.0), "y ~ a * b * c", type_) for type_ in TYPES)
    for term in first.terms:
        assert second[term.term].sum_sq == pytest.approx(term.sum_sq, rel=1e-8)
        assert third[term.term].sum_sq == pytest.approx(term.sum_sq, rel=1e-8)


def test_large_offsets_keep_their_digits() -> None:
    """Nanoseconds since 1970 with a scatter of a microsecond."""
    near = pd.DataFrame({"a": ["0", "1", "2"], "n": [5, 6, 7], "mean": [0.0, 512.0, 1024.0], "variance": 1e6})
    far = near.assign(mean=near["mean"] + 1.79e18)
    assert pytest.approx(anova(near, "y ~ a")["a"].F, rel=1e-12) == anova(far, "y ~ a")["a"].F


def test_effect_sizes_of_a_balanced_design() -> None:
    """By hand: 3 values around 0 and 3 around 2, each with variance 1: SS 6 between, 4 inside on 4 df."""
    groups = pd.DataFrame({"a": ["0", "1"], "n": 3, "mean": [0.0, 2.0], "variance": 1.0})
    term = anova(groups, "y ~ a")["a"]
    assert term.sum_sq == pytest.approx(6)
    assert pytest.approx(6) == term.F
    assert term.eta_sq == pytest.approx(0.6)
    assert term.partial_eta_sq == pytest.approx(0.6)
    assert term.share == pytest.approx(0.6)
    assert term.omega_sq == pytest.approx((6 - 1) / (10 + 1))


def test_omega_is_cut_off_at_zero_and_shares_add_up() -> None:
    groups = pd.DataFrame({"a": ["0", "1", "0", "1"], "b": ["0", "0", "1", "1"], "n": [2, 3, 4, 5]})
    result = anova(groups.assign(mean=[0, 0.1, 0, 0.1], variance=1.0), "y ~ a * b", 3)
    assert result["b"].omega_sq == 0
    assert sum(term.share or 0 for term in result.terms) == pytest.approx(1)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": ["0", "1"], "n": [0, 2], "mean": 1.0, "variance": 1.0}, "row 1"),
        ({"a": ["0", "1"], "n": 2, "mean": [1.0, float("nan")], "variance": 1.0}, "row 2"),
        ({"a": ["0", "1"], "n": 2, "mean": 1.0, "variance": [1.0, -1.0]}, "row 2"),
        ({"a": ["0", "0"], "n": 2, "mean": 1.0, "variance": 1.0}, "only one level"),
        ({"A": ["0", "1"], "n": 2, "mean": 1.0, "variance": 1.0}, "capital letters"),
        ({"x": ["0", "1"], "n": 2, "mean": 1.0, "variance": 1.0}, "no factor 'a'"),
    ],
)
def test_unusable_groups_are_refused(groups: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        anova(pd.DataFrame(groups), "y ~ a")
