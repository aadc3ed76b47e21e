# SPDX-License-Identifier: Apache-2.0
"""Studies back to TOML, as options of the command line or the machine changed them."""

import json
from collections.abc import Mapping
from dataclasses import replace

from jitterlab.study.model import Study, StudyFactor


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def to_toml(study: Study) -> str:
    """The study as a TOML file that reads back as the same study."""
    lines = [
        "[study]",
        f"title = {_text(study.title)}",
        f"workload = {_text(study.workload)}",
        f"replicates = {study.replicates}",
        f"samples = {study.samples}",
        f"warmup = {study.warmup}",
        f"seed = {study.seed}",
        f"order = {_text(study.order)}",
        f"design = {_text(study.design)}",
        f"control = {'true' if study.control else 'false'}",
        "",
        "[parameters]",
        *(f"{name} = {_text(value)}" for name, value in study.parameters.items()),
        "",
        "[factors]",
        *(f"{factor.name} = [{', '.join(map(_text, factor.levels))}]" for factor in study.factors),
    ]
    return "\n".join(lines) + "\n"


def _reduce(factor: StudyFactor, left_out: Mapping[str, str]) -> StudyFactor:
    return replace(factor, levels=tuple(level for level in factor.levels if level not in left_out))


def leave_out(study: Study, unavailable: Mapping[str, Mapping[str, str]]) -> Study:
    """The study without levels that a machine cannot do.

    A factor of which one level remains becomes a fixed parameter; one of which none remains is dropped, and
    the machine stays as it is in this respect. A fractional design that loses a factor becomes a full one.

    Args:
        study: The study.
        unavailable: {factor: {level: reason}}.
    """
    if not unavailable:
        return study
    reduced = [_reduce(factor, unavailable.get(factor.name, {})) for factor in study.factors]
    single = {factor.name: factor.levels[0] for factor in reduced if len(factor.levels) == 1}
    kept = tuple(factor for factor in reduced if len(factor.levels) > 1)
    parameters = {
        name: value for name, value in study.parameters.items() if value not in unavailable.get(name, {})
    }
    smaller = replace(
        study,
        design=study.design if study.design == "plackett-burman" or kept == study.factors else "full",
        parameters={**parameters, **single},
        factors=kept,
    )
    comments = [
        f"# Left out, because this machine cannot do it: {name} = {level} ({' '.join(reason.split())})"
        for name, levels in unavailable.items()
        for level, reason in levels.items()
    ]
    return replace(smaller, text="\n".join(comments) + "\n" + to_toml(smaller))
