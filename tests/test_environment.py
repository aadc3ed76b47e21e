# SPDX-License-Identifier: Apache-2.0
"""The environment says what a machine is, and why it does not say the rest."""

import json
import os
import threading
from typing import Any

import pytest

from jitterlab import environment
from jitterlab.targets.local import LocalTarget


class Void(LocalTarget):
    """A machine of which nothing can be read and on which nothing is installed."""

    def read(self, path: str) -> str | None:
        return None

    def glob(self, pattern: str) -> list[str]:
        return []

    def which(self, program: str) -> str | None:
        return None


def test_this_machine_is_captured_as_json() -> None:
    found = environment.capture(LocalTarget())
    assert json.loads(json.dumps(found)) == found
    assert found["kernel"] == os.uname().release
    assert found["clock"]["monotonic"]["overhead_ns"] > 0
    assert found["cpu"]["cpus"]
    reasons = found["not_available"]
    assert {name for name, value in found.items() if value is None} == reasons.keys()
    assert all(len(reason) > 10 for reason in reasons.values())


def test_every_item_that_cannot_be_read_is_null_with_its_reason() -> None:
    found = environment.capture(Void())
    known = {"jitterlab", "kernel", "architecture", "kernel_config", "not_available"}
    assert all(found[name] is None and found["not_available"][name] for name in found.keys() - known)


def test_the_configuration_is_reduced_to_what_decides_about_latencies() -> None:
    text = (
        "# CONFIG_PREEMPT_RT is not set\nCONFIG_PREEMPT=y\nCONFIG_HZ=250\nCONFIG_USB=y\nCONFIG_NO_HZ_FULL=y\n"
    )
    assert environment._digest(text) == {"CONFIG_PREEMPT": "y", "CONFIG_HZ": "250", "CONFIG_NO_HZ_FULL": "y"}


def test_ctrl_c_while_a_program_is_asked_leaves_no_timer_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(LocalTarget):
        def start(self, argv: Any, **options: Any) -> Any:
            process = super().start(argv, **options)
            monkeypatch.setattr(process, "wait", interrupt)
            return process

    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.capture(Interrupted())
    waiting = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    assert not any(timer.is_alive() and not timer.finished.is_set() for timer in waiting)
