# SPDX-License-Identifier: Apache-2.0
"""Cells with a known truth, made without a machine."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from jitterlab.analysis.cells import Cells, RunSummary, group
from jitterlab.recording import Counts

Samples = Callable[[Mapping[str, str], int, np.random.Generator], "NDArray[np.float64]"]


def cells_of(
    factors: Mapping[str, Sequence[str]],
    samples: Samples,
    *,
    replicates: int = 3,
    seed: int = 1,
    between_boots: tuple[str, ...] = (),
) -> Cells:
    """A full factorial in blocks; `samples(levels, block, rng)` gives the values of a run."""
    rng = np.random.default_rng(seed)
    runs: list[RunSummary] = []
    combinations = list(product(*factors.values()))
    for block in range(1, replicates + 1):
        for cell, combination in enumerate(combinations, 1):
            levels = dict(zip(factors, combination, strict=True))
            values = np.rint(samples(levels, block, rng)).astype(np.int64)
            runs.append(RunSummary(len(runs) + 1, block, cell, levels, Counts.of(values)))
    names = {name: tuple(levels) for name, levels in factors.items()}
    return Cells(names, "latency", "ns", group(runs), between_boots)


def without(cells: Cells, *runs: int) -> Cells:
    """The same cells without some runs."""
    kept = [run for run in cells.runs if run.run not in runs]
    return Cells(cells.factors, cells.response, cells.unit, group(kept), cells.between_boots)
