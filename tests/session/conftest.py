# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator

import pytest

from jitterlab import registry
from jitterlab.study import Study, parse
from tests.session.laboratory import Bookkeeper, Counting, Entry, Machine, Noting, Pondering, Standby


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bookkeeper]:
    """The notes of a laboratory in which nothing else is registered."""
    kept = Bookkeeper()
    things = {
        "jitterlab.workloads": [Entry("ponder", Pondering(kept))],
        "jitterlab.factors": [
            Entry("noise", Noting(kept, "noise", busy=True)),
            Entry("setting", Noting(kept, "setting", busy=False)),
        ],
        "jitterlab.meters": [Entry("looks", Counting())],
    }
    monkeypatch.setattr("jitterlab.session.deferred_guard.Guard", Standby)
    monkeypatch.setattr("jitterlab.environment.capture", lambda _: {"kernel": "6.1"})
    monkeypatch.setattr("jitterlab.session.lab.RETRY_AFTER_S", 0.0)
    monkeypatch.setattr(registry, "entry_points", lambda group: things.get(group, []))
    registry.registered.cache_clear()
    yield kept
    registry.registered.cache_clear()


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def study(keeper: Bookkeeper) -> Study:
    """Four runs in listed order: two blocks of two topics, with noise and a setting held."""
    return parse(
        """
        [study]
        title = "What is worth thinking about?"
        workload = "ponder"
        replicates = 2
        samples = 3
        order = "listed"
        [parameters]
        noise = "low"
        setting = "high"
        [factors]
        topic = ["latency", "jitter"]
        """,
        "ponder.toml",
    )
