# SPDX-License-Identifier: Apache-2.0
"""Studies are right, or every mistake in them is said with its place and what is allowed."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitterlab import study
from jitterlab.errors import InputError

GOOD = """
[study]
title = "How late?"
workload = "wakeup"
{study}
[parameters]
interval = "0.2ms"
{parameters}
[factors]
policy = ["other", "fifo:80"]
{factors}
"""


def text(study: str = "", parameters: str = "", factors: str = "") -> str:
    return GOOD.format(study=study, parameters=parameters, factors=factors)


def problems(document: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        study.parse(document, "mine.toml")
    assert caught.value.remedy
    return str(caught.value).splitlines()


def test_a_study_with_its_defaults() -> None:
    found = study.parse(text(), "mine.toml")
    assert found.parameters == {"interval": "200us"}
    assert [(factor.name, factor.levels) for factor in found.factors] == [("policy", ("other", "fifo:80"))]
    assert (found.replicates, found.order, found.design, found.control) == (3, "blocks", "full", False)
    assert found.text == text()


def test_numbers_have_separators_and_levels_may_be_numbers() -> None:
    found = study.parse(text("samples = 20_000", factors="nice = [0, -5]"), "mine.toml")
    assert found.samples == 20_000
    assert found.factors[1].levels == ("0", "-5")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (text("replicats = 3"), ["[study] replicats", 'did you mean "replicates"?']),
        (text('replicates = "three"'), ["[study] replicates", '"three"', "whole number from 1"]),
        (text("samples = 0"), ["[study] samples", "found 0"]),
        (text("samples = nan"), ["[study] samples", "found nan"]),
        (text(f"samples = 0x{'f' * 9000}"), ["[study] samples", "beyond all limits"]),
        (text("seed = -1"), ["[study] seed"]),
        (text('order = "shuffled"'), ["[study] order", '"blocks"', '"random"', '"listed"']),
        (text('design = "taguchi"'), ["[study] design", "plackett-burman"]),
        (text('design = "fractional:a b"'), ["[study] design", "one generator per factor"]),
        (text("control = 1"), ["[study] control", "true or false"]),
        (text(parameters='intervall = "1ms"'), ["[parameters] intervall", 'did you mean "interval"?']),
        (text(parameters='slack = "1"'), ["[parameters] slack", '"1"', "such as"]),
        (text(parameters='spin = ["1us", "2us"]'), ["[parameters] spin", "[factors]"]),
        (text(parameters='policy = "other"'), ["[factors] policy", "one of the two"]),
        (text(factors='latency = ["a", "b"]'), ["[factors] latency", "reserved"]),
        (text(factors="samples = [1, 2]"), ["[factors] samples", "into [study]"]),
        (text(factors='wake = ["nanosleep"]'), ["[factors] wake", "a list of 2"]),
        (text(factors='wake = "nanosleep"'), ["[factors] wake", "[parameters]"]),
        (
            text(factors='wake = ["nanosleep", "timrfd"]'),
            ["[factors] wake, level 2", '"timrfd"', '"timerfd"'],
        ),
        (text(factors='slack = ["1us", "1000ns"]'), ["[factors] slack, level 2", "once"]),
        (text(factors='load = ["none", "cpuu:1"]'), ["[factors] load, level 2", 'did you mean "cpu"?']),
        (text(factors="wake = [[], {}]"), ["[factors] wake, level 1", "a list of 0"]),
        (text() + "[parameter]\n", ["parameter", 'did you mean "parameters"?']),
        ("replicates = 3\n" + text(), ["replicates", "into [study]"]),
        ("study = 3", ["study: found 3", "a section [study]"]),
        ('[study]\nworkload = "wakup"\ntitle = "t"', ["[study] workload", 'did you mean "wakeup"?']),
        ("", ["[study] title: found nothing"]),
        ("[study", ["no valid TOML", "end of document"]),
        (f"a = {'[' * 100_000}", ["no valid TOML"]),
        (f"a = {'9' * 5000}", ["no valid TOML"]),
    ],
)
def test_mistakes_are_told_with_place_value_and_remedy(document: str, expected: list[str]) -> None:
    lines = problems(document)
    assert all(line.startswith("mine.toml: ") for line in lines)
    assert any(all(part in line for part in expected) for line in lines), lines


def test_all_mistakes_are_told_at_once() -> None:
    lines = problems(text("samples = 0\nseed = -1", 'slack = "x"', 'wake = ["a", "b"]'))
    assert len(lines) == 5


def test_too_many_runs_are_refused_before_they_are_made() -> None:
    levels = ", ".join(f'"{n}us"' for n in range(1, 1001))
    lines = problems(text(factors=f"slack = [{levels}]\nspin = [{levels}]\ndistance = [{levels}]"))
    assert "at most 100_000" in lines[0]


def test_options_and_fixed_values_make_a_study_of_its_own() -> None:
    changed = study.parse(
        text(), "mine.toml", options={"samples": 7, "control": True}, fixed={"policy": "rr:5"}
    )
    assert (changed.samples, changed.control, changed.factors) == (7, True, ())
    assert changed.parameters == {"interval": "200us", "policy": "rr:5"}
    again = study.parse(changed.text, "mine.toml")
    assert again == changed


def test_what_is_wrong_with_an_option_is_not_blamed_on_the_file() -> None:
    with pytest.raises(InputError) as caught:
        study.parse(text(), "mine.toml", options={"samples": "0"}, fixed={"policy": "rr:0", "colour": "red"})
    lines = str(caught.value).splitlines()
    assert [line.partition(": found")[0] for line in lines] == ["--samples", "--set policy", "--set colour"]
    assert caught.value.remedy == "correct the options"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=200))
def test_any_text_is_a_study_or_told_why_not(document: str) -> None:
    with pytest.raises(InputError):
        study.parse(document, "mine.toml")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["title", "workload", "replicates", "samples", "order", "design", "policy", "load", "cell"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from(["study", "parameters", "factors", "other"]), VALUES | st.dictionaries(KEYS, VALUES)
    )
)
def test_any_document_is_a_study_or_told_why_not(document: dict[str, object]) -> None:
    from jitterlab.study.validation import validate

    with pytest.raises(InputError):
        validate(document, Path("mine.toml"), {})


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.toml").write_bytes(b"#" * (2 << 20))
    os.mkfifo(tmp_path / "pipe.toml")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.toml"))
    for name in ("binary.toml", "large.toml", "pipe.toml", "socket.toml", "absent.toml", ".", "a\0b.toml"):
        with pytest.raises(InputError):
            study.load(tmp_path / name)


def test_the_studies_that_come_along_are_valid_and_found_by_name() -> None:
    assert {"wakeup", "osadl"} <= study.shipped().keys()
    for name in study.shipped():
        found = study.load(name)
        assert study.parse(study.to_toml(found), found.path).factors == found.factors
    with pytest.raises(InputError, match="no study 'wakup'") as caught:
        study.load("wakup")
    assert 'did you mean "wakeup"?' in caught.value.remedy


def test_levels_that_a_machine_cannot_do_are_left_out() -> None:
    found = study.parse(
        text(factors='slack = ["1us", "2us", "3us"]\nwake = ["spin", "timerfd"]'), "mine.toml"
    )
    smaller = study.leave_out(
        found,
        {
            "policy": {"fifo:80": "not\npermitted"},
            "slack": {"1us": "why"},
            "wake": {"spin": "", "timerfd": ""},
        },
    )
    assert [(factor.name, factor.levels) for factor in smaller.factors] == [("slack", ("2us", "3us"))]
    assert smaller.parameters["policy"] == "other"
    assert "wake" not in smaller.parameters
    assert "policy = fifo:80 (not permitted)" in smaller.text.splitlines()[0]
    assert study.parse(smaller.text, "mine.toml").factors == smaller.factors
