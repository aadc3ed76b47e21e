# SPDX-License-Identifier: Apache-2.0
"""Model formulas as R and the papers write them: `latency ~ a * b`, `log(latency) ~ C(a) + b + a:b`."""

import re
from dataclasses import dataclass
from typing import Any

from jitterlab.errors import InputError

TRANSFORMS = ("log", "log10", "sqrt")
_RESPONSE = re.compile(r"(?:np\.)?(?P<transform>\w+)\(\s*`?(?P<name>[^()`]+?)`?\s*\)")
_CATEGORY = re.compile(r"C\(\s*`?(?P<name>[^(),`]+?)`?\s*\)")
_POWER = re.compile(r"(?:\*\*|\^)\s*(\d+)")
_LONGEST, _MOST_STARS, _HIGHEST_POWER = 2000, 10, 8


@dataclass(frozen=True, slots=True)
class Formula:
    """A factorial model.

    Attributes:
        response: What the left side names; empty if the formula has no left side.
        transform: `log`, `log10` or `sqrt` if the left side asks for it, or None.
        terms: The terms of the right side without the constant, each a tuple of factor names; main effects
            first, then interactions by order, within one order as written.
    """

    response: str
    transform: str | None
    terms: tuple[tuple[str, ...], ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors in the order in which they first appear."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    def __str__(self) -> str:
        left = f"{self.transform}({self.response})" if self.transform else self.response
        return f"{left} ~ {' + '.join(':'.join(term) for term in self.terms)}".strip()


def parse(text: str) -> Formula:
    """Read a formula with `+ - * : / **`, brackets and `C(factor)`; names with blanks go between backticks.

    All factors are categories: `C(size)` and `size` mean the same.

    Raises:
        InputError: The text is no formula, or it asks for what a factorial model does not have.
    """
    from formulaic import Formula as Parsed
    from formulaic.errors import FormulaicError

    _refuse_explosions(text)
    try:
        parsed: Any = Parsed(text)
    except FormulaicError as error:
        reason = re.sub(r"\x1b\[[\d;]*m|[⧛⧚]|\[1;31m|\[0m", "", str(error)).split("\n")[0]
        raise InputError(f"formula '{text}': {reason}", "write it like 'latency ~ network * size'") from error
    left, right = getattr(parsed, "lhs", ()), getattr(parsed, "rhs", parsed)
    if isinstance(right, tuple):
        raise InputError(f"formula '{text}': '|' is not supported", "write one model, like 'latency ~ a * b'")
    response, transform = _response(text, [str(term) for term in left])
    terms = [tuple(_factor(text, factor) for factor in term.factors) for term in right]
    if ("1",) not in terms:
        raise InputError(f"formula '{text}' leaves out the constant", "remove '0 +' or '- 1'")
    terms.remove(("1",))
    if not terms:
        raise InputError(f"formula '{text}' names no factor", "write it like 'latency ~ network * size'")
    return Formula(response, transform, tuple(sorted(terms, key=len)))


def full(response: str, factors: tuple[str, ...]) -> Formula:
    """The model with all main effects and interactions of the factors."""
    names = " * ".join(f"`{name}`" for name in factors)
    return parse(f"`{response}` ~ {names}")


def _refuse_explosions(text: str) -> None:
    powers = [int(power[:4]) for power in _POWER.findall(text)]
    if len(text) > _LONGEST or text.count("*") - 2 * text.count("**") > _MOST_STARS or len(powers) > 1:
        raise InputError(f"the formula '{text[:60]}…' is too long", "name fewer factors or interactions")
    if any(power > _HIGHEST_POWER for power in powers):
        raise InputError(f"formula '{text}': the power is too high", "write '**2' for all pairs of factors")


def _response(text: str, left: list[str]) -> tuple[str, str | None]:
    if not left:
        return "", None
    if len(left) > 1 or left == ["1"]:
        raise InputError(f"formula '{text}' has no single response", "name one on the left: 'latency ~ …'")
    match = _RESPONSE.fullmatch(left[0])
    if match is None:
        return left[0].strip("`"), None
    if match["transform"] not in TRANSFORMS:
        raise InputError(
            f"formula '{text}': the transformation '{match['transform']}' is not known",
            f"use one of: {', '.join(TRANSFORMS)}",
        )
    return match["name"], match["transform"]


def _factor(text: str, factor: Any) -> str:  # noqa: ANN401 (formulaic has no types)
    name = str(factor.expr)
    if factor.eval_method.value != "python":
        return name
    match = _CATEGORY.fullmatch(name)
    if match is None:
        raise InputError(f"formula '{text}': '{name}' is no factor", "use plain factor names or C(name)")
    return match["name"]
