# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from jitterlab.errors import InputError
from jitterlab.recording.units import to_stored


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1), st.integers(1, 9_000_000_000))
def test_ticks_become_the_nearest_nanosecond(ticks: list[int], tick_hz: int) -> None:
    limit = 292 * 365 * 86_400 * tick_hz
    ticks = [max(-limit, min(limit, tick)) for tick in ticks]
    expected = [floor(Fraction(tick * 10**9, tick_hz) + Fraction(1, 2)) for tick in ticks]
    assert list(to_stored(np.array(ticks), "tick", tick_hz, "x")) == expected


def test_other_units_stay() -> None:
    assert list(to_stored(np.array([7], np.uint64), "byte", 25_000_000, "x")) == [7]
    assert list(to_stored(np.array([2.5, -0.2], np.float32), "ns", 25_000_000, "x")) == [3, 0]
    assert list(to_stored(np.array([2.5]), "tick", 25_000_000, "x")) == [100]


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        (np.array([np.nan]), "ns"),
        (np.array([np.inf]), "tick"),
        (np.array([1e19]), "1"),
        (np.array([2**63], np.uint64), "ns"),
        (np.array([2**62]), "tick"),
    ],
)
def test_what_does_not_fit_is_refused(values: NDArray[Any], unit: str) -> None:
    with pytest.raises(InputError, match="column 'x'"):
        to_stored(values, unit, 1_000, "s: column 'x'")
