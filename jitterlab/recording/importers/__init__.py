# SPDX-License-Identifier: Apache-2.0
"""Importers: the files of other tools as recordings. One module per tool."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

from jitterlab.errors import InputError
from jitterlab.recording.importers import cyclictest, fio, hyperfine, jitterdebugger, plain_csv, rtla
from jitterlab.recording.importers.imported import ImportedRun

_BEGINNING = 65_536


@dataclass(frozen=True, slots=True)
class Importer:
    """What can be done with the files of a tool.

    Attributes:
        name: The name of the tool.
        summary: Which of its files are read.
        recognises: Whether a file is from the tool, from its first bytes and its path.
        read: The runs in a file; raises InputError if there are none or the file is damaged.
    """

    name: str
    summary: str
    recognises: Callable[[bytes, Path], bool]
    read: Callable[[Path], list[ImportedRun]]


def importers(
    response: str = "latency", unit: str | None = None, by: Sequence[str] = ()
) -> dict[str, Importer]:
    """All importers by name, told what some files do not tell themselves.

    Args:
        response: The column of samples of a CSV file.
        unit: The unit of a CSV file (default: what its column ends in, or ns) or of texts of cyclictest (us).
        by: The columns of a CSV file that are factors.
    """
    columns = plain_csv.Columns(response, unit, tuple(by))
    bound: dict[ModuleType, Callable[[Path], list[ImportedRun]]] = {
        cyclictest: partial(cyclictest.read, unit=unit or "us"),
        rtla: rtla.read,
        jitterdebugger: jitterdebugger.read,
        fio: fio.read,
        hyperfine: hyperfine.read,
        plain_csv: partial(plain_csv.read, columns=columns),
    }
    return {
        module.NAME: Importer(module.NAME, module.SUMMARY, module.recognises, read)
        for module, read in bound.items()
    }


def detect(path: Path, known: Mapping[str, Importer]) -> Importer:
    """The importer, of those known, whose tool wrote a file.

    Raises:
        InputError: The file cannot be read, or no importer knows it.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}", "name a file that can be read"
        ) from error
    for importer in known.values():
        if importer.recognises(beginning, path):
            return importer
    raise InputError(
        f"{path}: no importer knows this file", f"name its tool with --format: {', '.join(known)}"
    )
