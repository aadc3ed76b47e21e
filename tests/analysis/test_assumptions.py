# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from jitterlab.analysis.assumptions import Check, check
from tests.analysis.designs import cells_of

FACTORS = {"policy": ["other", "fifo"], "load": ["none", "cpu"]}
Runs = Callable[[Mapping[str, str], np.random.Generator], float]


def checks(centre: Runs, scatter: Runs, replicates: int = 8) -> dict[str, Check]:
    def samples(levels: Mapping[str, str], _: int, rng: np.random.Generator) -> "NDArray[np.float64]":
        return rng.normal(centre(levels, rng), scatter(levels, rng), 50)

    return {found.name: found for found in check(cells_of(FACTORS, samples, replicates=replicates))}


def test_everything_holds() -> None:
    found = checks(lambda _, rng: 10_000 + rng.normal(0, 100), lambda _, __: 200)
    assert [one.holds for one in found.values()] == [True, True, True]


def test_unequal_scatter_of_samples() -> None:
    found = checks(lambda _, __: 10_000, lambda levels, __: 2000 if levels["load"] == "cpu" else 100)
    one = found["equal variances of samples"]
    assert one.holds is False
    assert "tests of samples that assume one variance are not to be trusted" in one.sentence


def test_unequal_scatter_of_runs() -> None:
    found = checks(
        lambda levels, rng: 100_000 + rng.normal(0, 5000 if levels["load"] == "cpu" else 50),
        lambda _, __: 100,
        12,
    )
    assert found["equal variances of runs"].holds is False


def test_a_run_far_off_is_not_normal() -> None:
    strange = iter([60_000.0])
    found = checks(lambda _, rng: next(strange, 10_000 + rng.normal(0, 100)), lambda _, __: 100)
    one = found["normal runs"]
    assert one.holds is False
    assert "look at that run" in one.sentence


@pytest.mark.parametrize("replicates", [1, 2])
def test_few_runs_cannot_tell(replicates: int) -> None:
    found = checks(lambda _, rng: 10_000 + rng.normal(0, 100), lambda _, __: 200, replicates)
    assert found["equal variances of runs"].holds is None
    assert found["equal variances of runs"].p is None


def test_constant_samples_cannot_tell() -> None:
    found = checks(lambda _, __: 10_000, lambda _, __: 0)
    assert [one.holds for one in found.values()] == [None, None, None]


def test_equal_runs_are_not_said_to_be_too_few() -> None:
    found = checks(lambda _, __: 10_000, lambda _, __: 0)
    assert (
        found["equal variances of runs"].sentence == "The mean of runs does not scatter within combinations."
    )
    assert found["normal runs"].sentence == "The mean of runs does not deviate within combinations."


def test_a_combination_without_scatter_is_the_most_unequal() -> None:
    found = checks(lambda _, __: 10_000, lambda levels, __: 100 if levels["load"] == "cpu" else 0)
    one = found["equal variances of samples"]
    assert one.holds is False
    assert "are 0 in some and not in others" in one.sentence
