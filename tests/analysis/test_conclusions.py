# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cells
from jitterlab.analysis.conclusions import Answer, answer
from jitterlab.analysis.factorial import analyse
from tests.analysis.designs import cells_of

FACTORS = {"c": ["x", "y"], "e": ["p", "q"]}


def said(cells: Cells) -> Answer:
    return answer("What?", "the mean latency", "mean", cells, analyse(cells))


def both(levels: Mapping[str, str], _: int, rng: np.random.Generator) -> "NDArray[np.float64]":
    centre = 10_000 + 3000 * (levels["c"] == "y") + 300 * (levels["e"] == "q") + rng.normal(0, 40)
    return rng.normal(centre, 20, 40)


def test_names_of_factors_stay_as_they_are_written() -> None:
    found = said(cells_of(FACTORS, both, replicates=4))
    assert found.sentences[0].startswith("The factor c decides the mean latency")
    assert any(sentence.startswith("The factor e matters too") for sentence in found.sentences)


def test_the_p_of_the_answer_is_the_corrected_one() -> None:
    cells = cells_of(FACTORS, lambda x, b, r: r.normal(1e4 + 60 * (x["c"] == "y"), 200, 50), seed=10)
    runs = analyse(cells).runs
    assert runs is not None
    plain = runs["c"].p or 1
    assert plain < 0.05 / 3
    assert f"p = {3 * plain:.2g}" in said(cells).sentences[0]


@pytest.mark.parametrize(
    ("replicates", "reason"),
    [(3, "agree to the last digit"), (1, "nothing was repeated that could tell how much runs differ")],
)
def test_what_cannot_be_tested_is_not_called_without_effect(replicates: int, reason: str) -> None:
    cells = cells_of(
        {"c": ["x", "y"]},
        lambda x, b, r: np.array([10_000.0 + 3000 * (x["c"] == "y")] * 9),
        replicates=replicates,
    )
    (sentence,) = said(cells).sentences
    assert sentence.startswith("Cannot tell what decides the mean latency: ")
    assert reason in sentence


def test_a_factor_that_was_booted_once_is_not_judged() -> None:
    cells = replace(cells_of(FACTORS, both, replicates=1), between_boots=("e",))
    assert said(cells).sentences[-1] == "e cannot be judged: nothing is left to test against."


def test_a_difference_that_stands_out_by_itself_is_not_called_too_small_to_see() -> None:
    """The largest of 66 pairs of levels that do nothing exceeds what one comparison would find."""
    cells = cells_of(
        {"slack": [f"{number}us" for number in range(12)]},
        lambda x, b, r: r.normal(1e4, 500, 30),
        replicates=4,
        seed=4,
    )
    found = said(cells)
    assert found.deciding is None
    (compared,) = found.differences
    assert abs(compared.contrast.difference or 0) > (compared.contrast.detectable or 0)
    assert "stands out by itself, but not among all comparisons that were made" in found.sentences[1]
