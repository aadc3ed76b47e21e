# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences have three digits that mean something, and a unit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.analysis import wording


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "ns", "0 ns"),
        (850, "ns", "850 ns"),
        (12_345, "ns", "12.3 µs"),
        (-12_345, "ns", "-12.3 µs"),
        (999_990, "ns", "1 ms"),
        (1.5e9, "ns", "1.5 s"),
        (1e13, "ns", "10,000 s"),
        (0.00123, "", "0.00123"),
        (4096, "byte", "4,096 byte"),
        (float("inf"), "ns", "inf s"),
    ],
)
def test_a_quantity_has_three_digits_and_the_unit_that_suits(value: float, unit: str, text: str) -> None:
    assert wording.quantity(value, unit) == text


@given(st.floats(1, 1e12))
def test_a_quantity_is_right_to_half_a_percent(value: float) -> None:
    found = re.fullmatch(r"([\d,.]+) (ns|µs|ms|s)", wording.quantity(value, "ns"))
    assert found is not None
    scale = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[found[2]]
    assert float(found[1].replace(",", "")) * scale == pytest.approx(value, rel=0.0051)


def test_other_words() -> None:
    assert wording.between(1000, 2000, "ns") == "1 µs to 2 µs"
    assert wording.between(1000, None, "ns") == "at least 1 µs"
    assert wording.between(None, 2000, "ns") == "at most 2 µs"
    assert wording.between(None, None, "ns") == "not bounded"
    assert wording.percent(0.1234) == "12.3 %"
    assert (wording.probability(0.03), wording.probability(1e-9)) == ("p = 0.03", "p ≤ 0.001")
    assert [wording.percentile(p) for p in (0.5, 0.99, 0.999, 0.9999)] == ["median", "p99", "p99.9", "p99.99"]
    assert (wording.number(1, "run"), wording.number(1000, "run")) == ("1 run", "1,000 runs")
    assert wording.listing([]) == ""
    assert wording.listing(["a", "b", "c"]) == "a, b and c"
