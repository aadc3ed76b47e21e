# SPDX-License-Identifier: Apache-2.0
"""By how much the levels of a factor differ: differences and ratios with intervals over runs.

Every level is averaged over the same combinations of the other factors, so that a combination that one level
lacks does not pass as its effect. Where every block holds the same runs, what blocks differ in is taken out
first. Where levels share no combination (screening designs), or one was measured only once, the model of the
analysis of variance compares them.
"""

from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from jitterlab.analysis.cells import Cells
from jitterlab.analysis.contrast import Contrast, contrast, refused
from jitterlab.analysis.factorial import default_formula
from jitterlab.analysis.modelled import Models
from jitterlab.analysis.paired import levels_of, paired
from jitterlab.analysis.splitplot import boot_means
from jitterlab.analysis.statistic import Statistic
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Correction = Literal["holm", "fdr_bh"]
Counted = Literal["run", "boot"]
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """Two levels of a factor, compared.

    Attributes:
        factor: The factor.
        reference: The level that is compared with.
        level: The level that is compared.
        contrast: How `level` (b) differs from `reference` (a), with intervals, or why there are none. Its
            verdict is that of `p_adjusted` where several pairs were compared.
        p_adjusted: Its p, corrected for the number of pairs; None where there is none.
        reference_n: Units of the reference.
        n: Units of the level.
        counted: What the units are: `run`, or `boot` for a factor that is set between boots.
        pairs: How many pairs were compared.
    """

    factor: str
    reference: str
    level: str
    contrast: Contrast
    p_adjusted: float | None
    reference_n: int
    n: int
    counted: Counted
    pairs: int = 1

    def sentence(self) -> str:
        """The comparison in words."""
        text = self.contrast.sentence()
        if self.by_chance:
            text = (
                f"{text[:-1]}; of {self.pairs} pairs one may look so by chance (p = {self.p_adjusted:.2g})."
            )
        return f"{self.factor}={self.level} against {self.reference}: {text[0].lower()}{text[1:]}"

    @property
    def by_chance(self) -> bool:
        """Whether the interval, which is not corrected, excludes 0, and the corrected p does not."""
        ends = self.contrast.difference_interval
        apart = ends is not None and (ends[0] > 0 or ends[1] < 0)
        return apart and self.pairs > 1 and (self.p_adjusted or 0.0) >= SIGNIFICANCE

    def to_dict(self) -> dict[str, Any]:
        """All fields and the sentence, ready for JSON."""
        return {**asdict(self), "sentence": self.sentence()}


def differences(
    cells: Cells,
    factor: str,
    statistic: str = "mean",
    *,
    reference: str | None = None,
    seed: int = 1,
    correction: Correction = "holm",
) -> tuple[Difference, ...]:
    """Compare the levels of a factor, with runs as units.

    Args:
        cells: The cells of a recording.
        factor: The factor.
        statistic: What stands for a run: `mean`, `median`, `p99`, `sd`, …
        reference: Compare all levels with this one only; default: all pairs.
        seed: Of the resampling.
        correction: For the number of pairs: `holm` (Holm 1979: any false alarm) or `fdr_bh` (Benjamini and
            Hochberg 1995: share of false alarms among the findings).

    Raises:
        InputError: There is no such factor, level or statistic, or nothing tells two levels apart.
    """
    if factor not in cells.varied:
        known = ", ".join(cells.varied) or "none"
        raise InputError(f"no factor '{factor}' was varied", f"choose from: {known}")
    levels = cells.factors[factor]
    if reference is not None and reference not in levels:
        raise InputError(f"'{factor}' has no level '{reference}'", f"choose one of: {', '.join(levels)}")
    of = Statistic.parse(statistic)
    supported, _ = cells.supporting(of)
    units, counted = _units(supported, factor, of)
    terms = tuple(term for term in default_formula(cells).terms if set(term) <= set(units.columns))
    models = Models(units, terms)
    pairs = combinations(levels, 2) if reference is None else ((reference, level) for level in levels)
    found = []
    for a, b in pairs:
        if a != b:
            result, sizes = _compared(units, models, (factor, a, b), (of.name, of.unit(cells.unit)), seed)
            found.append(Difference(factor, a, b, result, None, *sizes, counted))
    return _adjusted(found, correction)


def _compared(
    units: "pd.DataFrame",
    models: Models,
    pair: tuple[str, str, str],
    named: tuple[str, str],
    seed: int,
) -> tuple[Contrast, tuple[int, int]]:
    """Two levels, and how many units they have: over the combinations that both have, else by the model."""
    factor, a, b = pair
    sides = levels_of(units, factor, a, b)
    if sides is not None and min(map(len, (*sides.a, *sides.b))) > 1:
        return paired(sides, *named, seed), (sum(map(len, sides.a)), sum(map(len, sides.b)))
    sizes = (int((units[factor] == a).sum()), int((units[factor] == b).sum()))
    estimates = models.compare(factor, a, b)
    if estimates is not None:
        return contrast(*named, estimates, "least squares over all runs"), sizes
    if sides is None:
        raise InputError(
            f"'{a}' and '{b}' of '{factor}' have no combination of the other factors in common",
            "measure the missing combinations",
        )
    means = [sum(float(part.mean()) for part in side) / len(side) for side in (sides.a, sides.b)]
    reason = "A combination was measured only once: repeat it to get an interval."
    return refused(*named, reason, (means[0], means[1])), sizes


def adjust(p: list[float], correction: Correction = "holm") -> list[float]:
    """P values corrected for how many there are.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979); Benjamini and Hochberg, JRSS B 57 (1995).
    statsmodels gives the same, after a garbage collection that takes longer than all else here.
    """
    if correction == "fdr_bh":
        from scipy.stats import false_discovery_control

        return [float(value) for value in false_discovery_control(p)]
    order = np.argsort(p)
    stepped = np.asarray(p)[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(value) for value in adjusted]


def _adjusted(found: list[Difference], correction: Correction) -> tuple[Difference, ...]:
    tested = {place: one.contrast.p for place, one in enumerate(found) if one.contrast.p is not None}
    corrected = dict(zip(tested, adjust(list(tested.values()), correction), strict=True))
    known = [
        replace(one, p_adjusted=corrected.get(place), pairs=len(found)) for place, one in enumerate(found)
    ]
    return tuple(
        replace(one, contrast=replace(one.contrast, verdict="cannot tell")) if one.by_chance else one
        for one in known
    )


def _units(cells: Cells, factor: str, of: Statistic) -> "tuple[pd.DataFrame, Counted]":
    """One row per unit: `block`, `plot`, `cell` (levels of the other factors as text), all factors, `mean`.

    For a factor inside boots every boot is a block, and the plot says what it was booted with.
    """
    frame = cells.run_moments(of)
    others = [name for name in cells.factors if name != factor]
    between = [name for name in others if name in cells.between_boots]
    counted: Counted = "run"
    frame["plot"] = ""
    if factor in cells.between_boots:
        inside = tuple(name for name in others if name not in cells.between_boots)
        others, counted = between, "boot"
        frame, _ = boot_means(frame, inside, ["block", "plot", factor, *others])
    elif between:
        frame["plot"] = frame[between].agg("\x1f".join, axis=1)
        frame["block"] += "\x1f" + frame["plot"]
    cell = frame[others].agg("\x1f".join, axis=1) if others else ""
    return frame.assign(cell=cell)[["block", "plot", "cell", factor, *others, "mean"]], counted
