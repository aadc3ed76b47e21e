# SPDX-License-Identifier: Apache-2.0
"""What a recording says about itself in `recording.json`: the study, its factors, its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

FORMAT = "jitterlab-recording"
VERSION = 1


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """A measured quantity: its name, its unit (`ns`, `byte` or `1`), and what it means."""

    name: str
    unit: str
    summary: str


@dataclass(frozen=True, slots=True)
class RecordedFactor:
    """Something that was varied: its name, its levels in the order of the study, and whether a boot lies between."""

    name: str
    levels: tuple[str, ...]
    between_boots: bool = False


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of the plan.

    Attributes:
        run: Its number, from 1, in the planned order.
        block: The replicate it belongs to, from 1.
        cell: The number of its combination of levels, from 1.
        levels: The level of every factor.
    """

    run: int
    block: int
    cell: int
    levels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `recording.json`.

    Attributes:
        title: The title of the study.
        workload: The name of the workload; `imported` if the samples come from another tool.
        responses: What every sample measures.
        factors: What was varied.
        plan: All runs that were planned, in their order.
        target: What is known about the machine: name, architecture, kernel, CPUs.
        created: When the recording was begun, UTC, ISO 8601.
        jitterlab: The version that wrote it.
    """

    title: str
    workload: str
    responses: tuple[RecordedResponse, ...]
    factors: tuple[RecordedFactor, ...]
    plan: tuple[PlannedRun, ...]
    target: Mapping[str, object]
    created: str
    jitterlab: str


class _Factor(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def levels(self) -> Sequence[str]: ...
    @property
    def between_boots(self) -> bool: ...


class StudyLike(Protocol):
    """What a recording keeps of a study."""

    @property
    def title(self) -> str:
        """The title."""

    @property
    def factors(self) -> Sequence[_Factor]:
        """The factors with their levels."""

    @property
    def text(self) -> str:
        """The study file as given."""


class RunLike(Protocol):
    """What a recording keeps of a planned run; see `PlannedRun`."""

    @property
    def run(self) -> int:
        """Its number, from 1."""

    @property
    def block(self) -> int:
        """Its replicate, from 1."""

    @property
    def cell(self) -> int:
        """Its cell, from 1."""

    @property
    def levels(self) -> Mapping[str, str]:
        """The level of every factor."""


class _Response(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def summary(self) -> str: ...


class WorkloadLike(Protocol):
    """What a recording keeps of a workload."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def responses(self) -> Sequence[_Response]:
        """What it measures."""
