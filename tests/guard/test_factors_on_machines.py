# SPDX-License-Identifier: Apache-2.0
"""Every level of every factor, held through the real guard on machines of several makes, and undone."""

from pathlib import Path

import pytest

from jitterlab.factors import Bench
from jitterlab.factors.machine import MachineFactor
from jitterlab.guard import Guard
from jitterlab.registry import registered
from jitterlab.session import examine
from jitterlab.study import load
from jitterlab.targets import TargetInfo
from jitterlab.targets.local import LocalTarget
from tests.guard.machines import AMD, BARE, INTEL, VIRTUAL, Machine, snapshot

FACTORS = {name: held for name, held in registered("factors").items() if isinstance(held, MachineFactor)}
EXAMPLES = {
    "frequency": ["1600MHz", "800MHz", "3400MHz"],
    "min_frequency": ["1600MHz"],
    "max_frequency": ["1600MHz"],
    "energy_preference": ["performance", "128"],
    "irq_affinity": ["away", "0"],
    "workqueues": ["away", "0-1"],
    "isolation": ["measured", "1-2"],
    "rt_runtime": ["unlimited", "1s"],
    "swappiness": ["0", "200"],
}


class TreeTarget(LocalTarget):
    """A tree of files as a target: its programs are real, its machine is not."""

    def __init__(self, root: Path, cpus: int) -> None:
        super().__init__()
        self.root, self.cpus = root, cpus

    def info(self) -> TargetInfo:
        return TargetInfo("tree", "x86_64", "6.1", tuple(range(self.cpus)), privileged=True)

    def read(self, path: str) -> str | None:
        return super().read(f"{self.root}{path}")

    def glob(self, pattern: str) -> list[str]:
        return [path.removeprefix(str(self.root)) for path in super().glob(f"{self.root}{pattern}")]


def build(machine: Machine, tmp_path: Path, probe: str, monkeypatch: pytest.MonkeyPatch) -> TreeTarget:
    """The machine as a target, whose probe takes the tree for the machine."""
    root = machine.build(tmp_path / "machine")
    wrapper = tmp_path / "jitter-probe"
    wrapper.write_text(f'#!/bin/sh\nexec {probe} "$@" --root {root}\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("JITTERLAB_PROBE", str(wrapper))
    return TreeTarget(root, machine.cpus)


@pytest.mark.parametrize("machine", [INTEL, AMD], ids=["intel", "amd"])
def test_every_level_is_held_and_undone(
    machine: Machine, probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = build(machine, tmp_path, probe, monkeypatch)
    before = snapshot(target.root)
    held = 0
    with Guard(target) as guard:
        bench = Bench(target, guard, (1, 2))
        for name, factor in FACTORS.items():
            here = factor.available(target)
            for level in (here.levels or ("default", *EXAMPLES.get(name, ()))) if here else ():
                with factor.hold(bench, factor.parse(level)) as evidence:
                    held += bool(evidence)
                    assert level == "default" or evidence, (name, level)
                assert snapshot(target.root) == before, (name, level)
    assert held > 35


def test_levels_are_those_of_the_machine(probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = build(INTEL, tmp_path, probe, monkeypatch)
    levels = {name: factor.available(target).levels for name, factor in FACTORS.items()}
    assert levels["governor"] == ("default", "performance", "powersave")
    assert levels["boost"] == levels["smt"] == levels["nmi_watchdog"] == ("default", "off", "on")
    assert levels["idle_states"] == ("default", "all", "POLL", "C1", "C1E", "C6")
    assert levels["thp"] == ("default", "always", "madvise", "never")
    assert levels["swappiness"] is None


@pytest.mark.parametrize("machine", [INTEL, AMD, VIRTUAL], ids=["intel", "amd", "virtual"])
def test_the_idle_states_of_the_osadl_study_are_there_wherever_there_are_idle_states(
    machine: Machine, probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = build(machine, tmp_path, probe, monkeypatch)
    found = examine(load("osadl"), target).factors["idle_states"]
    assert found == {"2us": None, "all": None}


@pytest.mark.parametrize(
    ("machine", "lacks"),
    [
        (
            VIRTUAL,
            {"governor", "frequency", "min_frequency", "max_frequency", "boost", "energy_preference", "smt"},
        ),
        (BARE, {"idle_states", "irq_affinity", "isolation", "governor", "smt"}),
    ],
    ids=["virtual", "bare"],
)
def test_what_a_machine_lacks_is_said_with_the_reason(
    machine: Machine, lacks: set[str], probe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = build(machine, tmp_path, probe, monkeypatch)
    reasons = {name: factor.available(target).reason for name, factor in FACTORS.items()}
    assert {name for name, reason in reasons.items() if reason} - {"dma_latency"} >= lacks
    for name in lacks:
        assert ": " in str(reasons[name])
