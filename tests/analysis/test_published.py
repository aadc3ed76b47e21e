# SPDX-License-Identifier: Apache-2.0
"""Analyses that text books and the documentation of R print."""

from pathlib import Path

import pandas as pd
import pytest

from jitterlab.analysis.anova import Anova, Type, anova
from jitterlab.analysis.formula import parse
from jitterlab.analysis.splitplot import split_plot

OATS = Path(__file__).parent / "data" / "oats.csv"


def values(rows: list[tuple[str, str, list[int]]], names: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {names[0]: first, names[1]: second, "n": 1, "mean": value, "variance": 0.0}
            for first, second, observed in rows
            for value in observed
        ]
    )


def printed(result: Anova) -> dict[str, tuple[float, int, float | None]]:
    return {
        term.term: (round(term.sum_sq, 2), term.df, None if term.F is None else round(term.F, 2))
        for term in result.terms
    }


def test_battery_life() -> None:
    """Montgomery, "Design and Analysis of Experiments", example 5.1: life by material and temperature."""
    rows = [
        ("1", "15", [130, 155, 74, 180]),
        ("1", "70", [34, 40, 80, 75]),
        ("1", "125", [20, 70, 82, 58]),
        ("2", "15", [150, 188, 159, 126]),
        ("2", "70", [136, 122, 106, 115]),
        ("2", "125", [25, 70, 58, 45]),
        ("3", "15", [138, 110, 168, 160]),
        ("3", "70", [174, 120, 150, 139]),
        ("3", "125", [96, 104, 82, 60]),
    ]
    result = anova(values(rows, ("material", "temperature")), "life ~ material * temperature")
    assert printed(result) == {
        "material": (10683.72, 2, 7.91),
        "temperature": (39118.72, 2, 28.97),
        "material:temperature": (9613.78, 4, 3.56),
        "Residual": (18230.75, 27, None),
    }
    assert result["material"].p == pytest.approx(0.0020, abs=5e-5)
    assert result["material:temperature"].p == pytest.approx(0.0186, abs=5e-5)


def test_warpbreaks() -> None:
    """R, `summary(aov(breaks ~ wool * tension, warpbreaks))` of its help page."""
    rows = [
        ("A", "L", [26, 30, 54, 25, 70, 52, 51, 26, 67]),
        ("A", "M", [18, 21, 29, 17, 12, 18, 35, 30, 36]),
        ("A", "H", [36, 21, 24, 18, 10, 43, 28, 15, 26]),
        ("B", "L", [27, 14, 29, 19, 29, 31, 41, 20, 44]),
        ("B", "M", [42, 26, 19, 16, 39, 28, 21, 39, 29]),
        ("B", "H", [20, 21, 24, 17, 13, 15, 15, 16, 28]),
    ]
    result = anova(values(rows, ("wool", "tension")), "breaks ~ wool * tension", 1)
    assert [(term.term, term.df, round(term.sum_sq), term.p_text) for term in result.terms] == [
        ("wool", 1, 451, "0.0582"),
        ("tension", 2, 2034, "0.000693"),
        ("wool:tension", 2, 1003, "0.021"),
        ("Residual", 48, 5745, ""),
    ]
    assert [round(term.F or 0, 3) for term in result.effects] == [3.765, 8.498, 4.189]


@pytest.mark.parametrize(
    ("type_", "fcategory", "status"), [(1, 3.73, 212.21), (2, 11.61, 212.21), (3, 36.02, 239.56)]
)
def test_moore(type_: Type, fcategory: float, status: float) -> None:
    """Unbalanced: Fox, "Applied Regression Analysis", table 8.5; `car::Anova` with sum-to-zero contrasts."""
    rows = [
        ("low", "low", [8, 7, 10, 6, 13, 12, 7, 6, 8, 12]),
        ("low", "medium", [12, 4, 4, 9]),
        ("low", "high", [4, 8, 13, 9, 24, 7, 23, 13]),
        ("high", "low", [21, 23, 15, 12, 16]),
        ("high", "medium", [12, 17, 14, 16, 20, 8, 14, 17, 7, 17, 15]),
        ("high", "high", [19, 9, 7, 11, 14, 13, 10]),
    ]
    result = anova(values(rows, ("status", "fcategory")), "conformity ~ fcategory * status", type_)
    assert [round(term.sum_sq, 2) for term in result.terms] == [fcategory, status, 175.49, 817.76]
    assert [term.df for term in result.terms] == [2, 1, 2, 39]
    assert pytest.approx(4.1846, abs=5e-5) == result["fcategory:status"].F
    assert result["fcategory:status"].p == pytest.approx(0.022572, abs=5e-7)


def oats() -> pd.DataFrame:
    table = pd.read_csv(OATS, dtype={"nitrogen": str}).rename(columns={"yield": "mean"})
    return table.assign(n=1, variance=0.0)


def test_oats_split_plot() -> None:
    """Yates (1935), as Venables and Ripley print it: `aov(Y ~ N * V + Error(B / V), oats)`."""
    result = split_plot(oats(), parse("yield ~ block + variety * nitrogen"), ("variety",))
    assert printed(result) == {
        "block": (15875.28, 5, 5.28),
        "variety": (1786.36, 2, 1.49),
        "Residual (boots)": (6013.31, 10, None),
        "nitrogen": (20020.5, 3, 37.69),
        "variety:nitrogen": (321.75, 6, 0.3),
        "Residual": (7968.75, 45, None),
    }
    assert result["variety"].p == pytest.approx(0.2724, abs=5e-5)
    assert result["variety:nitrogen"].p == pytest.approx(0.9322, abs=5e-5)
    assert result["variety"].error == "Residual (boots)"
    assert sum(term.share or 0 for term in result.terms) == pytest.approx(1)
    assert sum(term.sum_sq for term in result.terms) == pytest.approx(result.total_sum_sq)
