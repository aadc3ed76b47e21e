# SPDX-License-Identifier: Apache-2.0
"""What a machine can and cannot do of a study, found before anything is changed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jitterlab import design
from jitterlab.registry import Availability, lookup, registered
from jitterlab.session.settings import held, settings, workload_of
from jitterlab.study import Study
from jitterlab.targets import Target

BASES_TRIED = 32
# What a run needs beside its samples: settings, snapshots, writing, measured with a few thousand samples.
RUN_OVERHEAD_S = 0.3
BUSY_OVERHEAD_S = 1.2

Reasons = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What can be done here, each with the reason why not, or None if it can.

    Attributes:
        workload: The workload with some combination of its settings.
        parameters: {name: {level: reason}} of what the study holds fixed about the machine.
        factors: {name: {level: reason}}.
        meters: {name: reason}.
    """

    workload: str | None
    parameters: Mapping[str, Reasons]
    factors: Mapping[str, Reasons]
    meters: Reasons

    @property
    def unavailable(self) -> dict[str, dict[str, str]]:
        """{name: {level: reason}} of all factors and fixed settings that cannot be done."""
        found = {
            name: {level: reason for level, reason in levels.items() if reason is not None}
            for name, levels in {**self.parameters, **self.factors}.items()
        }
        return {name: levels for name, levels in found.items() if levels}


def _level_reason(availability: Availability, level: str) -> str | None:
    if availability.levels is not None and level in availability.levels:
        return None
    if not availability:
        return availability.reason
    if availability.levels is None or (availability.also and re.fullmatch(availability.also, level)):
        return None
    return f"there is no {level} here; there is {', '.join(availability.levels)}"


def _machine(target: Target, name: str, levels: tuple[str, ...]) -> Reasons:
    availability = lookup("factors", name).available(target)
    return {level: _level_reason(availability, level) for level in levels}


def _base(study: Study, target: Target) -> tuple[dict[str, Any] | None, str | None]:
    """Settings of a cell that the workload can do here; or the reason why it cannot do the first."""
    first: str | None = None
    for levels in islice(design.cells(study), BASES_TRIED):
        chosen = settings(study, levels)
        reason = workload_of(study).check(target, chosen)
        if reason is None:
            return chosen, None
        first = first or reason
    return None, first


def _workload_levels(
    study: Study, target: Target, name: str, levels: tuple[str, ...], base: dict[str, Any]
) -> Reasons:
    workload = workload_of(study)
    parse = workload.parameters[name].parse
    return {level: workload.check(target, {**base, name: parse(level)}) for level in levels}


def duration_s(study: Study) -> float:
    """How long all runs of a study take, in seconds, roughly."""
    cells = design.cells(study)
    block = [*cells, cells[0]] if study.control else cells
    return study.replicates * sum(_run_s(study, levels) for levels in block)


def _run_s(study: Study, levels: Mapping[str, str]) -> float:
    busy = any(
        getattr(lookup("factors", name), "busy", False) and level != "none"
        for name, level in held(study, levels).items()
    )
    measured_s = workload_of(study).duration_s(settings(study, levels))
    return measured_s + RUN_OVERHEAD_S + busy * BUSY_OVERHEAD_S


def examine(study: Study, target: Target) -> Feasibility:
    """Ask the workload, every factor and every meter what they can do on a target. Changes nothing."""
    workload = workload_of(study)
    availability = workload.available(target)
    base, reason = _base(study, target) if availability else (None, availability.reason)
    factors: dict[str, Reasons] = {}
    for factor in study.factors:
        if factor.name not in workload.parameters:
            factors[factor.name] = _machine(target, factor.name, factor.levels)
        elif base is not None:
            factors[factor.name] = _workload_levels(study, target, factor.name, factor.levels, base)
        else:
            factors[factor.name] = dict.fromkeys(factor.levels, reason)
    fixed = {name: level for name, level in study.parameters.items() if name not in workload.parameters}
    parameters = {name: _machine(target, name, (level,)) for name, level in fixed.items()}
    meters = {name: meter.available(target).reason for name, meter in registered("meters").items()}
    return Feasibility(reason, parameters, factors, meters)
