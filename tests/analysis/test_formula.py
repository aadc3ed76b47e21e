# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitterlab.analysis.formula import full, parse
from jitterlab.errors import InputError


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("latency ~ a * b", ["a", "b", "a:b"]),
        ("latency ~ C(a) + C(b) + C(a):C(b)", ["a", "b", "a:b"]),
        ("latency ~ C(a, Sum) * b", ["a", "b", "a:b"]),
        ("a:b + b + a", ["b", "a", "a:b"]),
        ("latency ~ (a + b + c)^2", ["a", "b", "c", "a:b", "a:c", "b:c"]),
        ("latency ~ a * b - a:b", ["a", "b"]),
        ("latency ~ a / b", ["a", "a:b"]),
        ("latency ~ a / (b + c)", ["a", "a:b", "a:c"]),
        ("latency ~ 1 + a:b:a + b:a", ["a:b"]),
        ("latency ~ ((a + b)**5)**5", ["a", "b", "a:b"]),
        ("latency ~ `1`", ["1"]),
        ("latency ~ `data size` * C(`cpu load`)", ["data size", "cpu load", "data size:cpu load"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert [":".join(term) for term in parse(text).terms] == terms


@pytest.mark.parametrize(
    ("text", "response", "transform"),
    [
        ("latency ~ a", "latency", None),
        ("~ a", "", None),
        ("a", "", None),
        ("log(latency) ~ a", "latency", "log"),
        ("np.log10(latency) ~ a", "latency", "log10"),
        ("`wake up` ~ a", "wake up", None),
    ],
)
def test_response(text: str, response: str, transform: str | None) -> None:
    formula = parse(text)
    assert (formula.response, formula.transform) == (response, transform)


def test_text_of_a_formula() -> None:
    assert str(parse("log(latency)~a*b")) == "log(latency) ~ a + b + a:b"


@given(st.text("abcxyz019~+-*:/^().,`' \\\"CSum", max_size=40))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    try:
        formula = parse(text)
    except InputError as error:
        assert error.remedy  # noqa: PT017 (either outcome is right)
    else:
        assert formula.terms
        assert all(len(set(term)) == len(term) for term in formula.terms)


def test_full_model() -> None:
    assert full("wake-up", ("a b", "c")).terms == (("a b",), ("c",), ("a b", "c"))
    with pytest.raises(InputError, match="more than 256 terms"):
        full("latency", "abcdefghi")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "y ~",
        "y ~ 1",
        "y ~ 0 + a",
        "y ~ a - 1",
        "y ~ a +",
        "y ~ (a",
        "y ~ a ~ b",
        "y ~ a | b",
        "y ~ poly(a, 2)",
        "y ~ C(a, Treatment)",
        "y + z ~ a",
        "exp(y) ~ a",
        "y ~ 2 * a",
        "y ~ (a + b)**99999999999",
        "y ~ " + "(" * 2000 + "a" + ")" * 2000,
        "y ~ (a + b)**0",
        "y ~ a b",
        "y ~ a:",
        "y ~ " + " * ".join("abcdefghijklmno"),
        "y ~ " + " + ".join(f"factor{i}" for i in range(2000)),
        "\0",
        "y ~ __import__('os').system('true')",
        "y ~ {a}",
    ],
)
def test_what_is_no_factorial_model_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert "\x1b" not in str(caught.value)
    assert caught.value.remedy


def test_a_formula_that_is_printed_can_be_read_again() -> None:
    formula = parse("latency ~ `my factor` * `b-c` + size")
    assert str(formula) == "latency ~ `my factor` + `b-c` + size + `my factor`:`b-c`"
    assert parse(str(formula)) == formula
