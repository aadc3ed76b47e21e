# SPDX-License-Identifier: Apache-2.0
"""Exporters: recordings in the formats of other tools. One module per format."""

from collections.abc import Callable
from typing import IO

from jitterlab.recording.exporters import document, hdr, histogram, table
from jitterlab.recording.exporters.selection import Selection

Export = Callable[[Selection, str, IO[bytes]], None]
"""Writes what is selected; the text names a table for the formats that have tables."""

EXPORTERS: dict[str, Export] = {
    "csv": table.write_csv,
    "json": document.write,
    "parquet": table.write_parquet,
    "hdr": hdr.write,
    "histogram": histogram.write,
}

__all__ = ["EXPORTERS", "Export", "Selection"]
