# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, said to the user: every error tells what was wrong, where, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

INTERRUPTED = 130
"""The exit code after Ctrl-C or SIGTERM, as of a shell."""


class JitterlabError(Exception):
    """Base of all errors that jitterlab reports without a traceback.

    Args:
        message: What was wrong and where (file and key, device, run), as one sentence.
        remedy: What the user can do about it, as one sentence; empty if nothing is known.
    """

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class RunError(JitterlabError):
    """One or more runs failed; what was measured is kept."""

    exit_code = 1


class InputError(JitterlabError):
    """A file or an argument from outside is wrong: a study, a stream, a recording, an import."""

    exit_code = 2


class NotAvailableError(JitterlabError):
    """This machine cannot do what was asked: a tool, a privilege or a piece of hardware is missing."""

    exit_code = 3


def suggestion(name: str, known: Iterable[str]) -> str:
    """A remedy for a name that is not known: what was probably meant; empty if nothing comes near."""
    close = get_close_matches(name, list(known), n=1)
    return f'did you mean "{close[0]}"?' if close else ""
