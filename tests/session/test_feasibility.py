# SPDX-License-Identifier: Apache-2.0
"""What a machine cannot do is known, with its reason, before anything is changed."""

import pytest

from jitterlab import registry, session
from jitterlab.registry import Availability
from jitterlab.session.settings import held, settings
from jitterlab.study import Study, parse
from tests.session.laboratory import Bookkeeper, Machine


def test_levels_are_examined_one_by_one(study: Study, machine: Machine, keeper: Bookkeeper) -> None:
    asked = parse(
        study.text.replace('["latency", "jitter"]', '["everything", "jitter"]').replace('noise = "low"', "")
        + 'noise = ["low", "deafening"]',
        "x.toml",
    )
    found = session.examine(asked, machine)
    assert found.workload is None
    assert found.factors["topic"] == {"everything": "nobody can think about everything", "jitter": None}
    assert found.factors["noise"] == {
        "low": None,
        "deafening": "there is no deafening here; there is low, high",
    }
    assert found.parameters == {"setting": {"high": None}}
    assert found.meters == {"looks": None}
    assert found.unavailable.keys() == {"topic", "noise"}
    assert keeper.log == []


def test_levels_may_be_given_by_a_pattern_besides_their_names(
    study: Study, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = Availability(levels=("low", "high"), also=r"\d+us")
    monkeypatch.setattr(registry.registered("factors")["noise"], "available", lambda _: named)
    asked = parse(study.text.replace('noise = "low"', "") + 'noise = ["low", "10us", "10h"]', "x.toml")
    reasons = session.examine(asked, machine).factors["noise"]
    assert [reason is None for reason in reasons.values()] == [True, True, False]


def test_a_workload_that_can_do_no_cell_says_why(study: Study, machine: Machine) -> None:
    asked = parse(study.text.replace('topic = ["latency", "jitter"]', ""), "x", fixed={"topic": "everything"})
    assert session.examine(asked, machine).workload == "nobody can think about everything"


def test_the_time_is_estimated_from_all_runs(study: Study) -> None:
    assert 4 * 3.0 < session.duration_s(study) < 4 * 3.0 + 10


def test_levels_win_over_parameters_and_parameters_over_defaults(study: Study) -> None:
    fixed = parse(study.text.replace("[factors]", ""), "x.toml", fixed={"topic": "rust"})
    assert settings(fixed, {})["topic"] == "rust"
    assert settings(fixed, {"topic": "jitter"}) == {"topic": "jitter", "samples": 3, "warmup": 500}
    assert list(held(fixed, {"noise": "high"}).items()) == [("setting", "high"), ("noise", "high")]
