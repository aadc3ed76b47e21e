# SPDX-License-Identifier: Apache-2.0
"""Series whose dependence is known."""

import numpy as np
from numpy.typing import NDArray
from scipy import signal


def ar1(phi: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A stationary series in which each value is phi times the one before plus noise of variance 1."""
    settled = 1000
    return np.asarray(signal.lfilter([1.0], [1.0, -phi], rng.normal(size=n + settled))[settled:])
