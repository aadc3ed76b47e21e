# SPDX-License-Identifier: Apache-2.0
"""The answer in sentences: which factor decides, how much, with what certainty; or that nobody can tell.

A factor is said to decide only where the test with runs as units says so, after the correction for several
terms by Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
(1979).
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, inf

from jitterlab.analysis.anovatable import Anova, Term
from jitterlab.analysis.cells import Cells
from jitterlab.analysis.differences import Difference, adjust, differences
from jitterlab.analysis.factorial import FactorialAnova
from jitterlab.analysis.wording import listing, number, percent, probability, quantity
from jitterlab.errors import InputError

SIGNIFICANCE = 0.05
MOST_CONDITIONS = 4
MOST_NAMED = 2
MOST_REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    Attributes:
        question: As people ask it.
        deciding: The term that decides (`policy`, `policy:load`); None if nobody can tell.
        sentences: The answer, the most important sentence first.
        differences: The comparisons that it rests on.
    """

    question: str
    deciding: str | None
    sentences: tuple[str, ...]
    differences: tuple[Difference, ...] = ()


def answer(question: str, what: str, statistic: str, cells: Cells, result: FactorialAnova | None) -> Answer:
    """What an analysis of variance says.

    Args:
        question: As people ask it.
        what: What was analysed, as a part of a sentence: `the median latency`.
        statistic: What stands for a run in comparisons of levels.
        cells: What was analysed.
        result: The analysis; None if no factor was varied.
    """
    if result is None:
        return Answer(question, None, ("No factor was varied: the cells say how late it is, not why.",))
    if result.runs is None:
        return Answer(question, None, (f"Cannot tell what decides {what}. {result.refusal}",))
    tested = [(term, term.p) for term in result.runs.effects if term.p is not None]
    if not tested:
        return Answer(question, None, (f"Cannot tell what decides {what}: {_untestable(result.runs)}.",))
    untested = tuple(_unjudged([term for term in result.runs.effects if term.p is None]))
    corrected = dict(zip((term for term, _ in tested), adjust([p for _, p in tested]), strict=True))
    deciding = sorted((t for t, p in corrected.items() if p < SIGNIFICANCE), key=lambda t: -(t.omega_sq or 0))
    n = number(result.runs.n, "run")
    if not deciding:
        nothing = _nothing(question, what, statistic, cells, n)
        return replace(nothing, sentences=(*nothing.sentences, *untested))
    first = deciding[0]
    compared = _compared(cells, *_conditions(first, deciding, cells), statistic)
    sentences = [
        _main(first, corrected[first], what, n),
        *(condition + found.sentence() for condition, found in compared),
    ]
    sentences += [_further(term, corrected[term]) for term in deciding[1:]]
    sentences += _silent([term for term in corrected if term not in deciding])
    return Answer(question, first.term, (*sentences, *untested), tuple(found for _, found in compared))


def as_papers(mean: FactorialAnova | None) -> tuple[str, ...]:
    """What papers would say that take samples as units, where that is more than the runs support."""
    if mean is None or mean.runs is None:
        return ()
    supported = {term.term for term in _significant(mean.runs)}
    extra = [term for term in _significant(mean.samples) if term.term not in supported]
    if not extra:
        return ()
    sentence = (
        f"For comparison: with all {number(mean.samples.n, 'sample')} as units, as papers test the mean, "
        f"{listing([_name(term) for term in extra])} would be significant as well. Samples of one run are "
        "not independent, so that this is no evidence."
    )
    return (sentence,)


def _significant(table: Anova) -> list[Term]:
    """The effects that are significant; a p value that is too small for a float is 0."""
    return [term for term in table.effects if term.p is not None and term.p < SIGNIFICANCE]


def _main(term: Term, p: float, what: str, n: str) -> str:
    evidence = f"F = {term.F:.3g}, {probability(p)}, {n} as units"
    return f"{_subject(term)} decides {what}: it explains {_share(term)} of the variance ({evidence})."


def _further(term: Term, p: float) -> str:
    return f"{_subject(term)} matters too: {_share(term)} of the variance ({probability(p)})."


def _untestable(runs: Anova) -> str:
    if runs.residual.df:
        return "runs of the same settings agree to the last digit, so that there is no scatter to judge by"
    return "nothing was repeated that could tell how much runs differ by themselves"


