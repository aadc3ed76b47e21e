# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them: "200us", "4KiB", "0-1,3", "fifo:80", and back to that text.

Every `parse_…` takes what a study says and raises ValueError with what is allowed; every `format_…` gives the
one canonical text, and `parse(format(x)) == x`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_CPU = 8191
MAX_DURATION_NS = 1_000_000 * 1_000_000_000
MAX_SIZE = 1 << 50

DURATION_ALLOWED = 'a duration with its unit, such as "200us" (ns, us, ms, s, min, h)'
SIZE_ALLOWED = 'a size with its unit, such as "4KiB" (B, kB, KiB, MB, MiB, GB, GiB)'
CPUS_ALLOWED = 'CPUs by number, such as "0-1,3"'
POLICY_ALLOWED = '"other", "fifo:1" to "fifo:99", "rr:1" to "rr:99", or "deadline"'

_DURATIONS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_SIZES = {"B": 1, "kB": 10**3, "KiB": 1 << 10, "MB": 10**6, "MiB": 1 << 20, "GB": 10**9, "GiB": 1 << 30}
_NUMBER_AND_UNIT = re.compile(r"(\d{1,16})(?:\.(\d{1,9}))?\s*([A-Za-zµμ]+)", re.ASCII)


def _parse_unit(value: object, units: dict[str, int], limit: int, allowed: str) -> int:
    match = _NUMBER_AND_UNIT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(allowed)
    whole, fraction, unit = match[1], match[2] or "", re.sub("[µμ]", "u", match[3])
    if unit not in units:
        raise ValueError(allowed)
    scaled, rest = divmod(int(whole + fraction) * units[unit], int("1" + "0" * len(fraction)))
    if rest:
        raise ValueError(f"{allowed}; a fraction finer than the smallest unit cannot be kept")
    if scaled > limit:
        raise ValueError(f"{allowed}; it is too large")
    return scaled


def _format_unit(value: int, units: dict[str, int]) -> str:
    exact = [(factor, unit) for unit, factor in units.items() if value % factor == 0]
    factor, unit = max(exact) if value else min(exact)
    return f"{value // factor}{unit}"


def parse_duration(value: object) -> int:
    """A duration in nanoseconds from "200us", "1.5ms", "2min".

    Raises:
        ValueError: It is no duration with a unit, or longer than 10^6 seconds.
    """
    return _parse_unit(value, _DURATIONS, MAX_DURATION_NS, DURATION_ALLOWED)


def format_duration(duration_ns: int) -> str:
    """The duration in the largest unit that expresses it without a fraction: 1_500_000 is "1500us"."""
    return _format_unit(duration_ns, _DURATIONS)


def parse_size(value: object) -> int:
    """A size in bytes from "4KiB", "64kB", "17B".

    Raises:
        ValueError: It is no size with a unit, or larger than 2^50 bytes.
    """
    return _parse_unit(value, _SIZES, MAX_SIZE, SIZE_ALLOWED)


def format_size(size_bytes: int) -> str:
    """The size in the largest unit that expresses it without a fraction: 4096 is "4KiB"."""
    return _format_unit(size_bytes, _SIZES)


def parse_cpus(value: object) -> tuple[int, ...]:
    """CPU numbers, ascending and unique, from the kernel's list format "0-1,3" or a single number.

    Raises:
        ValueError: It is no such list, it is empty, or a number is over 8191.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_CPU:
        value = str(value)
    if not isinstance(value, str) or len(value) > 4096:
        raise ValueError(CPUS_ALLOWED)
    cpus: set[int] = set()
    for part in value.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:-(\d{1,5}))?\s*", part, re.ASCII)
        if match is None:
            raise ValueError(CPUS_ALLOWED)
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= MAX_CPU:
            raise ValueError(f"{CPUS_ALLOWED}; ascending and at most {MAX_CPU}")
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def format_cpus(cpus: Iterable[int]) -> str:
    """The kernel's list format: (0, 1, 3) is "0-1,3"."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


@dataclass(frozen=True, slots=True)
class Policy:
    """A scheduling policy: `other`, `deadline`, or `fifo` or `rr` with a priority from 1 to 99."""

    name: str
    priority: int | None = None

    def __str__(self) -> str:
        return self.name if self.priority is None else f"{self.name}:{self.priority}"


def parse_policy(value: object) -> Policy:
    """A scheduling policy from "other", "fifo:80", "rr:10" or "deadline".

    Raises:
        ValueError: It is none of these, or the priority is not from 1 to 99.
    """
    match = (
        re.fullmatch(r"(other|deadline)|(fifo|rr):(\d{1,2})", value, re.ASCII)
        if isinstance(value, str)
        else None
    )
    if match is None:
        raise ValueError(POLICY_ALLOWED)
    if match[1]:
        return Policy(match[1])
    if not 1 <= int(match[3]) <= 99:
        raise ValueError(POLICY_ALLOWED)
    return Policy(match[2], int(match[3]))


def parse_whole(value: object, low: int, high: int) -> int:
    """A whole number from `low` to `high`, written as a number or as its digits.

    Raises:
        ValueError: It is no whole number, or outside the limits.
    """
    allowed = f"a whole number from {low:_} to {high:_}"
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value, re.ASCII):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(allowed)
    return value
