# SPDX-License-Identifier: Apache-2.0
"""The analysis of variance of a recording, with samples and with runs as units side by side.

Samples of one run resemble each other, so that a test that takes them as independent finds effects that are
not there; the runs are what was repeated. Papers print the first test; the second is the one to believe.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from jitterlab.analysis import aliasing
from jitterlab.analysis.anova import anova
from jitterlab.analysis.anovatable import Anova, Type
from jitterlab.analysis.cells import Cells
from jitterlab.analysis.components import Components, components
from jitterlab.analysis.formula import Formula, parse
from jitterlab.analysis.robust import RobustTest, wald
from jitterlab.analysis.splitplot import split_plot
from jitterlab.analysis.statistic import Statistic
from jitterlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

BLOCK = "block"
_CONFOUNDED = (
    "Blocks are left out, because some hold only some levels: drift over time may pass as an effect."
)
_MOST_CROSSED = 4
"""With more factors, the default model stops at interactions of two."""


@dataclass(frozen=True, slots=True)
class FactorialAnova:
    """One model, tested twice.

    Attributes:
        samples: With samples as units.
        runs: With runs as units; None where that is not possible.
        refusal: Why it is not possible, as a sentence; None if it is.
        components: How much of the scatter is between and within the runs.
        aliasing: Which effects the design cannot tell from interactions, as a sentence; empty if there are
            none.
    """

    samples: Anova
    runs: Anova | None
    refusal: str | None
    components: Components
    aliasing: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Both tables, ready for JSON."""
        return {
            "samples": self.samples.to_dict(),
            "runs": self.runs.to_dict() if self.runs else None,
            "refusal": self.refusal,
            "components": self.components.to_dict(),
            "aliasing": self.aliasing,
        }


def analyse(
    cells: Cells,
    formula: str | Formula | None = None,
    statistic: str = "mean",
    type: Type = 2,  # noqa: A002 (the word of the field)
) -> FactorialAnova:
    """Analyse a response: which factor decides it.

    Args:
        cells: The cells of a recording.
        formula: The model; its left side may ask for a transformation. Default: `default_formula`.
        statistic: What stands for a run. Samples as units always compare means.
        type: Type of the sums of squares.

    Raises:
        InputError: A factor is not in the recording or has one level, or the statistic or the transformation
            does not fit.
    """
    model = model_of(cells, formula)
    frame = cells.moments(model.transform)
    return _both(cells, model, frame, statistic, type)


def analyse_jitter(
    cells: Cells,
    formula: str | Formula | None = None,
    type: Type = 2,  # noqa: A002 (the word of the field)
) -> FactorialAnova:
    """Analyse the dispersion of a response: which factor decides the jitter.

    Samples as units: the factorial Brown-Forsythe test, an analysis of |x - median of the cell|. Runs as
    units: an analysis of the logarithm of each run's standard deviation: effects are ratios of jitters
    (Bartlett and Kendall, "The statistical analysis of variance-heterogeneity", 1946).

    Raises:
        InputError: As `analyse`, or the formula asks for a transformation.
    """
    model = model_of(cells, formula)
    if model.transform:
        raise InputError(
            f"the dispersion of {model.left} is not analysed",
            f"name {model.response}: its ratios are compared",
        )
    both = _both(cells, model, cells.distances(), "log_sd", type)
    return replace(both, samples=replace(both.samples, response=f"|{model.response} - median|"))


def default_formula(cells: Cells) -> Formula:
    """All factors that vary, with the highest interactions that leave runs to estimate the error with.

    Interactions that the measured combinations cannot tell from other terms are left out.

    Raises:
        InputError: No factor varies.
    """
    names = cells.varied
    if not names:
        raise InputError(
            "no factor of the recording has two levels that were measured",
            "vary one in the study, or finish it with 'jitterlab resume'",
        )
    combinations_possible = prod(len(cells.factors[name]) for name in names)
    complete = len({tuple(cell.levels.items()) for cell in cells.cells}) == combinations_possible
    order = len(names) if len(names) <= _MOST_CROSSED and complete else min(len(names), 2)
    while order > 1 and _spent(cells, names, order) >= len(cells.runs) - _blocks(cells):
        order -= 1
    terms = tuple(term for size in range(1, order + 1) for term in combinations(names, size))
    hidden = aliasing.inseparable(cells, terms)
    return Formula(cells.response, None, tuple(term for term in terms if term not in hidden))


