# SPDX-License-Identifier: Apache-2.0
"""Quantities read back as they were written."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.quantities import (
    MAX_DURATION_NS,
    MAX_SIZE,
    Policy,
    format_cpus,
    format_duration,
    format_size,
    parse_cpus,
    parse_duration,
    parse_policy,
    parse_size,
    parse_whole,
)


@pytest.mark.parametrize(
    ("text", "duration_ns"),
    [
        ("200us", 200_000),
        ("200 µs", 200_000),
        ("0.2ms", 200_000),
        ("1.5ms", 1_500_000),
        ("1s", 10**9),
        ("2min", 120 * 10**9),
        ("1h", 3600 * 10**9),
        ("0ns", 0),
    ],
)
def test_durations_as_people_write_them(text: str, duration_ns: int) -> None:
    assert parse_duration(text) == duration_ns


@given(st.integers(0, MAX_DURATION_NS))
def test_durations_read_back(duration_ns: int) -> None:
    assert parse_duration(format_duration(duration_ns)) == duration_ns


@given(st.integers(0, MAX_SIZE))
def test_sizes_read_back(size: int) -> None:
    assert parse_size(format_size(size)) == size


def test_sizes_as_people_write_them() -> None:
    assert (parse_size("4KiB"), parse_size("4kB"), parse_size("17B")) == (4096, 4000, 17)
    assert (format_size(4096), format_duration(1_500_000)) == ("4KiB", "1500us")


@given(st.sets(st.integers(0, 300), min_size=1))
def test_cpu_lists_read_back(cpus: set[int]) -> None:
    assert parse_cpus(format_cpus(cpus)) == tuple(sorted(cpus))


def test_cpu_lists_as_the_kernel_writes_them() -> None:
    assert parse_cpus("3,0-1") == (0, 1, 3)
    assert parse_cpus(2) == (2,)
    assert format_cpus([5, 0, 1, 3, 4]) == "0-1,3-5"


def test_policies() -> None:
    assert parse_policy("fifo:80") == Policy("fifo", 80)
    assert [str(parse_policy(text)) for text in ("other", "rr:1", "deadline")] == [
        "other",
        "rr:1",
        "deadline",
    ]


HOSTILE: list[object] = [
    None, True, -1, 1.5, float("nan"), 10**5000, [], {}, b"1us",
    "", " ", "us", "200x", "-1us", "1e3us", "١us", "1us1us", "9" * 40 + "s", "0.0000000001ns", "0.1ns",
    "1-", "3-1", "0-99999", "1,,2", "fifo", "fifo:0", "fifo:100", "fifo:8٠", "Other",
]  # fmt: skip


@pytest.mark.parametrize("parse", [parse_duration, parse_size, parse_cpus, parse_policy])
@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
def test_what_is_no_quantity_is_refused_with_what_is_allowed(
    parse: Callable[[object], object], value: object
) -> None:
    with pytest.raises(ValueError, match=r"such as|other"):
        parse(value)


@given(st.text(max_size=20))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for parse in (parse_duration, parse_size, parse_cpus, parse_policy):
        with suppress(ValueError):
            assert parse(text) is not None


def test_whole_numbers_have_limits() -> None:
    assert parse_whole("17", 1, 20) == parse_whole(17, 1, 20) == 17
    for value in (0, 21, "0", True, 1.0, "1.0", "", None, 10**5000):
        with pytest.raises(ValueError, match="from 1 to 20"):
            parse_whole(value, 1, 20)
