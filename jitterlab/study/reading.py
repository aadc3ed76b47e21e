# SPDX-License-Identifier: Apache-2.0
"""Finding and reading study files, from friends and from strangers."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jitterlab.errors import InputError, suggestion
from jitterlab.study.model import Study
from jitterlab.study.validation import validate
from jitterlab.study.writing import to_toml

MAX_FILE_BYTES = 1 << 20
SHIPPED = Path(__file__).parents[1] / "studies"


def shipped() -> dict[str, Path]:
    """The studies that come with jitterlab, {name: path}."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def find(study: str) -> Path:
    """The file of a study that is named by its path, or by the name of one that comes with jitterlab.

    Raises:
        InputError: There is neither.
    """
    path, known = Path(study), shipped()
    # os.path answers for every name; Path.exists raises for those that are too long.
    if path.suffix or len(path.parts) != 1 or os.path.exists(path):  # noqa: PTH110
        return path
    if study not in known:
        remedy = suggestion(study, known) or "give the path of a study file, or a name"
        raise InputError(f"there is no study '{study}'", f"{remedy} (`jitterlab studies` lists them)")
    return known[study]


def _read(path: Path) -> str:
    remedy = "give the path of a study file (TOML)"
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: this is no file", remedy)
        if status.st_size > MAX_FILE_BYTES:
            raise InputError(
                f"{path}: {status.st_size} bytes are too many for a study (1 MiB at most)", remedy
            )
        return path.read_bytes().decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not UTF-8 text"
        raise InputError(f"{path}: {reason}", remedy) from None


def _document(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"{path}: this is no valid TOML: {reason}", "mend that line; text stands in quotation marks"
        ) from None


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    table = document.setdefault(name, {})
    return table if isinstance(table, dict) else {}


def parse(
    text: str,
    path: Path | str,
    *,
    options: Mapping[str, object] | None = None,
    fixed: Mapping[str, str] | None = None,
) -> Study:
    """A valid study from its text.

    Args:
        text: TOML.
        path: Where it came from, for messages.
        options: What overrides keys of [study], such as {"samples": 1000}.
        fixed: What is held fixed, whatever [parameters] or [factors] say, such as {"policy": "fifo:80"}.

    Raises:
        InputError: Everything that is wrong, each with file, key, what was found and what is allowed.
    """
    path = Path(path)
    document = _document(text, path)
    _table(document, "study").update(options or {})
    for name, value in (fixed or {}).items():
        _table(document, "factors").pop(name, None)
        _table(document, "parameters")[name] = value
    origins = {
        **{f"[study] {name}": f"--{name}" for name in options or {}},
        **{f"[parameters] {name}": f"--set {name}" for name in fixed or {}},
    }
    study = replace(validate(document, path, origins), text=text)
    return replace(study, text=to_toml(study)) if options or fixed else study


def load(
    study: str | Path, *, options: Mapping[str, object] | None = None, fixed: Mapping[str, str] | None = None
) -> Study:
    """A valid study from a file or, by name, from those that come with jitterlab; see `parse`.

    Raises:
        InputError: There is no such file or it cannot be read; and what `parse` raises.
    """
    path = find(str(study))
    return parse(_read(path), path, options=options, fixed=fixed)
