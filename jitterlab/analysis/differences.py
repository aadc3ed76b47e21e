# SPDX-License-Identifier: Apache-2.0
"""By how much the levels of a factor differ: differences and ratios with intervals over runs.

Every level is averaged over the same combinations of the other factors, so that a combination that one level
lacks does not pass as its effect. Where every block holds the same runs, what blocks differ in is taken out
first.
"""

from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

from jitterlab.analysis.cells import Cells
from jitterlab.analysis.contrast import Contrast, contrast, refused
from jitterlab.analysis.designmatrix import Array
from jitterlab.analysis.estimates import Estimates, over_groups, resample
from jitterlab.analysis.splitplot import boot_means
from jitterlab.analysis.statistic import Statistic
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Correction = Literal["holm", "fdr_bh"]
Counted = Literal["run", "boot"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two levels of a factor, compared.

    Attributes:
        factor: The factor.
        reference: The level that is compared with.
        level: The level that is compared.
        contrast: How `level` (b) differs from `reference` (a), with intervals, or why there are none.
        p_adjusted: Its p, corrected for the number of pairs; None where there is none.
        reference_n: Units of the reference.
        n: Units of the level.
        counted: What the units are: `run`, or `boot` for a factor that is set between boots.
    """

    factor: str
    reference: str
    level: str
    contrast: Contrast
    p_adjusted: float | None
    reference_n: int
    n: int
    counted: Counted

    def sentence(self) -> str:
        """The comparison in words."""
        text = self.contrast.sentence()
        return f"{self.factor}={self.level} against {self.reference}: {text[0].lower()}{text[1:]}"

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
        InputError: There is no such factor, level or statistic, or two levels share no combination.
    """
    if factor not in cells.varied:
        known = ", ".join(cells.varied) or "none"
        raise InputError(f"no factor '{factor}' was varied", f"choose from: {known}")
    levels = cells.factors[factor]
    if reference is not None and reference not in levels:
        raise InputError(f"'{factor}' has no level '{reference}'", f"choose one of: {', '.join(levels)}")
    of = Statistic.parse(statistic)
    units, counted = _units(cells, factor, of)
    pairs = combinations(levels, 2) if reference is None else ((reference, level) for level in levels)
    found = []
    for a, b in pairs:
        if a != b:
            sides = _sides(units, factor, a, b)
            result = _contrast(sides, of.name, of.unit(cells.unit), seed)
            n_a, n_b = (sum(map(len, side)) for side in (sides.a, sides.b))
            found.append(Difference(factor, a, b, result, None, n_a, n_b, counted))
    return _adjusted(found, correction)


def adjust(p: list[float], correction: Correction = "holm") -> list[float]:
    """P values corrected for how many there are."""
    if len(p) < 2:
        return p
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(p, method=correction)[1]]


def _adjusted(found: list[Difference], correction: Correction) -> tuple[Difference, ...]:
    tested = {place: one.contrast.p for place, one in enumerate(found) if one.contrast.p is not None}
    corrected = dict(zip(tested, adjust(list(tested.values()), correction), strict=True))
    return tuple(replace(one, p_adjusted=corrected.get(place)) for place, one in enumerate(found))


def _units(cells: Cells, factor: str, of: Statistic) -> "tuple[pd.DataFrame, Counted]":
    """One row per unit: `block`, `cell` (levels of the other factors as text), the factor, `mean`."""
    frame = cells.run_moments(of)
    others = [name for name in cells.factors if name != factor]
    counted: Counted = "run"
    if factor in cells.between_boots:
        inside = tuple(name for name in others if name not in cells.between_boots)
        others = [name for name in others if name in cells.between_boots]
        frame, _ = boot_means(frame, inside, ["block", factor, *others])
        counted = "boot"
    cell = frame[others].agg("\x1f".join, axis=1) if others else ""
    return frame.assign(cell=cell)[["block", "cell", factor, "mean"]], counted


@dataclass(frozen=True, slots=True)
class _Sides:
    """The values of two levels, one array per combination that both have.

    Attributes:
        a: Of the reference.
        b: Of the level.
        centred: The same without what blocks differ in, scaled so that their variances are unbiased; None
            unless all blocks hold the same combinations, equally often.
        df: Degrees of freedom that are left in `centred`.
    """

    a: tuple[Array, ...]
    b: tuple[Array, ...]
    centred: tuple[tuple[Array, ...], tuple[Array, ...]] | None
    df: int


def _sides(units: "pd.DataFrame", factor: str, a: str, b: str) -> _Sides:
    pair = units[units[factor].isin([a, b])]
    shared = sorted(set(pair.loc[pair[factor] == a, "cell"]) & set(pair.loc[pair[factor] == b, "cell"]))
    if not shared:
        raise InputError(
            f"'{a}' and '{b}' of '{factor}' have no combination of the other factors in common",
            "measure the missing combinations",
        )
    pair = pair[pair["cell"].isin(shared)].sort_values("block", kind="stable")
    keys = [pair["cell"], pair[factor]]
    plain = {key: group.to_numpy(float) for key, group in pair["mean"].groupby(keys)}
    sizes = pair.pivot_table(
        index="block", columns=["cell", factor], values="mean", aggfunc="size", fill_value=0
    )
    blocks, width = len(sizes), int(sizes.iloc[0].sum())
    centred = None
    if blocks > 1 and bool((sizes == sizes.iloc[0]).to_numpy().all()):
        rest = pair["mean"] - pair.groupby("block")["mean"].transform("mean") + pair["mean"].mean()
        cell_mean = rest.groupby(keys).transform("mean")
        scaled = cell_mean + (rest - cell_mean) * sqrt(width / (width - 1))
        found = {key: group.to_numpy(float) for key, group in scaled.groupby(keys)}
        centred = (tuple(found[cell, a] for cell in shared), tuple(found[cell, b] for cell in shared))
    return _Sides(
        tuple(plain[cell, a] for cell in shared),
        tuple(plain[cell, b] for cell in shared),
        centred,
        blocks * width - 2 * len(shared) - blocks + 1,
    )


def _contrast(sides: _Sides, statistic: str, unit: str, seed: int) -> Contrast:
    if min(map(len, (*sides.a, *sides.b))) < 2:
        means = [sum(float(part.mean()) for part in side) / len(side) for side in (sides.a, sides.b)]
        reason = "A combination was measured only once: repeat it to get an interval."
        return refused(statistic, unit, reason, (means[0], means[1]))
    estimates = over_groups(sides.a, sides.b)
    if sides.centred is None:
        return contrast(statistic, unit, estimates, "runs", resampled=resample(sides.a, sides.b, seed))
    inside = over_groups(*sides.centred)
    paired = Estimates(
        estimates.a,
        estimates.b,
        estimates.variance_a,
        estimates.variance_b,
        (estimates.variance_a + estimates.variance_b - inside.standard_error**2) / 2,
        min(inside.df, sides.df),
    )
    return contrast(statistic, unit, paired, "runs in blocks", resampled=resample(*sides.centred, seed))
