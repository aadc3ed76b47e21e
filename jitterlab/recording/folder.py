# SPDX-License-Identifier: Apache-2.0
"""The folder of a recording: where its files stand, and how they are written so that none is ever half."""

import json
import os
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jitterlab.errors import InputError

PART = ".part"
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of a recording."""

    path: Path

    @property
    def manifest(self) -> Path:
        """What the recording says about itself."""
        return self.path / "recording.json"

    @property
    def study(self) -> Path:
        """The study as given."""
        return self.path / "study.toml"

    @property
    def environment(self) -> Path:
        """What the machine was like."""
        return self.path / "environment.json"

    @property
    def runs(self) -> Path:
        """One row per run that has ended."""
        return self.path / "runs.parquet"

    def samples(self, run: int) -> Path:
        """The samples of a run."""
        return self.path / "samples" / f"{run:05}.parquet"

    def counts(self, run: int) -> Path:
        """The value counts of a run."""
        return self.path / "counts" / f"{run:05}.parquet"

    def worst(self, run: int) -> Path:
        """The largest samples of a run that kept only counts."""
        return self.path / "worst" / f"{run:05}.parquet"

    def log(self, run: int) -> Path:
        """What the programs of a run wrote."""
        return self.path / "logs" / f"{run:05}.txt"

    def tables_of_run(self, run: int) -> dict[str, Path]:
        """The tables that a run may have, by kind."""
        return {"samples": self.samples(run), "counts": self.counts(run), "worst": self.worst(run)}

    def of_run(self, run: int) -> tuple[Path, ...]:
        """All files of a run."""
        return *self.tables_of_run(run).values(), self.log(run)

    def make(self) -> None:
        """Make the folder and those in it.

        Raises:
            InputError: There is something of that name, or it cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            occupied = any(self.path.iterdir())
        except OSError as error:
            raise InputError(
                f"{self.path}: a recording cannot be made there: {error.strerror}", "choose another folder"
            ) from error
        if occupied:
            raise InputError(
                f"{self.path}: the folder is not empty", "choose a new folder, or resume this one"
            )
        for path in self.of_run(0):
            path.parent.mkdir()
        sync_folder(self.path)

    def remove_leftovers(self, complete: set[int]) -> None:
        """Remove what an interrupted append left: files of runs that are not complete, and parts of files."""
        for path in self.of_run(0):
            for file in path.parent.glob("*"):
                if file.suffix == PART or not (file.stem.isdigit() and int(file.stem) in complete):
                    file.unlink()
        for file in self.path.glob(f"*{PART}"):
            file.unlink()


def part(path: Path) -> Path:
    """Where a file is written before it is whole."""
    return path.with_name(path.name + PART)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checksum(path: Path) -> int:
    """The CRC-32 (as zlib computes it) of a file; OSError if it cannot be read."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value


def publish(path: Path) -> None:
    """Give the finished part of a file its name, durably and at once."""
    sync_file(part(path))
    part(path).replace(path)
    sync_folder(path.parent)


def write(path: Path, content: str | bytes) -> None:
    """Write a file durably: after a kill at any moment it is the old one or the new one, whole."""
    try:
        part(path).write_bytes(content.encode() if isinstance(content, str) else content)
        publish(path)
    except OSError:
        with suppress(OSError):
            part(path).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, object]:
    """The JSON object in a file of a recording.

    Raises:
        InputError: It is missing or no JSON object.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing", "give the folder of a recording") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path} cannot be read: {error}", "take the file from a copy of the recording"
        ) from error
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no JSON object", "take the file from a copy of the recording")
    return content
