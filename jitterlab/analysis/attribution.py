# SPDX-License-Identifier: Apache-2.0
"""What goes along with late runs, beyond the factors: meters that rise and fall with a statistic of the runs.

Within each cell the runs have the same settings; what still differs between them is compared by rank
(Spearman's correlation of what is left after the cell means). The test shuffles runs inside their cells, so
that neither factors nor distributions matter, and the many meters are corrected for by the false discovery
rate (Benjamini and Hochberg, JRSS B 57, 1995). An association is not yet a cause: a meter may also follow
from lateness, or both from something else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from jitterlab.analysis.cells import cells
from jitterlab.analysis.statistic import Statistic
from jitterlab.analysis.wording import listing, number, percent
from jitterlab.recording import Recording

FALSE_DISCOVERIES = 0.05
FEWEST_SPARE = 8
ORDER = "order in the session"
_SHUFFLES = 9999
_SHOWN = 3

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Association:
    """How a reading goes along with a statistic inside the cells.

    Attributes:
        reading: Name of the reading.
        correlation: Spearman's rank correlation, -1 to 1.
        p: Probability of one as strong if they had nothing to do with each other.
        q: p after the correction for all readings that were looked at.
        n: Number of runs.
    """

    reading: str
    correlation: float
    p: float
    q: float
    n: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """What goes along with late runs, beyond the factors.

    Attributes:
        statistic: The statistic of a run that was looked at, with the response: "p99 of latency".
        associations: All readings that vary, the most certain first; none if refused.
        false_discoveries: Expected share of wrong ones among those with q at most this.
        n: Number of runs.
        cells: Number of cells.
        refusal: Why nothing can be said, as a sentence; None if something can.
    """

    statistic: str
    associations: tuple[Association, ...]
    false_discoveries: float
    n: int
    cells: int
    refusal: str | None = None

    @property
    def found(self) -> tuple[Association, ...]:
        """The associations that hold after correction."""
        return tuple(one for one in self.associations if one.q <= self.false_discoveries)

    def sentence(self) -> str:
        """What goes along with late runs, in words."""
        if self.refusal is not None:
            return self.refusal
        looked = f"{number(len(self.associations), 'reading')}, {number(self.n, 'run')}"
        if not self.found:
            return f"Nothing recorded explains what still varies in the {self.statistic} ({looked})."
        names = [f"{one.reading} ({one.correlation:+.2f})" for one in self.found[:_SHOWN]]
        more = f" and {len(self.found) - _SHOWN} more" if len(self.found) > _SHOWN else ""
        return (
            f"Runs of the same settings with a higher {self.statistic} go along with {listing(names)}{more} "
            f"(rank correlations; {looked}, {percent(self.false_discoveries)} false discoveries): an "
            "association, not yet a cause."
        )


def attribution(
    values: ArrayLike, readings: Mapping[str, ArrayLike], cells: ArrayLike, statistic: str, *, seed: int = 0
) -> Attribution:
    """What goes along with the values of runs inside their cells.

    Args:
        values: The statistic of each run.
        readings: What meters said about each run, by name; those with gaps or no variation are left out.
        cells: The cell of each run.
        statistic: How the statistic is called in sentences.
        seed: Seed of the shuffling.
    """
    runs, members = np.asarray(values, dtype=np.float64), np.unique(np.asarray(cells), return_inverse=True)[1]
    n, count = len(runs), len(np.unique(members))
    if n - count < FEWEST_SPARE:
        few = f"{number(n, 'run')} of {number(count, 'cell')} are too few"
        reason = f"What goes along with the {statistic} is not judged: {few}."
        return Attribution(statistic, (), FALSE_DISCOVERIES, n, count, reason)
    late = _ranks(runs, members)
    columns = {name: np.asarray(column, dtype=np.float64) for name, column in readings.items()}
    ranked = {
        name: _ranks(column, members) for name, column in columns.items() if bool(np.isfinite(column).all())
    }
    ranked = {name: ranks for name, ranks in ranked.items() if ranks.any()}
    if not (ranked and late.any()):
        reason = f"What goes along with the {statistic} is not judged: nothing varies inside the cells."
        return Attribution(statistic, (), FALSE_DISCOVERIES, n, count, reason)
    matrix = np.array(list(ranked.values()))
    correlations = matrix @ late
    chance = _shuffled(late, members, np.random.default_rng(seed)) @ matrix.T
    reached = np.sum(np.abs(chance) >= np.abs(correlations) - 1e-12, axis=0)
    p = (reached + 1) / (_SHUFFLES + 1)
    q = stats.false_discovery_control(p)
    found = [
        Association(name, float(correlations[i]), float(p[i]), float(q[i]), n)
        for i, name in enumerate(ranked)
    ]
    ordered = tuple(sorted(found, key=lambda one: (one.p, -abs(one.correlation))))
    return Attribution(statistic, ordered, FALSE_DISCOVERIES, n, count)


def of_recording(recording: Recording, response: str, statistic: str = "p99") -> Attribution:
    """What goes along with a statistic of the runs of a recording: every meter, and the order in the session.

    Runs with too few samples for the statistic are left out.

    Raises:
        InputError: The response or the statistic is not known, or all runs have too few samples for it.
    """
    chosen = Statistic.parse(statistic)
    measured = {run.run: run for run in cells(recording, response).runs}
    enough = [run.run for run in measured.values() if run.counts.n >= chosen.needs]
    rows = recording.runs.to_pandas()
    rows = rows[rows["run"].isin(enough or list(measured))].sort_values(["started", "run"])
    runs = rows["run"].tolist()
    readings = {name: rows[name].to_numpy(dtype=np.float64) for name in rows.columns if "." in name}
    readings[ORDER] = np.arange(len(runs), dtype=np.float64)
    values = [chosen.of(measured[run].counts, where=f"run {run}") for run in runs]
    return attribution(values, readings, [measured[run].cell for run in runs], f"{statistic} of {response}")


def _ranks(values: FloatArray, members: NDArray[np.intp]) -> FloatArray:
    """The ranks of what is left of values after their cell means, centred, of length 1 (0 if constant)."""
    left = values - (np.bincount(members, values) / np.bincount(members))[members]
    scale = float(np.abs(values).max())
    left[np.abs(left) <= 1e-12 * scale] = 0.0
    ranks = stats.rankdata(left)
    centred = ranks - ranks.mean()
    length = float(np.sqrt(centred @ centred))
    return np.asarray(centred / length if length else np.zeros_like(centred))


def _shuffled(ranks: FloatArray, members: NDArray[np.intp], rng: np.random.Generator) -> FloatArray:
    """The ranks with runs shuffled inside their cells, once per row."""
    rows = np.tile(ranks, (_SHUFFLES, 1))
    for cell in np.unique(members):
        places = np.flatnonzero(members == cell)
        rows[:, places] = rng.permuted(rows[:, places], axis=1)
    return rows
