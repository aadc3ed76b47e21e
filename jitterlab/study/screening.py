# SPDX-License-Identifier: Apache-2.0
"""Which designs can be made of which factors: the full factorial, and screening for two-level factors.

Fractional factorials are written by generators, one word per factor in the order of [factors]: "a b c abc" is
four factors in eight cells (Box, Hunter and Hunter, Statistics for Experimenters, ch. 6); Plackett-Burman
designs (Biometrika 33, 1946) estimate main effects only.
"""

import re
from collections.abc import Sequence
from math import prod

DESIGNS = '"full", "plackett-burman", or "fractional:GENERATORS" such as "fractional:a b ab"'
MAX_SCREENED = 23  # the largest number of factors for which every Plackett-Burman size exists
MAX_BASE = 12


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
