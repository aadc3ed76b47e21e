# SPDX-License-Identifier: Apache-2.0
"""Workloads: what is done over and over, and yields samples. One module per workload."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jitterlab.registry import Availability
from jitterlab.targets import Target


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a workload; any parameter can be a factor.

    Attributes:
        parse: Turns what a study says into the value that the workload takes; raises ValueError with
            what is allowed.
        default: What a study that says nothing gets, as a study would write it.
        summary: What it means, with its unit.
        format: Turns a value into its canonical text; `parse` takes that text back.
    """

    parse: Callable[[object], Any]
    default: object
    summary: str
    format: Callable[[Any], str] = str


@dataclass(frozen=True, slots=True)
class Response:
    """A measured quantity of a sample: its name, its unit, and what it means."""

    name: str
    unit: str
    summary: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: samples taken of those wanted, and what was seen so far."""

    samples: int
    wanted: int
    p50_ns: int | None = None
    p99_ns: int | None = None
    max_ns: int | None = None


class Workload(Protocol):
    """Something that is done over and over on a target, and writes a stream of samples.

    Settings are the parsed values of all parameters, and `samples` and `warmup` of the study as numbers.
    """

    name: str
    summary: str
    parameters: Mapping[str, Parameter]
    responses: tuple[Response, ...]

    def available(self, target: Target) -> Availability:
        """Whether it can run there, or the reason why not."""

    def check(self, target: Target, settings: Mapping[str, Any]) -> str | None:
        """The reason why these settings (parsed values) cannot run there; None if they can."""

    def measured_cpus(self, target: Target, settings: Mapping[str, Any]) -> tuple[int, ...]:
        """The CPUs there that these settings measure on."""

    def duration_s(self, settings: Mapping[str, Any]) -> float:
        """How long one run with these settings takes, in seconds, without set-up."""

    def run(
        self, target: Target, settings: Mapping[str, Any], stream: str, progress: Callable[[Progress], None]
    ) -> None:
        """Run once and write the stream to a file on the target.

        Raises:
            RunError: It failed; the message says why.
            KeyboardInterrupt: The user ended it; the stream holds everything measured so far.
        """
