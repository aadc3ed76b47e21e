# SPDX-License-Identifier: Apache-2.0
"""What the tests assume of the runs, checked and said in words: equal variances, normal deviations."""

from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from jitterlab.analysis import scatter
from jitterlab.analysis.cells import Cells
from jitterlab.analysis.wording import number, probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALPHA = 0.01
_FEWEST = 8
"""Runs below which a test of normality has next to no power."""
_ROUNDING = 1e-14
"""Deviation relative to the values below which it was made by rounding."""


@dataclass(frozen=True, slots=True)
class Check:
    """One assumption.

    Attributes:
        name: `equal variances of samples`, `equal variances of runs` or `normal runs`.
        holds: Whether it holds as far as can be seen; None if the data cannot tell.
        p: Of the test; None where none was made.
        sentence: What was found, and what it means for the tests.
    """

    name: str
    holds: bool | None
    p: float | None
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)


def check(cells: Cells, statistic: str = "mean") -> tuple[Check, ...]:
    """Check what the analysis of variance of these cells assumes.

    Args:
        cells: The cells of a recording.
        statistic: What stands for a run.
    """
    frame = cells.run_moments(statistic)
    values = frame["mean"].to_numpy(float)
    cell = np.unique(frame["cell"].to_numpy(), return_inverse=True)[1]
    return _equal_samples(cells), _equal_runs(values, cell, statistic), _normal_runs(values, cell, statistic)


def _equal_samples(cells: Cells) -> Check:
    """Compared by the ratio of the extremes: with many samples any test rejects."""
    name = "equal variances of samples"
    sds = [cell.counts.sd for cell in cells.cells if cell.counts.n > 1]
    times = scatter.ratio(sds)
    if times is None:
        return Check(name, None, None, "The scatter of the combinations cannot be compared.")
    warning = scatter.warning(sds)
    if warning is None:
        return Check(
            name, True, None, f"Standard deviations of the combinations differ at most {times:.2g} times."
        )
    return Check(name, False, None, warning)


def _equal_runs(values: "NDArray[np.float64]", cell: "NDArray[np.intp]", statistic: str) -> Check:
    """Brown-Forsythe over the runs of each cell."""
    from scipy import stats

    name = "equal variances of runs"
    groups = [values[cell == number] for number in range(cell.max() + 1)]
    repeated = [group for group in groups if len(group) > 2]
    if len(repeated) > 1 and all(np.ptp(group) == 0 for group in repeated):
        return Check(name, None, None, f"The {statistic} of runs does not scatter within combinations.")
    if len(repeated) < 2:
        return Check(name, None, None, "Whether runs scatter alike needs three runs per combination.")
    with np.errstate(divide="ignore", invalid="ignore"):
        p = float(stats.levene(*repeated, center="median").pvalue)
    if p >= ALPHA:
        return Check(
            name, True, p, f"The {statistic} of runs scatters alike in all combinations ({probability(p)})."
        )
    return Check(
        name,
        False,
        p,
        f"The {statistic} of runs scatters unlike between combinations ({probability(p)}): "
        "prefer intervals of differences, which allow it, or analyse the logarithm.",
    )


def _normal_runs(values: "NDArray[np.float64]", cell: "NDArray[np.intp]", statistic: str) -> Check:
    """Shapiro-Wilk of the deviations from the cells' averages, scaled for what the averages took."""
    from scipy import stats

    name = "normal runs"
    sizes = np.bincount(cell)
    deviations = values - (np.bincount(cell, values) / sizes)[cell]
    scaled = deviations[sizes[cell] > 1] / np.sqrt(1 - 1 / sizes[cell][sizes[cell] > 1])
    if len(scaled) >= _FEWEST and np.abs(scaled).max() <= _ROUNDING * np.abs(values).max():
        return Check(name, None, None, f"The {statistic} of runs does not deviate within combinations.")
    if len(scaled) < _FEWEST:
        runs = number(len(scaled), "repeated run")
        return Check(name, None, None, f"Whether deviations of runs are normal cannot be seen from {runs}.")
    p = float(stats.shapiro(scaled[:5000]).pvalue)
    if p >= ALPHA:
        return Check(name, True, p, f"Deviations of the {statistic} of runs look normal ({probability(p)}).")
    outlier = abs(scaled).max() / max(sqrt(float((scaled**2).mean())), np.finfo(float).tiny)
    return Check(
        name,
        False,
        p,
        f"Deviations of the {statistic} of runs are not normal ({probability(p)}; the farthest run is "
        f"{outlier:.2g} standard deviations off): prefer the median or the logarithm, and look at that run.",
    )
