# SPDX-License-Identifier: Apache-2.0
"""What factors that the guard holds have in common: a level is turned into values of knobs, and back."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from jitterlab.errors import NotAvailableError, RunError
from jitterlab.factors import Bench
from jitterlab.guard import Knob, list_knobs
from jitterlab.registry import Availability
from jitterlab.targets import Target

DEFAULT = "default"
SWITCH = {"off": "0", "on": "1"}


def join_reason(knob: Knob) -> str:
    """Why a knob cannot be set, with the remedy, as one text."""
    return ": ".join(part for part in (knob.reason, knob.remedy) if part)


def confirm_held(bench: Bench, evidence: Mapping[str, object]) -> None:
    """Make sure that what was set before a run was still in force at its end.

    Raises:
        RunError: Another program has changed a knob during the run.
    """
    for knob, value in evidence.items():
        now = bench.guard.get(knob)
        if now != value:
            raise RunError(
                f"{knob} was set to {value}, and something changed it to {now} during the run",
                "stop what tunes this machine by itself: irqbalance, tuned, thermald, power-profiles-daemon",
            )


class MachineFactor(ABC):
    """A setting of the machine that the guard holds at a level for the time of a run.

    Attributes:
        name: What a study calls it.
        summary: What it means.
        family: The family of knobs that it sets.
        allowed: What may be written, for the message to who wrote something else.
    """

    name: str
    summary: str
    family: str
    between_boots = False
    busy = False
    allowed: str

    def parse(self, level: object) -> str:
        """The canonical text of a level; `default` is the machine as found.

        Raises:
            ValueError: It is not a level of this factor; the message says what is allowed.
        """
        if isinstance(level, bool):
            level = "on" if level else "off"
        text = str(level).strip() if isinstance(level, str | int) else ""
        if text == DEFAULT:
            return DEFAULT
        try:
            return self.parse_level(text)
        except ValueError:
            raise ValueError(f"{DEFAULT}, or {self.allowed}") from None

    @abstractmethod
    def parse_level(self, text: str) -> str:
        """The canonical text of a level other than `default`; ValueError if it is none."""

    def available(self, target: Target) -> Availability:
        """Whether the knobs are there and may be set, and which levels they have."""
        knobs = [knob for knob in list_knobs(target).values() if knob.family == self.family]
        usable = [knob for knob in knobs if knob.available]
        if not usable:
            return Availability(
                join_reason(knobs[0]) if knobs else f"{self.family} is not known to the guard"
            )
        found = self.levels_of(usable)
        return Availability(levels=None if found is None else (DEFAULT, *found))

    def levels_of(self, knobs: Iterable[Knob]) -> tuple[str, ...] | None:
        """The levels that these knobs have besides `default`; None if any that parses may be asked for."""
        del knobs
        return None

    @abstractmethod
    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """The names of the knobs that this factor sets for the CPUs that are measured, in order."""

    @abstractmethod
    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The knobs to set for a level other than `default`, in the order in which to set them."""

    @contextmanager
    def hold(self, bench: Bench, level: str) -> Iterator[Mapping[str, object]]:
        """Set the level through the guard, and put back what was found when the run is over.

        Raises:
            NotAvailableError: A knob is not there or did not take its value.
            RunError: Another program changed a knob during the run.
        """
        if level == DEFAULT:
            yield self._as_found(bench)
            return
        evidence: dict[str, object] = {}
        try:
            for knob, value in self.values(bench, level).items():
                evidence[knob] = bench.guard.set(knob, value)
            yield evidence
            confirm_held(bench, evidence)
        finally:
            for knob in reversed(evidence):
                bench.guard.reset(knob)

    def _as_found(self, bench: Bench) -> dict[str, object]:
        try:
            return {knob: bench.guard.get(knob) for knob in self.concerned(bench)}
        except NotAvailableError:
            return {}


class MachineKnob(MachineFactor):
    """A factor with one knob for the whole machine."""

    def concerned(self, bench: Bench) -> tuple[str, ...]:
        """The one knob."""
        del bench
        return (self.family,)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The level is the value."""
        del bench
        return {self.family: level}


class Words(MachineKnob):
    """A factor with one knob for the whole machine, and a word for each of its values."""

    words: Mapping[str, str]

    def parse_level(self, text: str) -> str:
        """One of the words, or a value that stands for one."""
        spelled = {value: word for word, value in self.words.items()} | {word: word for word in self.words}
        if text not in spelled:
            raise ValueError(text)
        return spelled[text]

    def levels_of(self, knobs: Iterable[Knob]) -> tuple[str, ...] | None:
        """The words whose values the knob takes."""
        taken = {value for knob in knobs for value in knob.allowed}
        return tuple(word for word, value in self.words.items() if value in taken)

    def values(self, bench: Bench, level: str) -> Mapping[str, str]:
        """The value that the word stands for."""
        del bench
        return {self.family: self.words[level]}
