# SPDX-License-Identifier: Apache-2.0
"""Model formulas as R and the papers write them: `latency ~ a * b`, `log(latency) ~ C(a) + b + a:b`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jitterlab.errors import InputError

TRANSFORMS = ("log", "log10", "sqrt")
MOST_TERMS = 256
_DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<operator>\*\*|[-+*:/^()~])
    |C\(\s*(?P<category>`[^`]+`|[\w.]+)\s*(?:,\s*Sum\s*)?\)
    |(?P<name>`[^`]+`|[\w.]+)
    |(?P<end>$))""",
    re.VERBOSE,
)
_RESPONSE = re.compile(r"\s*(?:(?:np\.)?(?P<transform>\w+)\((?P<inner>[^()]+)\)|(?P<plain>[^()]*))\s*")

Term = tuple[str, ...]
_CONSTANT: Term = ()


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
    terms: tuple[Term, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors in the order in which they first appear."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    @property
    def left(self) -> str:
        """The left side: the response with its transformation."""
        return f"{self.transform}({self.response})" if self.transform else self.response

    def __str__(self) -> str:
        terms = (":".join(map(_quoted, term)) for term in self.terms)
        return f"{self.left} ~ {' + '.join(terms)}".strip()


def _quoted(name: str) -> str:
    """A name as formulas have it: between backticks if it has blanks or hyphens."""
    return name if re.fullmatch(r"[\w.]+", name) else f"`{name}`"


def parse(text: str) -> Formula:
    """Read a formula with `+ - * : / **`, brackets and `C(factor)`; names with blanks go between backticks.

    All factors are categories: `C(size)`, `C(size, Sum)` and `size` mean the same.

    Raises:
        InputError: The text is no formula, or it asks for what a factorial model does not have.
    """
    left, tilde, right = text.rpartition("~")
    response, transform = _response(text, left) if tilde else ("", None)
    terms = _Parser(text, right).parse()
    if _CONSTANT not in terms:
        raise InputError(f"formula '{text}' leaves out the constant", "remove '0 +' or '- 1'")
    terms.remove(_CONSTANT)
    if not terms:
        raise InputError(f"formula '{text}' names no factor", "write it like 'latency ~ network * size'")
    return Formula(response, transform, tuple(sorted(terms, key=len)))


def full(response: str, factors: Iterable[str]) -> Formula:
    """The model with all main effects and interactions of the factors.

    Raises:
        InputError: There are too many factors for all their interactions.
    """
    terms: list[Term] = [_CONSTANT]
    for name in factors:
        terms = _within_bounds([*terms, *((*term, name) for term in terms)], response)
    return Formula(response, None, tuple(sorted(terms[1:], key=len)))


def _response(text: str, left: str) -> tuple[str, str | None]:
    match = _RESPONSE.fullmatch(left)
    name = (match["inner"] or match["plain"]).strip().strip("`") if match else ""
    if match is None or re.search(r"[~+*:`]", name) or (match["transform"] and not name):
        raise InputError(f"formula '{text}' has no single response", "name one on the left: 'latency ~ …'")
    if match["transform"] and match["transform"] not in TRANSFORMS:
        raise InputError(
            f"formula '{text}': the transformation '{match['transform']}' is not known",
            f"use one of: {', '.join(TRANSFORMS)}",
        )
    return name, match["transform"]


class _Parser:
    """Recursive descent over the right side; every method returns the terms of what it read.

    From loosest to tightest: `+ -`, then `* /`, then `:`, then `**`, as in R.
    """

    def __init__(self, text: str, right: str) -> None:
        self.text = text
        self.tokens = list(self._tokens(right))
        self.place = self.depth = 0

    def parse(self) -> list[Term]:
        terms = self._sum()
        if self.tokens[self.place] != ("end", ""):
            raise self._misplaced()
        return terms

    def _tokens(self, right: str) -> Iterator[tuple[str, str]]:
        place = 0
        while True:
            match = _TOKEN.match(right, place)
            if match is None:
                raise InputError(
                    f"formula '{self.text}' cannot be read from '{right[place:].strip()[:20]}' on",
                    "use factor names with + - * : / ** and brackets, and backticks around other characters",
                )
            kind = match.lastgroup or "end"
            name = match[kind].strip("`")
            yield ("number" if match[kind].isdecimal() else "name" if kind == "category" else kind), name
            if kind == "end":
                return
            place = match.end()

    def _misplaced(self) -> InputError:
        found = self.tokens[self.place][1] or "its end"
        return InputError(
            f"formula '{self.text}': {found} is not expected there", "write it like 'latency ~ a * b'"
        )

    def _take(self, *operators: str) -> str:
        """The next token if it is one of these operators, which is then read; else an empty text."""
        kind, token = self.tokens[self.place]
        if kind != "operator" or token not in operators:
            return ""
        self.place += 1
        return token

    def _sum(self) -> list[Term]:
        terms: list[Term] = [_CONSTANT]
        operator = self._take("+", "-") or "+"
        while operator:
            part = self._product()
            if operator == "-":
                terms = [term for term in terms if not _among(term, part)]
            else:
                terms = self._bounded(_union(terms, part))
            operator = self._take("+", "-")
        return terms

    def _product(self) -> list[Term]:
        terms = self._interaction()
        while operator := self._take("*", "/"):
            right = self._interaction()
            if operator == "*":
                terms = self._bounded(_union(terms, right, _cross(terms, right)))
            else:
                inside = tuple(dict.fromkeys(name for term in terms for name in term))
                terms = self._bounded(_union(terms, _cross([inside], right)))
        return terms

    def _interaction(self) -> list[Term]:
        terms = self._power()
        while self._take(":"):
            terms = self._bounded(_cross(terms, self._power()))
        return terms

    def _power(self) -> list[Term]:
        terms = self._atom()
        while self._take("**", "^"):
            kind, power = self.tokens[self.place]
            if kind != "number" or len(power) > 2 or int(power) < 1:
                raise self._misplaced()
            self.place += 1
            base = terms
            for _ in range(min(int(power), len(base)) - 1):
                terms = self._bounded(_union(terms, _cross(terms, base)))
        return terms

    def _atom(self) -> list[Term]:
        kind, token = self.tokens[self.place]
        if self._take("("):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._misplaced()
            terms = self._sum()
            if not self._take(")"):
                raise self._misplaced()
            self.depth -= 1
            return [term for term in terms if term != _CONSTANT]
        if kind == "name":
            terms = [(token,)]
        elif (kind, token) == ("number", "1"):
            terms = [_CONSTANT]
        else:
            raise self._misplaced()
        self.place += 1
        return terms

    def _bounded(self, terms: list[Term]) -> list[Term]:
        return _within_bounds(terms, self.text)


def _within_bounds(terms: list[Term], text: str) -> list[Term]:
    if len(terms) > MOST_TERMS:
        raise InputError(
            f"formula '{text[:60]}…' has more than {MOST_TERMS} terms", "name fewer interactions"
        )
    return terms


def _among(term: Term, terms: Iterable[Term]) -> bool:
    return any(set(term) == set(other) for other in terms)


def _union(*parts: list[Term]) -> list[Term]:
    """All terms once, in the order in which they first appear; `a:b` and `b:a` are one term."""
    found = {frozenset(term): term for part in reversed(parts) for term in reversed(part)}
    return list(reversed(found.values()))


def _cross(left: list[Term], right: list[Term]) -> list[Term]:
    """Every term of the left in interaction with every term of the right."""
    return _union([tuple(dict.fromkeys((*a, *b))) for a in left for b in right])
