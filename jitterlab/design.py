# SPDX-License-Identifier: Apache-2.0
"""Designs: which cells a study has, and in which order its runs are made. Pure; the seed decides everything.

Blocks: every block (replicate) holds every cell once, so that slow changes of the machine fall on all cells
alike (Fisher's randomised complete block design). Factors that change only between boots are whole plots: the
other factors are nested in them, so that a block boots each of their combinations once (a split-plot design).

Screening: two-level fractional factorials are written by generators, one word per factor in the order of
[factors], such as "a b c abc" for four factors in eight cells (Box, Hunter and Hunter, Statistics for
Experimenters, ch. 6); Plackett-Burman designs (Biometrika 33, 1946) estimate main effects only.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, product
from math import prod

from jitterlab.study.model import Study, StudyFactor

ORDERS = ("blocks", "random", "listed")
DESIGNS = '"full", "plackett-burman", or "fractional:GENERATORS" such as "fractional:a b ab"'
MAX_SCREENED = 23  # the largest number of factors for which every Plackett-Burman size exists
MAX_BASE = 12

Levels = dict[str, str]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One execution of one cell in one block.

    Attributes:
        run: Its number in the planned order, from 1.
        block: The number of the block (replicate), from 1.
        cell: The number of the cell in listed order, from 1. The A/A control repeats cell 1, with the same
            levels, under the number after the last cell: whoever compares the two compares equals.
        levels: The canonical text of every factor's level.
    """

    run: int
    block: int
    cell: int
    levels: Levels


def generators(design: str) -> list[str]:
    """The words of "fractional:a b -ab", lower case: one per factor, in the order of [factors]."""
    return design.removeprefix("fractional:").lower().split()


def problem(design: str, levels: Sequence[int]) -> str | None:
    """Why a design cannot be made of factors with these numbers of levels (what is allowed); None if it can.

    Args:
        design: As a study says.
        levels: The number of levels of each factor.
    """
    if design == "full":
        return None
    if design != "plackett-burman" and not design.startswith("fractional:"):
        return DESIGNS
    if not levels or any(count != 2 for count in levels):
        return '"full", or exactly two levels for every factor'
    if len(levels) > MAX_SCREENED:
        return f"at most {MAX_SCREENED} factors"
    return None if design == "plackett-burman" else _generator_problem(generators(design), len(levels))


def _generator_problem(words: list[str], factors: int) -> str | None:
    if len(words) != factors:
        return f"one generator per factor: {factors} words, such as {DESIGNS}"
    if not all(re.fullmatch(r"[-+]?[a-z]+", word) for word in words):
        return "generators of letters with an optional sign, such as a, b, ab or -ab"
    bare = [word.lstrip("+-") for word in words]
    base = [word for word in bare if len(word) == 1]
    expected = [chr(ord("a") + index) for index in range(len(base))]
    if base != expected or not 1 <= len(base) <= MAX_BASE:
        return f"single letters a, b, c… in this order (at most {MAX_BASE}), and products of them"
    canonical = ["".join(sorted(set(word))) for word in bare]
    if (
        any(set(word) - set(base) or len(set(word)) != len(word) for word in bare)
        or len(set(canonical)) < factors
    ):
        return f"different products of the letters {', '.join(base)}, each letter once in a word"
    return None


def cell_count(design: str, levels: Sequence[int]) -> int:
    """How many cells a design has; cheap, for limits. The design must be possible (see `problem`)."""
    if design == "full":
        return prod(levels)
    if design == "plackett-burman":
        return 4 * (len(levels) // 4 + 1)
    return 1 << sum(len(word.lstrip("+-")) == 1 for word in generators(design))


def cells(study: Study) -> list[Levels]:
    """The cells of a study in listed order: whole plots first, the first factor slowest."""
    factors = _whole_plots_first(study.factors)
    if study.design == "full":
        combinations: Iterable[tuple[str, ...]] = product(*(factor.levels for factor in factors))
        return [
            _named(study, dict(zip((f.name for f in factors), levels, strict=True)))
            for levels in combinations
        ]
    import pydoe

    if study.design == "plackett-burman":
        matrix = pydoe.pbdesign(len(study.factors))
    else:
        matrix = pydoe.fracfact(" ".join(generators(study.design)))
    picked = [
        {f.name: f.levels[int(sign > 0)] for f, sign in zip(study.factors, row, strict=True)}
        for row in matrix
    ]
    position = {f.name: {level: index for index, level in enumerate(f.levels)} for f in factors}
    return sorted(picked, key=lambda levels: [position[f.name][levels[f.name]] for f in factors])


def _whole_plots_first(factors: Sequence[StudyFactor]) -> list[StudyFactor]:
    return sorted(factors, key=lambda factor: not factor.between_boots)


def _named(study: Study, levels: Levels) -> Levels:
    return {factor.name: levels[factor.name] for factor in study.factors}


def _plots(study: Study) -> list[list[PlannedRun]]:
    """The runs of every block in listed order, apart for each combination of the factors between boots."""
    listed = cells(study)
    numbered = [*listed, listed[0]] if study.control else listed
    plots: dict[tuple[object, ...], list[PlannedRun]] = {}
    for block in range(1, study.replicates + 1):
        for cell, levels in enumerate(numbered, start=1):
            boot = (block, *(levels[factor.name] for factor in study.factors if factor.between_boots))
            plots.setdefault(boot, []).append(PlannedRun(0, block, cell, levels))
    return list(plots.values())


def plan(study: Study) -> tuple[PlannedRun, ...]:
    """All runs of a study in the order in which they are to be made; the same study gives the same plan.

    "blocks" shuffles within each block, "random" shuffles all runs, "listed" keeps the listed order in every
    block. With factors between boots, their combinations are shuffled as wholes and the runs inside them.
    """
    plots = _plots(study)
    draw = random.Random(study.seed)
    if study.order == "random" and not any(factor.between_boots for factor in study.factors):
        plots = [[run for plot in plots for run in plot]]
    if study.order == "random":
        draw.shuffle(plots)
    if study.order == "blocks":
        blocks = [list(block) for _, block in groupby(plots, key=lambda plot: plot[0].block)]
        plots = [plot for block in blocks for plot in draw.sample(block, len(block))]
    if study.order != "listed":
        plots = [draw.sample(plot, len(plot)) for plot in plots]
    return tuple(replace(run, run=number) for number, run in enumerate(chain.from_iterable(plots), start=1))
