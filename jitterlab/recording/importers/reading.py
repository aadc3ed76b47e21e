# SPDX-License-Identifier: Apache-2.0
"""Reading files of other tools, without trust in what they hold."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jitterlab.errors import InputError
from jitterlab.recording.counts import Counts
from jitterlab.recording.importers.imported import ImportedSource

LONGEST_TEXT = 512 * 2**20
LARGEST_VALUE = 2**53
_MOST_SAMPLES = 2**62
_ANOTHER = "is it the right file? Name its tool with --format"

Natural = Annotated[int, Field(ge=0, le=2**53)]


class Part(BaseModel):
    """A part of a JSON file of which only the interesting keys are looked at."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


_Model = TypeVar("_Model", bound=BaseModel)


def wrong(path: Path, what: str, remedy: str = _ANOTHER) -> InputError:
    """The error for a file that cannot be imported."""
    return InputError(f"{path}: {what}", remedy)


def read_bytes(path: Path) -> bytes:
    """The content of a file that is read as a whole.

    Raises:
        InputError: It cannot be read, is empty, or too long.
    """
    try:
        length = path.stat().st_size
        if length > LONGEST_TEXT:
            raise wrong(path, f"{length} bytes are too many", "split the file")
        content = path.read_bytes()
    except OSError as error:
        raise wrong(path, f"cannot be read: {error.strerror}", "name a file that can be read") from error
    if not content:
        raise wrong(path, "the file is empty")
    return content


def read_text(path: Path) -> str:
    """The text of a file; see `read_bytes`."""
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise wrong(path, f"is no text: {error.reason} at byte {error.start}") from error


def read_json(path: Path, model: type[_Model]) -> _Model:
    """A JSON file as a model of the keys that matter.

    Raises:
        InputError: It is no JSON, or a key is missing or of another type.
    """
    text = read_text(path)
    try:
        return model.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"]) or "its content"
        raise wrong(path, f"{key}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise wrong(path, f"is not valid JSON: {error}") from error


def counted(path: Path, pairs: Iterable[tuple[int, int]], ns_per_unit: int) -> Counts:
    """Counts in ns from pairs of value and count; pairs without samples are left out.

    Raises:
        InputError: A value or a count cannot be, or a value comes twice.
    """
    seen = sorted((value, count) for value, count in pairs if count)
    if any(abs(value) > LARGEST_VALUE or count < 0 for value, count in seen):
        raise wrong(path, "its histogram holds a value or a count that cannot be")
    if sum(count for _, count in seen) > _MOST_SAMPLES:
        raise wrong(path, "its histogram counts more than 2^62 samples")
    if abs(seen[-1][0] if seen else 0) * ns_per_unit >= 2**62:
        raise wrong(path, "its histogram holds a time of more than 146 years")
    try:
        values, counts = zip(*seen, strict=True) if seen else ((), ())
        return Counts(np.array(values, np.int64) * ns_per_unit, np.array(counts, np.int64))
    except ValueError as error:
        raise wrong(path, "its histogram holds a value twice") from error


def with_overflow(source: ImportedSource, overflow: int, maximum_ns: int | None) -> ImportedSource:
    """A source whose tool saw samples beyond its histogram: of these only the largest is known.

    The maximum is added as the one sample it is; the others are lost, and said to be.
    """
    counts = source.data
    if not isinstance(counts, Counts) or overflow < 1:
        return source
    if maximum_ns is None or (counts.n and maximum_ns <= counts.max):
        return replace(source, lost=overflow)
    return replace(source, data=counts + Counts.of([maximum_ns]), lost=overflow - 1)


def integers(path: Path, histogram: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The keys and values of a JSON histogram as numbers.

    Raises:
        InputError: A key is no whole number.
    """
    try:
        return [(int(value), count) for value, count in histogram.items()]
    except ValueError as error:
        raise wrong(path, f"its histogram holds a key that is no whole number: {error}") from error
