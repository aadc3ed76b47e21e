# SPDX-License-Identifier: Apache-2.0
"""Writing what was drawn to a file that is there whole or not at all."""

from pathlib import Path

from jitterlab.errors import RunError
from jitterlab.recording import folder


def write(path: Path, content: bytes) -> None:
    """Write a file.

    Raises:
        RunError: It cannot be written.
    """
    try:
        folder.write(path, content)
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: {error.strerror or error}", "choose another file with --output"
        ) from error
