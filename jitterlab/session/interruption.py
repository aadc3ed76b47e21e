# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM: they end the current run, never the writing of one."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """While it is entered, the first signal raises KeyboardInterrupt, at once or when a shield ends.

    Further signals are ignored: they would cut the putting back of the machine short, which is bounded. Only
    the main thread gets signals; in another one, this does nothing.
    """

    def __init__(self) -> None:
        self._shields = 0
        self._wanted = False
        self._raised = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._wanted = True
        self._raise_if_due()

    def _raise_if_due(self) -> None:
        if self._wanted and not self._shields and not self._raised:
            self._raised = True
            raise KeyboardInterrupt

    @property
    def requested(self) -> bool:
        """Whether a signal has come; also when the exception that it raised was replaced by another one."""
        return self._wanted

    @contextmanager
    def shield(self) -> Iterator[None]:
        """Keep a signal waiting until the end of this block."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        self._raise_if_due()