def _spent(cells: Cells, names: tuple[str, ...], order: int) -> int:
    """Degrees of freedom of all terms up to that order."""
    return sum(
        prod(len(cells.factors[name]) - 1 for name in term)
        for size in range(1, order + 1)
        for term in combinations(names, size)
    )


def _blocks(cells: Cells) -> int:
    """How many blocks there are; one, if every run is a block of its own."""
    blocks = len({run.block for run in cells.runs})
    return blocks if blocks < len(cells.runs) else 1


def model_of(cells: Cells, formula: str | Formula | None) -> Formula:
    """The model that a formula means for these cells; the default one for None.

    Raises:
        InputError: The formula names another response, or it cannot be read.
    """
    if formula is None:
        return default_formula(cells)
    model = parse(formula) if isinstance(formula, str) else formula
    if model.response not in ("", cells.response):
        raise InputError(
            f"the formula names the response '{model.response}', but '{cells.response}' is analysed",
            f"write '{cells.response} ~ …' or choose the response by --response",
        )
    return replace(model, response=cells.response)


def _both(cells: Cells, model: Formula, frame: "pd.DataFrame", statistic: str, type_: Type) -> FactorialAnova:
    without_block = replace(model, terms=tuple(term for term in model.terms if BLOCK not in term))
    samples = anova(frame, without_block, type_)
    mixed = aliasing.note(cells, without_block.terms)
    of = Statistic.parse(statistic)
    try:
        runs, refusal = _noted(_over_runs(cells, model, of, type_), mixed), None
    except InputError as error:
        runs, refusal = None, f"{error}: {error.remedy}." if error.remedy else f"{error}."
    return FactorialAnova(_noted(samples, mixed), runs, refusal, components(cells, model.transform), mixed)


def _noted(result: Anova, note: str) -> Anova:
    return replace(result, notes=(*result.notes, note)) if note else result


def _over_runs(all_cells: Cells, model: Formula, of: Statistic, type_: Type) -> Anova:
    cells, left_out = all_cells.supporting(of)
    frame = cells.run_moments(of, model.transform)
    between = tuple(name for name in model.factors if name in cells.between_boots)

    def test(tested: Formula) -> Anova:
        if between:
            return split_plot(frame, tested, between, type_)
        return anova(frame, tested, type_, unit_of_analysis="run")

    result, blocked = test(model), with_block(cells, model)
    if blocked != model:
        result = _blocked(result, test(blocked))
    return _noted(replace(result, response=f"{of.name} of {model.left}"), left_out)


def _blocked(plain: Anova, blocked: Anova) -> Anova:
    """The analysis with blocks, unless they leave no error, or hide what the runs show without them."""
    if any(blocked[term.term].df < term.df for term in plain.effects):
        return replace(plain, notes=(*plain.notes, _CONFOUNDED))
    return plain if blocked.residual.df == 0 else blocked


def with_block(cells: Cells, model: Formula) -> Formula:
    """The model with the block as its first term, unless there is only one or the model names it."""
    if BLOCK in model.factors or _blocks(cells) < 2:
        return model
    return replace(model, terms=((BLOCK,), *model.terms))


def analyse_robustly(
    cells: Cells, formula: str | Formula | None = None, statistic: str = "mean"
) -> tuple[RobustTest, ...]:
    """Test a response with runs as units that may scatter differently in every combination (HC3, type 3).

    Raises:
        InputError: As `analyse`; or a factor is set between boots, or a combination was run only once.
    """
    model = model_of(cells, formula)
    between = [name for name in model.factors if name in cells.between_boots]
    if between:
        raise InputError(
            f"{', '.join(between)} changes by a boot, and robust tests know only runs",
            "leave the factor out, or use the usual test",
        )
    supported, _ = cells.supporting(Statistic.parse(statistic))
    frame, blocked = supported.run_moments(statistic, model.transform), with_block(supported, model)
    if blocked != model:
        with suppress(InputError):  # some blocks hold only some levels
            return wald(frame, blocked)
    return wald(frame, model)
