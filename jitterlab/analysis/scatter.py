# SPDX-License-Identifier: Apache-2.0
"""Whether combinations scatter alike, which tests with one common error assume."""

from collections.abc import Sequence

UNEQUAL = 3.0
"""Ratio of standard deviations from which an F test of unequally many values goes wrong (Box, 1954)."""


def ratio(sds: Sequence[float]) -> float | None:
    """The largest standard deviation over the smallest; None with less than two, or if one is 0."""
    return max(sds) / min(sds) if len(sds) > 1 and min(sds) > 0 else None


def warning(sds: Sequence[float]) -> str | None:
    """What unequal standard deviations mean for tests of samples; None if they are equal enough."""
    times = ratio(sds)
    if times is None or times < UNEQUAL:
        return None
    size = f"{times:,.0f}" if times > 10 else f"{times:.2g}"
    return (
        f"Standard deviations of the combinations differ {size} times: tests of samples that assume one "
        "variance are not to be trusted; look at the dispersion, the robust tests and the logarithm."
    )