def _unjudged(terms: list[Term]) -> Iterator[str]:
    if terms:
        yield f"{listing([_name(term) for term in terms])} cannot be judged: nothing is left to test against."


def _silent(terms: list[Term]) -> Iterator[str]:
    if len(terms) > MOST_NAMED:
        yield "No other factor or interaction that was tested has a detectable effect."
    elif terms:
        yield f"No effect of {listing([_name(term) for term in terms])} is detectable."


def _nothing(question: str, what: str, statistic: str, cells: Cells, n: str) -> Answer:
    """What can be said where no term is significant: how large an effect would have been seen."""
    compared = [found for factor in cells.varied for _, found in _compared(cells, factor, (), statistic)]
    sentences = [f"Cannot tell: no factor changes {what} detectably in {n}."]
    sentences += [said for found in compared if (said := _needed(found, cells))]
    return Answer(question, None, tuple(sentences), tuple(compared))


def _needed(found: Difference, cells: Cells) -> str | None:
    """Which difference would have been seen, and how many replicates the observed one would take.

    What can be seen shrinks with the square root of the runs: Cohen, "Statistical Power Analysis for the
    Behavioral Sciences" (1988), section 2.4.
    """
    contrast = found.contrast
    if contrast.detectable is None or contrast.difference is None or not contrast.a:
        return None
    seen, relative = (
        quantity(contrast.detectable, contrast.unit),
        percent(contrast.detectable / abs(contrast.a)),
    )
    text = (
        f"{found.factor}: a difference of {seen} ({relative}) would probably have been seen; between "
        f"{found.level} and {found.reference} it was {quantity(contrast.difference, contrast.unit)}"
    )
    if abs(contrast.difference) >= contrast.detectable:
        return f"{text}, which stands out by itself, but not among all comparisons that were made."
    replicates = len({run.block for run in cells.runs})
    factor = (contrast.detectable / contrast.difference) ** 2 if contrast.difference else inf
    if factor * replicates > MOST_REPLICATES:
        return f"{text}, too little to be worth more replicates."
    needed = max(ceil(factor * replicates), replicates + 1)
    return f"{text}, which would need about {needed} replicates instead of {replicates}."


def _conditions(first: Term, deciding: list[Term], cells: Cells) -> tuple[str, tuple[str, ...]]:
    """The factor whose levels are compared, and those under whose levels, because they interact with it."""
    order = list(cells.factors)
    factor, *others = sorted(first.term.split(":"), key=order.index)
    if not others:
        joint = [term.term.split(":") for term in deciding if ":" in term.term]
        others = next(([name for name in names if name != factor] for names in joint if factor in names), [])
    return factor, tuple(others)


def _compared(
    cells: Cells, factor: str, others: tuple[str, ...], statistic: str
) -> list[tuple[str, Difference]]:
    """The largest difference between levels of a factor, under each condition that the others make."""
    found = []
    for levels in list(product(*(cells.factors[name] for name in others)))[:MOST_CONDITIONS]:
        where = dict(zip(others, levels, strict=True))
        condition = "".join(f"With {name}={level}, " for name, level in where.items())
        with suppress(InputError):  # some levels were never measured under this condition
            found.append((condition, _largest(differences(_only(cells, where), factor, statistic))))
    return found


def _only(cells: Cells, where: dict[str, str]) -> Cells:
    kept = tuple(cell for cell in cells.cells if all(cell.levels[name] == where[name] for name in where))
    factors = {name: (where[name],) if name in where else levels for name, levels in cells.factors.items()}
    return replace(cells, cells=kept, factors=factors)


def _largest(found: tuple[Difference, ...]) -> Difference:
    return max(found, key=lambda one: abs(one.contrast.difference or 0.0))


def _share(term: Term) -> str:
    share = term.omega_sq or 0.0
    if share < 0.001:
        return "less than 0.1 %"
    return "more than 99.9 %" if share > 0.999 else percent(round(share, 3))


def _subject(term: Term) -> str:
    name = _name(term)
    return f"The factor {name}" if ":" not in term.term else f"{name[0].upper()}{name[1:]}"


def _name(term: Term) -> str:
    factors = term.term.split(":")
    return term.term if len(factors) == 1 else f"the interaction of {listing(factors)}"
