# SPDX-License-Identifier: Apache-2.0
"""The published analysis of network load and data size is reproduced from the published table of means.

Table 2 of "IN4390 QEES group 33, optional assignment 1" (2020) prints n, mean and SD of 30 cells with four
decimals, table 3 the type II analysis of the 17,872 raw values with seven digits. Rounding to 0.00005 moves
the largest sums of squares by a few parts in 10^8, so that all printed digits of the sums of squares are met
and F agrees to 1e-7; p of the interaction, far out in the tail, agrees to 1e-4.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jitterlab.analysis import celltable
from jitterlab.analysis.anova import anova
from jitterlab.commands.anova import command

TABLE = Path(__file__).parents[2] / "docs" / "examples" / "paper004_table2.csv"
PUBLISHED = {
    "Network": (1.841260e08, 1, 97.454607, 6.308912e-23),
    "Data_Size": (3.220041e09, 14, 121.736469, 0.0),
    "Network:Data_Size": (2.211012e09, 14, 83.589237, 2.857745e-233),
    "Residual": (3.370981e10, 17842, None, None),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_table_3_from_table_2(name: str) -> None:
    sum_sq, df, F, p = PUBLISHED[name]
    term = anova(celltable.read(TABLE).groups, "Latency ~ C(Network) * C(Data_Size)", 2)[name]
    assert f"{term.sum_sq:.6e}" == f"{sum_sq:.6e}"
    assert term.df == df
    assert pytest.approx(F, rel=1e-7) == term.F if F else term.F is None
    assert term.p == pytest.approx(p, rel=1e-4, abs=1e-300) if p is not None else term.p is None


def test_the_other_types_differ_in_the_unbalanced_main_effect() -> None:
    """Which is how the table tells that it is of type II: C(Network) is adjusted for C(Data_Size)."""
    groups = celltable.read(TABLE).groups
    sums = {
        type_: anova(groups, "Latency ~ Network * Data_Size", type_)["Network"].sum_sq for type_ in (1, 2, 3)
    }
    assert [f"{value:.4e}" for value in sums.values()] == ["1.8162e+08", "1.8413e+08", "1.8150e+08"]


def test_the_paper_should_not_have_trusted_its_p_values() -> None:
    """Its standard deviations reach from 0.28 to 7416 ms."""
    notes = anova(celltable.read(TABLE).groups, "Latency ~ Network * Data_Size", 2).notes
    assert notes[0].startswith("Standard deviations of the combinations differ 26,132 times")


def test_the_standard_errors_of_the_table_agree_with_its_deviations(tmp_path: Path) -> None:
    """A table with SE instead of SD gives the same result, to the digits of SE."""
    rows = [line.split(",") for line in TABLE.read_text().splitlines()]
    copy = tmp_path / "se.csv"
    copy.write_text("\n".join(";".join(row[:4] + row[5:6]) for row in rows))
    by_se = anova(celltable.read(copy).groups, "Latency ~ Network * Data_Size", 2)
    assert pytest.approx(97.454607, rel=1e-4) == by_se["Network"].F


def test_the_command_prints_the_published_table() -> None:
    text = CliRunner().invoke(command, [str(TABLE), "--formula", "Latency ~ Network * Data_Size"]).output
    assert "1.841260e+08" in text
    assert "97.4546" in text
    assert "6.31e-23" in text
    assert "17,842" in text
    assert "< 1e-300" in text
    result = CliRunner().invoke(command, [str(TABLE), "--formula", "Latency ~ Network * Data_Size", "--json"])
    terms = json.loads(result.output)
    assert [term["term"] for term in terms] == list(PUBLISHED)
    assert (terms[-1]["F"], terms[-1]["p"]) == (None, None)
    assert (terms[1]["p"], terms[1]["p_text"]) == (0.0, "< 1e-300")
