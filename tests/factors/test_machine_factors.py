# SPDX-License-Identifier: Apache-2.0
"""Levels of machine factors: how they are written, what they set, and for which CPUs."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.factors import Bench
from jitterlab.factors.frequency import format_frequency, parse_frequency
from jitterlab.factors.machine import MachineFactor
from jitterlab.guard import Guard, Knob
from jitterlab.registry import registered
from jitterlab.targets import TargetInfo
from jitterlab.targets.local import LocalTarget

GUARDED = tuple(name for name, held in registered("factors").items() if isinstance(held, MachineFactor))
STATES = ("POLL", "0"), ("C1", "2"), ("C6", "133")


class PaperTarget(LocalTarget):
    """A machine with four CPUs and three idle states."""

    def info(self) -> TargetInfo:
        return TargetInfo("paper", "x86_64", "6.1", (0, 1, 2, 3), privileged=True)

    def glob(self, pattern: str) -> list[str]:
        return [pattern.replace("*", str(state)) for state in range(len(STATES))]

    def read(self, path: str) -> str | None:
        state, _, file = path.rpartition("state")[2].partition("/")
        return STATES[int(state)][file == "latency"]


class PaperGuard(Guard):
    """A guard that writes down what it is asked for."""

    def __init__(self, found: Mapping[str, str], stubborn: tuple[str, ...] = ()) -> None:
        self.found, self.now, self.asked = dict(found), dict(found), list[tuple[str, ...]]()
        self.stubborn = stubborn

    def knobs(self) -> dict[str, Knob]:
        return {
            name: Knob(name, "", None, value, None, (), None, None, available=True, reason=None, remedy=None)
            for name, value in self.now.items()
        }

    def get(self, knob: str) -> str:
        return self.now[knob]

    def set(self, knob: str, value: str) -> str:
        if knob in self.stubborn:
            raise NotAvailableError(f"{knob} cannot be set")
        self.asked.append(("set", knob, value))
        self.now[knob] = value
        return value

    def reset(self, knob: str) -> str:
        self.asked.append(("reset", knob))
        self.now[knob] = self.found[knob]
        return self.now[knob]


def factor(name: str) -> Any:
    return registered("factors")[name]


def hold(name: str, level: object, guard: PaperGuard, cpus: tuple[int, ...] = (1, 2)) -> Mapping[str, object]:
    held = factor(name)
    with held.hold(Bench(PaperTarget(), guard, cpus), held.parse(level)) as evidence:
        return dict(evidence)


@pytest.mark.parametrize("name", GUARDED)
def test_default_is_a_level_of_all(name: str) -> None:
    assert factor(name).name == name
    assert factor(name).parse("default") == "default"
    for wrong in (None, 1.5, object(), "", "no such level!", "default; rm", "performance\nset"):
        with pytest.raises(ValueError, match="default, or "):
            factor(name).parse(wrong)


@pytest.mark.parametrize(
    ("name", "written", "canonical"),
    [
        *(("governor", "performance", "performance"), ("boost", False, "off"), ("boost", "on", "on")),
        *(("frequency", "1.6GHz", "1600MHz"), ("max_frequency", "800000kHz", "800MHz")),
        *(("idle_states", "10us", "10us"), ("idle_states", "C1", "C1"), ("dma_latency", "0.02ms", "20us")),
        *(("rt_runtime", "950ms", "950ms"), ("rt_runtime", "unlimited", "unlimited")),
        *(("aslr", "full", "full"), ("aslr", 0, "off"), ("swappiness", 10, "10"), ("thp", "never", "never")),
        *(("isolation", "2-3,1", "1-3"), ("isolation", "measured", "measured"), ("irq_affinity", 0, "0")),
    ],
)
def test_levels_have_one_canonical_text(name: str, written: object, canonical: str) -> None:
    assert factor(name).parse(written) == canonical
    assert factor(name).parse(canonical) == canonical


@given(st.integers(1, 9_999_999_000))
def test_frequencies_survive_being_written(khz: int) -> None:
    text = format_frequency(khz)
    if len(text.rstrip("kMGHz")) <= 7:
        assert parse_frequency(text) == khz


def test_the_governor_is_set_for_the_measured_cpus_and_put_back() -> None:
    guard = PaperGuard({"governor/1": "powersave", "governor/2": "powersave"})
    evidence = hold("governor", "performance", guard)
    assert evidence == {"governor/1": "performance", "governor/2": "performance"}
    assert guard.now == guard.found
    assert guard.asked[2:] == [("reset", "governor/2"), ("reset", "governor/1")]


def test_default_changes_nothing_and_tells_what_was_found() -> None:
    guard = PaperGuard({"governor/1": "powersave", "governor/2": "schedutil"})
    assert hold("governor", "default", guard) == guard.found
    assert guard.asked == []


@pytest.mark.parametrize(("level", "first"), [("800MHz", "min_freq/0"), ("3GHz", "max_freq/0")])
def test_a_fixed_frequency_never_crosses_the_limits(level: str, first: str) -> None:
    guard = PaperGuard({"min_freq/0": "1000000", "max_freq/0": "2000000"})
    hold("frequency", level, guard, (0,))
    assert guard.asked[0][1] == first
    assert [request[0] for request in guard.asked] == ["set", "set", "reset", "reset"]
    assert guard.asked[2][1] != first


def test_idle_states_are_limited_by_name_or_by_latency() -> None:
    found = {f"idle_disable/1/{state}": "0" for state in range(3)}
    for level in ("C1", "c1", "2us", "132us"):
        assert list(hold("idle_states", level, PaperGuard(found), (1,)).values()) == ["0", "0", "1"]
    assert list(hold("idle_states", "POLL", PaperGuard(found), (1,)).values()) == ["0", "1", "1"]
    assert list(hold("idle_states", "all", PaperGuard(found), (1,)).values()) == ["0", "0", "0"]
    with pytest.raises(NotAvailableError, match="no idle state that 'C9'") as caught:
        hold("idle_states", "C9", PaperGuard(found), (1,))
    assert "C6 (133 µs)" in caught.value.remedy


def test_a_knob_that_refuses_undoes_those_before_it() -> None:
    guard = PaperGuard({"governor/1": "powersave", "governor/2": "powersave"}, stubborn=("governor/2",))
    with pytest.raises(NotAvailableError):
        hold("governor", "performance", guard)
    assert guard.now == guard.found


@pytest.mark.parametrize(
    ("name", "level", "value"),
    [
        *(
            ("isolation", "measured", "1-2"),
            ("workqueues", "away", "0,3"),
            ("dma_latency", "20us", "20"),
            ("rt_runtime", "unlimited", "-1"),
        ),
        *(
            ("rt_runtime", "900ms", "900000"),
            ("smt", "off", "off"),
            ("boost", "off", "0"),
            ("aslr", "off", "0"),
        ),
    ],
)
def test_levels_become_values(name: str, level: str, value: str) -> None:
    assert hold(name, level, PaperGuard({name: "x"})) == {name: value}


def test_a_level_that_another_program_changes_fails_the_run() -> None:
    guard = PaperGuard({"thp": "madvise"})
    held = factor("thp")
    with (
        pytest.raises(RunError, match="thp was set to never, and something changed it to always"),
        held.hold(Bench(PaperTarget(), guard, (1,)), "never"),
    ):
        guard.now["thp"] = "always"
    assert guard.now == guard.found


def test_interrupts_that_cannot_be_moved_are_told() -> None:
    guard = PaperGuard({"irq_affinity/24": "0-3", "irq_affinity/25": "0-3"}, stubborn=("irq_affinity/25",))
    evidence = hold("irq_affinity", "away", guard)
    assert evidence == {"irq_affinity/24": "0,3", "irq_affinity/25 (stays)": "0-3"}
    assert guard.now == guard.found
    with pytest.raises(NotAvailableError, match="all are measured"):
        hold("irq_affinity", "away", guard, (0, 1, 2, 3))
    with pytest.raises(NotAvailableError, match="no interrupt could be moved"):
        hold("irq_affinity", "away", PaperGuard({"irq_affinity/25": "0"}, stubborn=("irq_affinity/25",)))
