# SPDX-License-Identifier: Apache-2.0
"""Registries of workloads, factors, targets and meters, filled through Python entry points.

A third party adds one by naming its class in the entry point group `jitterlab.<kind>` of its own package.
"""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal

from jitterlab.errors import NotAvailableError

Kind = Literal["workloads", "factors", "targets", "meters"]


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether something can be used on a target.

    Attributes:
        reason: Why it cannot be used, as a sentence with the remedy; None if it can be used.
        levels: The levels that can be chosen; None if any level that parses can be.
        also: A regular expression of levels that can be chosen besides; None if there are none.
    """

    reason: str | None = None
    levels: tuple[str, ...] | None = None
    also: str | None = None

    def __bool__(self) -> bool:
        return self.reason is None


@cache
def registered(kind: Kind) -> dict[str, Any]:
    """All registered things of a kind as {name: instance}, sorted by name."""
    found = entry_points(group=f"jitterlab.{kind}")
    return {entry.name: entry.load()() for entry in sorted(found, key=lambda entry: entry.name)}


def lookup(kind: Kind, name: str) -> Any:  # noqa: ANN401
    """The registered thing of that kind and name.

    Raises:
        NotAvailableError: Nothing of that name is registered.
    """
    known = registered(kind)
    if name not in known:
        singular = kind.removesuffix("s")
        raise NotAvailableError(f"there is no {singular} '{name}'", f"choose one of: {', '.join(known)}")
    return known[name]
