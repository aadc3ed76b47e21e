# SPDX-License-Identifier: Apache-2.0
"""Whether a study makes sense: every key and value is looked at, and all that is wrong is said at once."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from jitterlab.errors import suggestion
from jitterlab.quantities import parse_whole
from jitterlab.registry import registered
from jitterlab.study.model import Study, StudyFactor
from jitterlab.study.problems import Problems, show
from jitterlab.study.screening import DESIGNS, cell_count, problem

ORDERS = ("blocks", "random", "listed")
MAX_RUNS = 100_000
MAX_SAMPLES = 10_000_000_000
MAX_LEVELS = 1000
MAX_FACTORS = 64

# What a recording calls its own columns: a factor of such a name could not be told from them.
_COLUMNS = """run block cell status attempts started duration_s samples warmup missed lost error facts
cpu source period due latency value count flags"""
RESERVED = frozenset(_COLUMNS.split())


def _title(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 200 or not value.isprintable():
        raise ValueError("a line of text of at most 200 characters")
    return value


def _order(value: object) -> str:
    if value not in ORDERS:
        raise ValueError(", ".join(f'"{order}"' for order in ORDERS))
    return str(value)


def _design(value: object) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise ValueError(DESIGNS)
    return value


def _workload(value: object) -> str:
    known = registered("workloads")
    if not isinstance(value, str) or value not in known:
        raise ValueError(", ".join(f'"{name}"' for name in known))
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 (all parsers of values raise ValueError)
    return value


STUDY_KEYS: Mapping[str, Callable[[object], Any]] = {
    "title": _title,
    "workload": _workload,
    "replicates": partial(parse_whole, low=1, high=10_000),
    "samples": partial(parse_whole, low=1, high=MAX_SAMPLES),
    "warmup": partial(parse_whole, low=0, high=1_000_000_000),
    "seed": partial(parse_whole, low=0, high=2**63 - 1),
    "order": _order,
    "design": _design,
    "control": _boolean,
}
DEFAULTS: Mapping[str, object] = {
    "replicates": 3,
    "samples": 10_000,
    "warmup": 500,
    "seed": 1,
    "order": "blocks",
    "design": "full",
    "control": False,
}


def _check_sections(document: Mapping[str, Any], problems: Problems) -> None:
    sections = ("study", "parameters", "factors")
    for name, value in document.items():
        if name not in sections:
            where = suggestion(name, sections) or (
                f"write it into [study] as {name} = …" if name in STUDY_KEYS else "remove it"
            )
            problems.add(name[:60], "an unknown section", "[study], [parameters] and [factors]", where)
        elif not isinstance(value, dict):
            problems.add(name, show(value), f"a section [{name}]")


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = document.get(name, {})
    return section if isinstance(section, dict) else {}


def _study_keys(section: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    values = dict(DEFAULTS)
    for key, value in section.items():
        if key not in STUDY_KEYS:
            problems.add(
                f"[study] {key[:60]}", "an unknown key", ", ".join(STUDY_KEYS), suggestion(key, STUDY_KEYS)
            )
            continue
        try:
            values[key] = STUDY_KEYS[key](value)
        except ValueError as error:
            close = (
                suggestion(value, registered("workloads"))
                if key == "workload" and isinstance(value, str)
                else ""
            )
            problems.add(f"[study] {key}", show(value), str(error), close)
    for key in ("title", "workload"):
        if key not in section:
            problems.add(f"[study] {key}", "nothing", "required", f'write {key} = "…"')
    return values


class _Names:
    """What can be held or varied: the parameters of the workload, and the registered factors."""

    def __init__(self, workload: object) -> None:
        known = registered("workloads").get(workload) if isinstance(workload, str) else None
        self.parameters = dict(known.parameters) if known is not None else {}
        self.factors = registered("factors")
        self.reserved = RESERVED | {response.name for response in known.responses} if known else RESERVED
        self.known = known is not None

    def canonical(self, name: str, value: object) -> str:
        """The canonical text of a value; ValueError says what is allowed."""
        if (
            isinstance(value, (dict, list))
            or value is None
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            raise ValueError("a text, a number, true or false")
        if isinstance(value, int) and value.bit_length() > 64:
            raise ValueError("a number of at most 64 bits")
        if isinstance(value, str) and (len(value) > 1000 or not value.isprintable()):
            raise ValueError("a line of text of at most 1000 characters")
        if name in self.parameters:
            parameter = self.parameters[name]
            return str(parameter.format(parameter.parse(value)))
        return str(self.factors[name].parse(value))

    def between_boots(self, name: str) -> bool:
        return name not in self.parameters and bool(self.factors[name].between_boots)

    def check(self, section: str, name: str, problems: Problems) -> bool:
        """Whether the name is known; notes the problem if not."""
        key = f"[{section}] {name[:60]}"
        if name in self.reserved:
            where = (
                f"write {name} = … into [study]"
                if name in STUDY_KEYS
                else "a recording has a column of that name"
            )
            problems.add(key, "a reserved name", "a parameter of the workload or a factor", where)
            return False
        choices = sorted({*self.parameters, *self.factors})
        if name not in choices:
            # Without a valid workload, its parameters are not known: that problem is noted already.
            if self.known:
                problems.add(key, "an unknown name", ", ".join(choices), suggestion(name, choices))
            return False
        return True


def _parameters(section: Mapping[str, Any], names: _Names, problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in section.items():
        if not names.check("parameters", name, problems):
            continue
        try:
            found[name] = names.canonical(name, value)
        except ValueError as error:
            remedy = "to vary it, write it into [factors]" if isinstance(value, list) else ""
            problems.add(f"[parameters] {name}", show(value), str(error), remedy)
    return found


def _levels(name: str, values: object, names: _Names, problems: Problems) -> tuple[str, ...]:
    key = f"[factors] {name}"
    if not isinstance(values, list) or not 2 <= len(values) <= MAX_LEVELS:
        remedy = "" if isinstance(values, (list, dict)) else "to hold it fixed, write it into [parameters]"
        problems.add(key, show(values), f"a list of 2 to {MAX_LEVELS} levels", remedy)
        return ()
    levels: list[str] = []
    for position, value in enumerate(values, start=1):
        try:
            level = names.canonical(name, value)
        except ValueError as error:
            problems.add(f"{key}, level {position}", show(value), str(error))
            continue
        if level in levels:
            problems.add(
                f"{key}, level {position}", show(value), f'each level once ("{level}" stands there already)'
            )
        levels.append(level)
    return tuple(levels)


def _factors(document: Mapping[str, Any], names: _Names, problems: Problems) -> tuple[StudyFactor, ...]:
    section, fixed = _section(document, "factors"), _section(document, "parameters")
    if len(section) > MAX_FACTORS:
        problems.add("[factors]", f"{len(section)} factors", f"at most {MAX_FACTORS}")
        return ()
    factors = []
    for name, values in section.items():
        if not names.check("factors", name, problems):
            continue
        if name in fixed:
            problems.add(f"[factors] {name}", "it in [parameters] too", "one of the two sections")
        factors.append(StudyFactor(name, _levels(name, values, names, problems), names.between_boots(name)))
    return tuple(factors)


def _check_design(values: Mapping[str, Any], factors: tuple[StudyFactor, ...], problems: Problems) -> None:
    counts = [len(factor.levels) for factor in factors]
    reason = problem(values["design"], counts)
    if reason is not None:
        problems.add("[study] design", show(values["design"]), reason)
        return
    runs = values["replicates"] * (cell_count(values["design"], counts) + int(values["control"]))
    if runs > MAX_RUNS:
        remedy = 'take fewer levels or replicates, or a screening design (design = "plackett-burman")'
        problems.add("[factors]", f"{show(runs)} runs", f"at most {MAX_RUNS:_}", remedy)


def validate(document: Mapping[str, Any], path: Path, origins: Mapping[str, str]) -> Study:
    """The study that a TOML document describes; its text is left empty.

    Args:
        document: The document, with what the command line changed.
        path: Where it came from.
        origins: {key: option} of what the command line changed.

    Raises:
        InputError: All problems of the document, one line each.
    """
    problems = Problems(path, origins)
    _check_sections(document, problems)
    values = _study_keys(_section(document, "study"), problems)
    names = _Names(values.get("workload"))
    parameters = _parameters(_section(document, "parameters"), names, problems)
    factors = _factors(document, names, problems)
    if not problems.lines:
        _check_design(values, factors, problems)
    problems.raise_if_any()
    return Study(**values, parameters=parameters, factors=factors, text="", path=path)
