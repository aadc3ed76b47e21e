# SPDX-License-Identifier: Apache-2.0
"""What is said about recordings whose truth is known."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from jitterlab.analysis.cells import group
from jitterlab.analysis.checks import CONTROL
from jitterlab.analysis.conclusions import as_papers
from jitterlab.analysis.findings import Findings, findings
from jitterlab.errors import InputError
from jitterlab.report.terminal import as_text
from tests.analysis.designs import cells_of
from tests.analysis.recorded import record
from tests.report.conftest import POLICY_LOAD, Synthetic, lognormal, nothing_decides, policy_decides


def test_an_injected_effect_is_named_with_its_size_and_certainty(effect_found: Findings) -> None:
    answer = effect_found.answers[0]
    assert answer.deciding == "policy"
    assert answer.sentences[0].startswith("The factor policy decides the median latency")
    assert "20 runs as units" in answer.sentences[0]
    (compared,) = answer.differences
    assert (compared.level, compared.reference) == ("fifo:80", "other")
    assert compared.contrast.difference == pytest.approx(-45_000, rel=0.05)
    assert compared.contrast.ratio == pytest.approx(0.25, rel=0.05)
    assert compared.contrast.difference_interval is not None
    low, high = compared.contrast.difference_interval
    assert low < -45_000 < high
    assert "µs" in answer.sentences[1]


def test_a_null_study_says_that_nobody_can_tell(null_found: Findings) -> None:
    for answer in null_found.answers:
        assert answer.deciding is None
        assert answer.sentences[0].startswith("Cannot tell")
    needed = " ".join(null_found.answers[0].sentences)
    assert "would probably have been seen" in needed
    assert "replicates" in needed


def test_samples_as_units_are_called_no_evidence(null_found: Findings) -> None:
    assert any("no evidence" in sentence for sentence in null_found.answers[0].sentences)


def test_the_strongest_effects_of_samples_are_not_lost_to_underflow(null_found: Findings) -> None:
    mean = null_found.mean
    assert mean is not None
    certain = replace(mean.samples, terms=tuple(replace(term, p=0.0) for term in mean.samples.terms))
    (said,) = as_papers(replace(mean, samples=certain))
    assert all(name in said for name in ("policy", "load"))


def test_jitter_is_attributed_apart_from_latency(tmp_path: Path) -> None:
    def wide(levels: Mapping[str, str], rng: np.random.Generator) -> NDArray[np.int64]:
        samples = nothing_decides(levels, rng)
        return samples if levels["load"] == "none" else (samples - 20_000) * 5 + 20_000

    found = findings(Synthetic(POLICY_LOAD, wide).record(tmp_path / "r"))
    assert found.answers[1].deciding == "load"
    assert found.answers[0].deciding != "load"


def test_an_interaction_is_told_per_condition(tmp_path: Path) -> None:
    def slow_together(levels: Mapping[str, str], rng: np.random.Generator) -> NDArray[np.int64]:
        return lognormal(rng, 60.0 if levels["policy"] == "other" and levels["load"] == "cpu:all" else 15.0)

    answer = findings(Synthetic(POLICY_LOAD, slow_together).record(tmp_path / "r")).answers[0]
    said = " ".join(answer.sentences).lower()
    assert "the interaction of policy and load" in said
    assert len(answer.differences) == 2
    sizes = sorted(abs(one.contrast.difference or 0.0) for one in answer.differences)
    assert sizes[0] < 2_000
    assert sizes[1] == pytest.approx(45_000, rel=0.1)
    assert "with load=none, " in said or "with policy=fifo:80, " in said


def test_a_single_replicate_decides_nothing_by_interactions(tmp_path: Path) -> None:
    found = findings(Synthetic(POLICY_LOAD, policy_decides, replicates=1).record(tmp_path / "r"))
    assert found.median is not None
    assert found.median.runs is not None
    assert [term.term for term in found.median.runs.effects] == ["policy", "load"]


def test_a_study_without_factors_has_cells_and_no_cause(tmp_path: Path) -> None:
    found = findings(Synthetic({}, nothing_decides, replicates=3).record(tmp_path / "r"))
    assert found.mean is None
    assert found.rows[0].n == 12_000
    assert len(found.answers) == 1
    assert found.answers[0].sentences == ("No factor was varied: the cells say how late it is, not why.",)


def test_a_recording_without_runs_is_refused(tmp_path: Path) -> None:
    recording = Synthetic({}, nothing_decides, replicates=1, failed=frozenset({1})).record(tmp_path / "r")
    with pytest.raises(InputError, match="no measured run"):
        findings(recording)


@pytest.mark.parametrize("width", [80, 140])
def test_no_number_is_cut_in_the_terminal(effect_found: Findings, width: int) -> None:
    found = effect_found
    text = as_text(found, width)
    for cell in found.cells.cells:
        assert f"{cell.counts.max / 1000:.1f}" in text
        assert all(level in text for level in cell.levels.values())
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


def test_a_meter_that_goes_along_with_late_runs_is_named(tmp_path: Path) -> None:
    study = Synthetic(POLICY_LOAD, nothing_decides, reading=lambda samples: float(np.quantile(samples, 0.99)))
    found = findings(study.record(tmp_path / "r"))
    assert "meter.late" in found.answers[2].sentences[-1]
    assert "not yet a cause" in found.answers[2].sentences[-1]


def test_a_screening_design_says_what_its_effects_are_mixed_with(tmp_path: Path) -> None:
    """A half fraction of three factors as `jitterlab run` records it."""
    half = [levels for levels in product(("low", "high"), repeat=3) if levels.count("high") % 2]
    cells = cells_of(dict.fromkeys("abc", ("low", "high")), lambda x, b, r: r.normal(1e4, 300, 200))
    kept = [run for run in cells.runs if tuple(run.levels.values()) in half]
    found = findings(record(tmp_path / "r", replace(cells, cells=group(kept))))
    assert any("a is mixed with b:c" in sentence for sentence in found.answers[0].sentences)
    assert {one.factor for one in found.differences} == {"a", "b", "c"}


def test_a_control_that_cannot_be_compared_is_not_called_alike(tmp_path: Path) -> None:
    """One replicate: a cell and its control of one run each."""
    cells = cells_of({"a": ["x", "y"]}, lambda x, b, r: r.normal(1e4, 300, 50), replicates=1)
    again = replace(cells.runs[0], run=3, cell=3)
    found = findings(record(tmp_path / "r", replace(cells, cells=group([*cells.runs, again]))))
    check = next(one for one in found.checks if one.name == CONTROL)
    assert (check.verdict, "do not differ" in check.sentence) == ("unknown", False)
