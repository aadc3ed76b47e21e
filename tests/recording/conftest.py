# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from jitterlab.design import PlannedRun
from jitterlab.recording import Recording
from jitterlab.recording.manifest import Manifest, RecordedResponse
from jitterlab.study.model import StudyFactor

LEVELS = ("none", "cpu:all")


def manifest(runs: int = 4) -> Manifest:
    return Manifest(
        title="How late?",
        workload="wakeup",
        responses=(RecordedResponse("latency", "ns", "how late the thread ran"),),
        factors=(StudyFactor("load", LEVELS), StudyFactor("policy", ("fifo:80",))),
        plan=tuple(
            PlannedRun(run, (run + 1) // 2, 2 - run % 2, {"load": LEVELS[1 - run % 2], "policy": "fifo:80"})
            for run in range(1, runs + 1)
        ),
        target={"name": "local"},
        created="2026-11-20T08:00:00+00:00",
        jitterlab="0.1.0",
    )


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """A recording of four planned runs, none of them done."""
    return Recording.begin(tmp_path / "recording", manifest(), "[study]\n", {"kernel": "6.1"})
