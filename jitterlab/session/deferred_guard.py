# SPDX-License-Identifier: Apache-2.0
"""A guard that is started when something is to be changed, and not before."""

from jitterlab.guard import Guard, Knob
from jitterlab.targets import Target


class DeferredGuard(Guard):
    """Behaves like the guard, and starts it at the first request.

    Studies that change nothing of the machine (a load is no change) so need none of the guard's privileges.
    Others hold it for the whole session, so that no other session changes the machine between two runs.

    Args:
        target: The machine.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._started: Guard | None = None

    @property
    def _guard(self) -> Guard:
        if self._started is None:
            self._started = Guard(self._target)
        return self._started

    def knobs(self) -> dict[str, Knob]:
        """See `Guard.knobs`."""
        return self._guard.knobs()

    def get(self, knob: str) -> str:
        """See `Guard.get`."""
        return self._guard.get(knob)

    def set(self, knob: str, value: str) -> str:
        """See `Guard.set`."""
        return self._guard.set(knob, value)

    def reset(self, knob: str) -> str:
        """See `Guard.reset`."""
        return self._guard.reset(knob)

    def begin(self) -> None:
        """Start the guard now, to know that it can be.

        Raises:
            NotAvailableError: It cannot be started, or another one is at work there.
        """
        self._started = self._guard

    def close(self) -> None:
        """Put everything back, if anything was ever asked for; the next request starts another guard."""
        started, self._started = self._started, None
        if started is not None:
            started.close()
