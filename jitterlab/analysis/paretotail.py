# SPDX-License-Identifier: Apache-2.0
"""The generalised Pareto distribution of exceedances: fit and intervals by (profile) likelihood.

Source: Coles, An Introduction to Statistical Modeling of Extreme Values (2001), sections 4.3 and 2.6.6.
"""

from collections.abc import Callable
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

CONFIDENCE = 0.95
_SHAPES = (-0.9, 3.0)
_EXPONENTIAL = 1e-9

FloatArray = NDArray[np.float64]
Range = tuple[float, float]


def _likelihood(beyond: FloatArray, shape: float, scale: float) -> float:
    """The log-likelihood of a generalised Pareto distribution; minus infinity outside its support."""
    inside = 1 + shape * beyond / scale
    if scale <= 0 or inside.min() <= 0:
        return -np.inf
    if abs(shape) < _EXPONENTIAL:
        return -len(beyond) * log(scale) - float(beyond.sum()) / scale
    return -len(beyond) * log(scale) - (1 + 1 / shape) * float(np.log(inside).sum())


def fit(beyond: FloatArray) -> tuple[float, float]:
    """Shape and scale of largest likelihood, by the one-dimensional profile over shape."""
    found = optimize.minimize_scalar(lambda shape: -_profile(beyond, shape), bounds=_SHAPES, method="bounded")
    shape = float(found.x)
    return shape, _best_scale(beyond, shape)


def _best_scale(beyond: FloatArray, shape: float) -> float:
    """The scale of largest likelihood for a shape."""
    mean = float(beyond.mean())
    least = max(-shape * float(beyond.max()) * (1 + 1e-9), mean * 1e-3)
    found = optimize.minimize_scalar(
        lambda scale: -_likelihood(beyond, shape, scale), bounds=(least, 10 * mean + least), method="bounded"
    )
    return float(found.x)


def _profile(beyond: FloatArray, shape: float) -> float:
    return _likelihood(beyond, shape, _best_scale(beyond, shape))


def shape_interval(beyond: FloatArray) -> Range:
    """The profile likelihood interval of the shape."""
    shape, _ = fit(beyond)
    return _crossings(lambda value: _profile(beyond, value), shape, _SHAPES, 0.05)


def level_interval(beyond: FloatArray, often: float) -> tuple[float, Range]:
    """How far beyond the threshold one exceedance in `often` reaches, with its likelihood interval."""

    def reach(shape: float, scale: float) -> float:
        return scale * log(often) if abs(shape) < _EXPONENTIAL else scale * (often**shape - 1) / shape

    def profile(height: float) -> float:
        def cost(shape: float) -> float:
            return -_likelihood(beyond, shape, height / reach(shape, 1.0))

        return -float(optimize.minimize_scalar(cost, bounds=_SHAPES, method="bounded").fun)

    best = reach(*fit(beyond))
    return best, _crossings(profile, best, (best / 20, best * 50), best / 10)


def _crossings(profile: Callable[[float], float], best: float, limits: Range, step: float) -> Range:
    """Where a log-likelihood falls below its best by half the chi-squared quantile; the limits if never."""
    target = profile(best) - float(stats.chi2.ppf(CONFIDENCE, 1)) / 2
    ends = []
    for direction, limit in ((-1, limits[0]), (1, limits[1])):
        inside, width = best, step
        outside = best + direction * width
        while direction * (limit - outside) > 0 and profile(outside) > target:
            inside, width = outside, 2 * width
            outside = best + direction * width
        outside = outside if direction * (limit - outside) > 0 else limit
        crossed = profile(outside) < target
        ends.append(_bisected(profile, target, inside, outside) if crossed else limit)
    return ends[0], ends[1]


def _bisected(profile: Callable[[float], float], target: float, inside: float, outside: float) -> float:
    """The border between where a profile is above the target and where it is below."""
    for _ in range(25):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if profile(middle) > target else (inside, middle)
    return (inside + outside) / 2
