# SPDX-License-Identifier: Apache-2.0
"""How often an analysis finds a factor that does nothing, when samples of one run resemble each other."""

from dataclasses import dataclass

import numpy as np

from jitterlab.analysis.anova import anova


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """The share of simulated studies in which a factor without effect was significant.

    Attributes:
        samples: With samples as units.
        runs: With runs as units.
        studies: How many studies were simulated.
        alpha: The wanted share.
    """

    samples: float
    runs: float
    studies: int
    alpha: float


def simulate(
    samples: int,
    intraclass: float,
    *,
    levels: int = 2,
    runs: int = 5,
    studies: int = 1000,
    alpha: float = 0.05,
    seed: int = 1,
) -> FalseAlarms:
    """Simulate studies of one factor without effect on normal samples.

    Mean and variance of a run are drawn from their exact distributions, so that the cost does not depend on
    the number of samples.

    Args:
        samples: Samples per run, at least 2.
        intraclass: Correlation of two samples of one run, from 0 to below 1.
        levels: Levels of the factor.
        runs: Runs per level, at least 2.
        studies: How many studies.
        alpha: A study raises an alarm if p is below this.
        seed: Seed of the generator.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    level = np.repeat([str(number) for number in range(levels)], runs)
    alarms = np.zeros(2)
    for _ in range(studies):
        mean = rng.normal(0, np.sqrt(intraclass + (1 - intraclass) / samples), level.size)
        variance = (1 - intraclass) * rng.chisquare(samples - 1, level.size) / (samples - 1)
        groups = pd.DataFrame({"factor": level, "n": samples, "mean": mean, "variance": variance})
        for place, units in enumerate((groups, groups.assign(n=1))):
            p = anova(units, "latency ~ factor")["factor"].p
            alarms[place] += p is not None and p < alpha
    return FalseAlarms(float(alarms[0]) / studies, float(alarms[1]) / studies, studies, alpha)
