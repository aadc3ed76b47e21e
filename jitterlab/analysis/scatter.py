# SPDX-License-Identifier: Apache-2.0
"""Whether combinations scatter alike, which tests with one common error assume."""

from collections.abc import Sequence
from math import inf

UNEQUAL = 3.0
"""Ratio of standard deviations from which an F test of unequally many values goes wrong (Box, 1954)."""


def ratio(sds: Sequence[float]) -> float | None:
    """The largest standard deviation over the smallest, infinite if some are 0; None if all are, or one."""
    if len(sds) < 2 or max(sds) == 0:
        return None
    return max(sds) / min(sds) if min(sds) > 0 else inf


def warning(sds: Sequence[float]) -> str | None:
    """What unequal standard deviations mean for tests of samples; None if they are equal enough."""
    times = ratio(sds)
    if times is None or times < UNEQUAL:
        return None
    size = f"differ {times:,.0f} times" if times > 10 else f"differ {times:.2g} times"
    if times == inf:
        size = "are 0 in some and not in others"
    return (
        f"Standard deviations of the combinations {size}: tests of samples that assume one "
        "variance are not to be trusted; look at the dispersion, the robust tests and the logarithm."
    )
