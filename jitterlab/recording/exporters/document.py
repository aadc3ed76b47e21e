# SPDX-License-Identifier: Apache-2.0
"""A recording as one JSON document, its schema versioned: see docs/recording-format.md."""

import json
from typing import IO, Any

from jitterlab.recording.exporters.selection import Selection
from jitterlab.recording.overview import overview

FORMAT = "jitterlab-export"
VERSION = 1


def write(selection: Selection, table: str, file: IO[bytes]) -> None:  # noqa: ARG001 - it has one form only
    """Write what the recording is about, its runs, and the exact counts of every cell.

    Raises:
        InputError: A file of the recording is damaged.
    """
    file.write(json.dumps(_document(selection), indent=1).encode() + b"\n")


def _document(selection: Selection) -> dict[str, Any]:
    about = overview(selection.recording)
    about["runs"] = [run for run in about["runs"] if run["run"] in selection.runs]
    return {
        "format": FORMAT,
        "version": VERSION,
        **about,
        "response": {"name": selection.response.name, "unit": selection.response.unit},
        "cells": [
            {
                "cell": cell.cell,
                "levels": dict(cell.levels),
                "runs": cell.runs,
                "n": cell.counts.n,
                "values": cell.counts.values.tolist(),
                "counts": cell.counts.counts.tolist(),
            }
            for cell in selection.cells()
        ],
    }
