# SPDX-License-Identifier: Apache-2.0
"""What a run sets: the settings of its workload, and the levels at which machine factors are held."""

from collections.abc import Mapping
from typing import Any

from jitterlab.registry import lookup
from jitterlab.study import Study
from jitterlab.workloads import Workload


def workload_of(study: Study) -> Workload:
    """The workload that a study names."""
    workload: Workload = lookup("workloads", study.workload)
    return workload


def settings(study: Study, levels: Mapping[str, str]) -> dict[str, Any]:
    """The parsed values of all parameters of the workload, and `samples` and `warmup`.

    Args:
        study: The study.
        levels: The levels of a run; they win over [parameters], which win over defaults.
    """
    chosen = {**study.parameters, **levels}
    values = {
        name: parameter.parse(chosen.get(name, parameter.default))
        for name, parameter in workload_of(study).parameters.items()
    }
    return {**values, "samples": study.samples, "warmup": study.warmup}


def needs_guard(study: Study) -> bool:
    """Whether a study holds anything that only the guard may change."""
    names = {*study.parameters, *(factor.name for factor in study.factors)} - set(
        workload_of(study).parameters
    )
    return any(not getattr(lookup("factors", name), "busy", False) for name in names)


def held(study: Study, levels: Mapping[str, str]) -> dict[str, str]:
    """The machine factors of a run with their levels, in the order in which they are to be held.

    Those that keep the machine busy come last, when all its settings are in force.
    """
    parameters = workload_of(study).parameters
    chosen = {name: level for name, level in {**study.parameters, **levels}.items() if name not in parameters}
    return dict(sorted(chosen.items(), key=lambda item: getattr(lookup("factors", item[0]), "busy", False)))
