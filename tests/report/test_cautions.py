# SPDX-License-Identifier: Apache-2.0
"""Every caution is said where it applies, with a remedy, and not where it does not."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from jitterlab.analysis.cautions import Caution, cautions
from jitterlab.analysis.machine import of_machine


def run(number: int = 1, **columns: Any) -> dict[str, Any]:
    settings = columns.pop("settings", {"policy": "fifo", "priority": 80, "wake": "nanosleep"})
    effective = columns.pop("effective", {"policy": "fifo", "priority": 80, "slack_ns": 1})
    source = columns.pop("source", {"minor_faults": 0, "major_faults": 0})
    head = {"settings": settings, "sources": [{"effective": effective}]}
    facts = json.dumps({"head": head, "tail": {"sources": [source]}})
    base = {"run": number, "status": "ok", "attempts": 1, "duration_s": 10.0, "samples": 1000}
    return {**base, "missed": 0, "lost": 0, "error": None, "facts": facts, **columns}


SLOW = {"policy": "other", "slack_ns": 50_000}
GOOD = {
    "kernel": "6.1-rt",
    "preempt_rt": "1",
    "cpu": {"hypervisor": False},
    "governors": {"cpu0": "performance"},
}


def said(*runs: dict[str, Any], planned: int = 1) -> str:
    return sentences(cautions(runs, planned))


def said_of(environment: dict[str, Any], varied: tuple[str, ...] = ()) -> str:
    return sentences(of_machine(environment, varied))


def sentences(found: Iterable[Caution]) -> str:
    return " ".join(f"{caution.sentence} {caution.remedy}" for caution in found)


def test_a_good_recording_of_a_good_machine_needs_no_caution() -> None:
    assert said(run()) == ""
    assert said_of(GOOD) == ""


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"status": "failed", "error": "the load died", "facts": None}, "failed and is not in the numbers"),
        ({"attempts": 2}, "succeeded only when tried again"),
        ({"status": "interrupted"}, "ended early"),
        ({"lost": 7}, "7 samples were taken and lost in run 1"),
        ({"missed": 10}, "10 periods were missed in run 1 (0.99 %"),
        ({"source": {"minor_faults": 3, "major_faults": 1}}, "4 page faults"),
        ({"effective": {"policy": "other", "priority": 0}}, "policy other instead of fifo"),
        ({"settings": {"policy": "other", "slack_ns": 1}, "effective": SLOW}, "slack 50000 instead of 1"),
        ({"cpu_time.steal": 0.5}, "The hypervisor took 0.50 s"),
        ({"settings": {"policy": "fifo", "wake": "spin", "sched_rt_runtime_us": 950_000,
                       "sched_rt_period_us": 1_000_000}}, "50 ms in every 1000 ms"),
    ],
)  # fmt: skip
def test_a_run_that_limits_the_numbers_is_told(columns: dict[str, Any], words: str) -> None:
    assert words in said(run(**columns))


def test_runs_that_were_not_made_are_told() -> None:
    assert "3 of 4 planned runs have not been measured" in said(run(), planned=4)


def test_timer_slack_that_is_mistaken_for_policy_is_told() -> None:
    other = {"policy": "other", "slack_ns": 50_000}
    slow = run(2, settings={"policy": "other"}, effective=other)
    assert "timer slack" in said(run(), slow, planned=2)
    varied = run(3, settings={"policy": "other"}, effective={"policy": "other", "slack_ns": 1})
    assert "timer slack" not in said(run(), slow, varied, planned=3)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"cpu": {"hypervisor": True}}, "virtual machine"),
        ({"preempt_rt": None, "kernel_config": {}}, "without PREEMPT_RT"),
        ({"preempt_rt": None, "kernel_version": "#1 SMP PREEMPT_DYNAMIC"}, "without PREEMPT_RT"),
        ({"governors": {"cpu0": "powersave"}}, "governor powersave"),
        (
            {"left_out": {"governor": {"performance": "no driver", "ondemand": "no driver"}}},
            "governor = performance and ondemand too, which could not be had: no driver",
        ),
    ],
)
def test_a_machine_that_limits_the_numbers_is_told(item: dict[str, Any], words: str) -> None:
    assert words in said_of({**GOOD, **item})


def test_what_is_not_known_is_not_claimed() -> None:
    assert said_of({}) == ""


@pytest.mark.parametrize(
    "item",
    [
        {"kernel_version": "#1 SMP PREEMPT_RT"},
        {"kernel_config": {"CONFIG_PREEMPT_RT": "y"}},
        {"kernel": "6.1"},
    ],
)
def test_a_kernel_is_not_accused_without_evidence(item: dict[str, Any]) -> None:
    assert said_of(item) == ""


def test_a_governor_that_is_varied_is_no_caution() -> None:
    assert said_of({**GOOD, "governors": {"cpu0": "ondemand"}}, ("governor",)) == ""
