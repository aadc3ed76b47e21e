# SPDX-License-Identifier: Apache-2.0
"""What a recording says about itself in `recording.json`: the study, its factors, its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from jitterlab.design import PlannedRun
from jitterlab.errors import InputError
from jitterlab.recording.folder import read_json
from jitterlab.study.model import StudyFactor

FORMAT = "jitterlab-recording"
VERSION = 1
RESERVED = frozenset(
    {
        "run",
        "block",
        "cell",
        "cpu",
        "source",
        "period",
        "due",
        "warmup",
        "status",
        "attempts",
        "started",
        "duration_s",
        "samples",
        "missed",
        "lost",
        "error",
        "raw",
        "facts",
        "files",
        "boot",
        "n",
        "mean",
        "variance",
        "count",
    }
)
"""Names of columns: of the table of runs, of samples, and of the tables that analyses make of them."""
_LENIENT = ConfigDict(extra="ignore")


@dataclass(frozen=True, slots=True, config=_LENIENT)
class RecordedResponse:
    """A measured quantity: its name, its unit (`ns`, `byte` or `1`), and what it means."""

    name: str
    unit: str
    summary: str


@dataclass(frozen=True, slots=True, config=_LENIENT)
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
        study_crc32: The checksum of `study.toml`, so that no run is made of another study; None if unknown.
    """

    title: str
    workload: str
    responses: tuple[RecordedResponse, ...]
    factors: tuple[StudyFactor, ...]
    plan: tuple[PlannedRun, ...]
    target: Mapping[str, object]
    created: str
    jitterlab: str
    study_crc32: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The content of `recording.json`."""
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    def check_names(self) -> None:
        """Refuse factors and responses whose columns would clash.

        Raises:
            InputError: A name is taken.
        """
        names = [factor.name for factor in self.factors] + [response.name for response in self.responses]
        for name in names:
            if name in RESERVED or names.count(name) > 1:
                raise InputError(
                    f"a factor or response cannot be called '{name}': a recording has another such column",
                    "choose another name",
                )


_MANIFEST = TypeAdapter(Manifest)


def read(path: Path) -> Manifest:
    """The manifest in a file.

    Raises:
        InputError: It is missing, damaged, or of a version that this jitterlab does not know.
    """
    content = read_json(path)
    if content.get("format") != FORMAT:
        raise InputError(f"{path} is not of a recording", "give the folder that `jitterlab run` wrote")
    if content.get("version") != VERSION:
        raise InputError(
            f"{path} has version {content.get('version')!r}; this jitterlab reads version {VERSION}",
            "install the jitterlab that wrote it",
        )
    try:
        manifest = _MANIFEST.validate_python(content)
    except (ValidationError, RecursionError) as error:
        raise InputError(
            f"{path} is damaged: {_first(error)}", "take the file from a copy of the recording"
        ) from error
    manifest.check_names()
    return manifest


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"
    return str(error)


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


class TargetLike(Protocol):
    """What a recording keeps of a target."""

    @property
    def name(self) -> str:
        """How the user named it."""

    @property
    def architecture(self) -> str:
        """As `uname -m` says."""

    @property
    def kernel(self) -> str:
        """As `uname -r` says."""

    @property
    def cpus(self) -> tuple[int, ...]:
        """The CPUs that are online."""

    @property
    def privileged(self) -> bool:
        """Whether programs run there as root."""
