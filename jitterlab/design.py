# SPDX-License-Identifier: Apache-2.0
"""Designs: which cells a study has, and in which order its runs are made. Pure; the seed decides everything.

Blocks: every block (replicate) holds every cell once, so that slow changes of the machine fall on all cells
alike (Fisher's randomised complete block design). Factors that change only between boots are whole plots: the
other factors are nested in them, so that a block boots each of their combinations once (a split-plot design).

Screening designs for many factors of two levels are described in `jitterlab.study.screening`.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, product

from jitterlab.study.model import Study, StudyFactor
from jitterlab.study.screening import generators

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
