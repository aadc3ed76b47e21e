# SPDX-License-Identifier: Apache-2.0
"""Recordings that nobody would plan are reported all the same, without a number that is not there."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from jitterlab.analysis.findings import findings
from jitterlab.report.html import page
from jitterlab.report.terminal import as_text
from tests.report.conftest import POLICY_LOAD, Latency, Synthetic

Samples = NDArray[np.int64]


def constant(_: Mapping[str, str], __: np.random.Generator) -> Samples:
    return np.full(300, 15_000)


def single(_: Mapping[str, str], rng: np.random.Generator) -> Samples:
    return rng.integers(1000, 2000, 1)


def early(_: Mapping[str, str], rng: np.random.Generator) -> Samples:
    return rng.integers(-2000, 2000, 300)


def coarse(_: Mapping[str, str], rng: np.random.Generator) -> Samples:
    return rng.integers(1, 5, 300) * 4000


def enormous(_: Mapping[str, str], rng: np.random.Generator) -> Samples:
    return rng.integers(10**9, 10**13, 300)


@pytest.mark.parametrize("latency", [constant, single, early, coarse, enormous])
def test_odd_samples_are_reported(latency: Latency, tmp_path: Path) -> None:
    recording = Synthetic(POLICY_LOAD, latency, replicates=3).record(tmp_path / "r")
    found = findings(recording)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["format"] == "jitterlab-findings"
    assert page(recording, found).startswith(b"<!DOCTYPE html>")
    assert "nan" not in as_text(found).lower().split()
    assert all(answer.deciding is None for answer in found.answers)


@pytest.mark.parametrize("failed", [{1}, {1, 2, 3}, {2, 4, 6, 8}])
def test_missing_runs_are_reported(failed: set[int], tmp_path: Path) -> None:
    recording = Synthetic(POLICY_LOAD, coarse, replicates=2, failed=frozenset(failed)).record(tmp_path / "r")
    found = findings(recording)
    assert page(recording, found)
    assert sum(row.runs for row in found.rows) == 8 - len(failed)
    assert any("failed" in caution.sentence for caution in found.cautions)


def test_three_factors_are_reported(tmp_path: Path) -> None:
    factors = {"a": ("1", "2", "3"), "b": ("x", "y"), "c": ("p", "q")}
    recording = Synthetic(factors, coarse, replicates=2).record(tmp_path / "r")
    found = findings(recording)
    assert len(found.rows) == 12
    assert page(recording, found)
