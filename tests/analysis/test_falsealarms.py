# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy import stats

from jitterlab.analysis.factorial import analyse
from jitterlab.analysis.falsealarms import simulate
from tests.analysis.designs import cells_of


@pytest.mark.parametrize(
    ("samples", "low", "high"), [(100, 0.02, 0.12), (10_000, 0.45, 0.65), (1_000_000, 0.92, 1.0)]
)
def test_samples_as_units_raise_false_alarms_and_runs_do_not(samples: int, low: float, high: float) -> None:
    """Five runs per level, intra-class correlation 0.001: about 5 %, 55 % and 97 % false alarms."""
    found = simulate(samples, 0.001, studies=300)
    assert low < found.samples < high
    assert stats.binomtest(round(found.runs * found.studies), found.studies, found.alpha).pvalue > 0.001


def test_the_simulation_is_reproducible() -> None:
    assert simulate(100, 0.1, studies=20, seed=3) == simulate(100, 0.1, studies=20, seed=3)


def test_real_samples_show_the_same() -> None:
    """From values to tests: 2 levels, 4 runs each, whose means scatter by a tenth of the samples' scatter."""
    alarms = np.zeros(2)
    for seed in range(60):
        cells = cells_of(
            {"policy": ["other", "fifo"]},
            lambda _, block, rng: rng.normal(100_000 + rng.normal(0, 100), 1000, 3000),
            replicates=4,
            seed=seed,
        )
        found = analyse(cells, "latency ~ policy")
        assert found.runs is not None
        alarms += [(found.samples["policy"].p or 1) < 0.05, (found.runs["policy"].p or 1) < 0.05]
    assert alarms[0] > 30
    assert alarms[1] < 10
