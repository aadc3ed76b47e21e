# SPDX-License-Identifier: Apache-2.0
"""What a check is, and what it finds."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from jitterlab.targets import Target

Verdict = Literal["late", "unknown", "ok"]
ADMIN_GUIDE = "https://docs.kernel.org/admin-guide"


class Severity(IntEnum):
    """How late a sample can be because of it, by order of magnitude."""

    UNDER_10_US = 1
    TENS_OF_US = 2
    HUNDREDS_OF_US = 3
    MILLISECONDS = 4


@dataclass(frozen=True, slots=True)
class Observation:
    """What one look at a machine showed.

    Attributes:
        verdict: `late` if it makes this machine late, `ok` if not, `unknown` if it cannot be told here.
        evidence: What was read, with where it was read if that is not plain.
        remedy: The exact command or kernel parameter, where it depends on what was read; otherwise empty.
    """

    verdict: Verdict
    evidence: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Something about a machine that can make it late.

    Attributes:
        name: One or two words.
        severity: How late it can make a sample.
        cost: What it costs, in plain words.
        source: Where that is written: kernel documentation or a manual page.
        remedy: The exact command or kernel parameter that helps; an observation can be more exact.
        look: Looks at a target, of which these CPUs matter.
    """

    name: str
    severity: Severity
    cost: str
    source: str
    remedy: str
    look: Callable[[Target, tuple[int, ...]], Observation]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found on a machine.

    Attributes:
        name: The check.
        verdict: `late` if it makes this machine late, `ok` if not, `unknown` if it cannot be told here.
        severity: How late it can make a sample.
        evidence: What was read.
        cost: What it costs, in plain words.
        source: Where that is written.
        remedy: The exact command or kernel parameter that helps; empty if all is well.
    """

    name: str
    verdict: Verdict
    severity: Severity
    evidence: str
    cost: str
    source: str
    remedy: str


def whole_number(text: str | None) -> int | None:
    """The whole number that a file shows; None if it shows none."""
    return int(text) if text and re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else None


def examine_one(check: Check, target: Target, cpus: tuple[int, ...]) -> Finding:
    """Look at a target with one check."""
    seen = check.look(target, cpus)
    remedy = "" if seen.verdict == "ok" else seen.remedy or check.remedy
    return Finding(check.name, seen.verdict, check.severity, seen.evidence, check.cost, check.source, remedy)
