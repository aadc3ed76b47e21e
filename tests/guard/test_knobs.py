# SPDX-License-Identifier: Apache-2.0
"""What the guard lists, gets and sets on machines of several makes."""

from pathlib import Path

import pytest

from tests.guard.machines import AMD, BARE, CPU, INTEL, MACHINES, VIRTUAL, snapshot
from tests.guard.process import GuardProcess


def text(root: Path, path: str) -> str:
    return (root / path).read_text().strip()


def test_boost_is_told_in_the_same_way_on_intel_and_amd(probe: str, tmp_path: Path) -> None:
    intel, amd = INTEL.build(tmp_path / "intel"), AMD.build(tmp_path / "amd")
    with GuardProcess(probe, intel) as guard:
        assert guard.ask("get boost")["value"] == "1"
        assert guard.ask("set boost 0") == {"knob": "boost", "value": "0", "original": "1"}
        assert text(intel, f"{CPU}/intel_pstate/no_turbo") == "1"
        assert guard.end() == 0
    with GuardProcess(probe, amd) as guard:
        assert guard.ask("set boost 0") == {"knob": "boost", "value": "0", "original": "1"}
        assert text(amd, f"{CPU}/cpufreq/boost") == "0"
        assert guard.end() == 0


def test_a_cpu_stands_for_its_policy(probe: str, tmp_path: Path) -> None:
    root = AMD.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        answer = guard.ask("set governor/3 performance")
        assert answer == {"knob": "governor/2", "value": "performance", "original": "powersave"}
        assert text(root, f"{CPU}/cpufreq/policy2/scaling_governor") == "performance"
        assert guard.ask("get governor/2")["original"] == "powersave"
        assert guard.ask("get governor/1")["value"] == "powersave"


def test_words_in_brackets(probe: str, tmp_path: Path) -> None:
    root = BARE.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        assert guard.ask("set thp never") == {"knob": "thp", "value": "never", "original": "madvise"}
        assert text(root, "sys/kernel/mm/transparent_hugepage/enabled") == "always madvise [never]"
        assert guard.ask("reset thp")["value"] == "madvise"


def test_interrupts_take_lists_and_the_default_a_mask(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        assert guard.ask("set irq_affinity/24 3,0-1")["value"] == "0-1,3"
        assert guard.ask("set irq_affinity/default 2-3")["value"] == "2-3"
        assert text(root, "proc/irq/default_smp_affinity") == "c"


def test_frequency_limits_cannot_cross(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        assert guard.ask("set max_freq/0 1600000")["value"] == "1600000"
        refused = guard.ask("set min_freq/0 2000000")
        assert "allowed is a whole number from 800000 to 1600000 kHz" in refused["remedy"]
        assert guard.ask("set min_freq/0 1600000")["value"] == "1600000"
        assert guard.end() == 0
    assert text(root, f"{CPU}/cpufreq/policy0/scaling_min_freq") == "800000"


def test_every_knob_is_described(probe: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/guard.md").read_text()
    with GuardProcess(probe, BARE.build(tmp_path)) as guard:
        families = {knob.partition("/")[0] for knob in guard.knobs()}
    assert {family for family in families if f"`{family}" not in page} == set()


@pytest.mark.parametrize("name", MACHINES)
def test_every_knob_is_listed_with_its_state(name: str, probe: str, tmp_path: Path) -> None:
    root = MACHINES[name].build(tmp_path)
    with GuardProcess(probe, root) as guard:
        knobs = guard.knobs()
        assert {knob.partition("/")[0] for knob in knobs} == {
            *(
                "governor",
                "min_freq",
                "max_freq",
                "energy_preference",
                "boost",
                "idle_disable",
                "dma_latency",
                "smt",
            ),
            *(
                "irq_affinity",
                "rt_runtime",
                "thp",
                "aslr",
                "timer_migration",
                "nmi_watchdog",
                "swappiness",
                "workqueues",
            ),
            "isolation",
        }
        for knob in knobs.values():
            assert knob["available"] == (knob["reason"] is None)
            assert knob["available"] or knob["remedy"]
            if knob["available"]:
                assert guard.ask(f"get {knob['knob']}")["value"] == knob["value"]
        before = snapshot(root)
        assert guard.end() == 0
        assert snapshot(root) == before


def test_a_virtual_machine_says_why_it_has_no_governor(probe: str, tmp_path: Path) -> None:
    root = VIRTUAL.build(tmp_path)
    with GuardProcess(probe, root) as guard:
        knob = guard.knobs()["governor"]
        assert not knob["available"]
        assert "no cpufreq driver" in knob["remedy"]
        assert "no cpufreq driver" in guard.ask("set governor/0 performance")["remedy"]
        assert guard.ask("set smt off")["error"].startswith(
            "smt cannot be switched here: it is 'notsupported'"
        )


def test_listing_needs_no_lock_and_restores_nothing(probe: str, tmp_path: Path) -> None:
    root = INTEL.build(tmp_path)
    with GuardProcess(probe, root) as guard, GuardProcess(probe, root, "--list") as listing:
        assert guard.ask("set swappiness 1")["value"] == "1"
        assert any(knob["knob"] == "governor/3" for knob in listing.greeting["knobs"])
        assert listing.end() == 0
        assert text(root, "proc/sys/vm/swappiness") == "1"


@pytest.mark.parametrize(("name", "group"), [("intel", "sys/fs/cgroup"), ("amd", "sys/fs/cgroup/cpuset")])
def test_isolation(name: str, group: str, probe: str, tmp_path: Path) -> None:
    root = MACHINES[name].build(tmp_path)
    before = snapshot(root)
    with GuardProcess(probe, root) as guard:
        assert guard.ask("set isolation 2-3") == {"knob": "isolation", "value": "2-3", "original": "none"}
        assert text(root, f"{group}/jitterlab.isolated/cpuset.cpus") == "2-3"
        if name == "intel":
            assert text(root, f"{group}/jitterlab.isolated/cpuset.cpus.partition") == "isolated"
            assert text(root, f"{group}/cgroup.subtree_control") == "cpu memory pids cpuset"
        else:
            assert text(root, f"{group}/jitterlab.rest/cpuset.cpus") == "0-1"
            assert text(root, f"{group}/cpuset.sched_load_balance") == "0"
        assert guard.ask("set isolation 3")["value"] == "3"
        assert guard.ask("set isolation none")["value"] == "none"
        assert snapshot(root) == before
        assert "but not of all" in guard.ask("set isolation 0-3")["remedy"]
        assert snapshot(root) == before
        assert guard.end() == 0
    assert snapshot(root) == before
