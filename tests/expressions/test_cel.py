# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The expression adapter: typed names, loud errors, whatever a loader yields."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from trainlint.expressions.cel import (
    Expression,
    ExpressionError,
    _environment,
    compile_expression,
    divisors,
    plain,
)

NAMES = {"spec.batch.per_gpu": "integer", "spec.ema": "float", "spec.losses": "list", "doc": "any"}


def test_reads_dotted_typed_names() -> None:
    expression = compile_expression("spec.batch.per_gpu % 5 == 2", NAMES, "BOOL")
    assert expression({"spec.batch.per_gpu": 12}) is True
    assert expression({"spec.batch.per_gpu": 15}) is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "spec.batch.pergpu.all(n, n > 3)",
            (
                "undeclared reference to 'spec.batch.pergpu'; did you mean 'spec.batch.per_gpu'? "
                "(character 11 of 'spec.batch.pergpu.all(n, n > 3)')"
            ),
        ),
        ("doc.a\n + wrong", "undeclared reference to 'wrong' (line 2, character 4 of 'doc.a\\n + wrong')"),
        ("1 + 'a'", """'+' does not take (int, string) (character 3 of "1 + 'a'")"""),
        ("1 +", "Syntax error: the expression ends too early (character 4 of '1 +')"),
        ("doc.a = 3", "Syntax error: '=' is no operator; did you mean '=='? (character 7 of 'doc.a = 3')"),
        ("doc.a ? 1", "Syntax error: the expression ends too early (character 10 of 'doc.a ? 1')"),
        ("doc.a 1", "Syntax error: extraneous input '1' (character 7 of 'doc.a 1')"),
    ],
)
def test_an_expression_that_does_not_compile_is_one_line_with_the_place(text: str, said: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, NAMES)
    assert str(caught.value) == said


def test_the_wanted_type_is_checked() -> None:
    with pytest.raises(ExpressionError, match="INT, expected BOOL"):
        compile_expression("spec.batch.per_gpu", NAMES, "BOOL")


@pytest.mark.parametrize("text", ["spec.losses.exists(l, l.rol == 'gan')", "spec.batch.per_gpu / 0 == 1"])
def test_a_run_time_error_is_raised(text: str) -> None:
    with pytest.raises(ExpressionError, match="cannot evaluate"):
        compile_expression(text, NAMES)({"spec.batch.per_gpu": 1, "spec.losses": [{"role": "gan"}]})


def test_an_absent_value_is_raised() -> None:
    with pytest.raises(ExpressionError, match="No value with name"):
        compile_expression("spec.batch.per_gpu > 1", NAMES)({})


@pytest.mark.parametrize(
    "value",
    [
        (1, 2),
        dt.date(2026, 1, 2),
        10**30,
        {None: 1, 2.5: 2, 3: 3},
        "\ud800",
        {"a": ({"b": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)},)},
    ],
)
def test_whatever_a_loader_yields_goes_in(value: object) -> None:
    assert compile_expression("doc", NAMES)({"doc": value}) == plain(value)


def test_absent_keys_of_a_document() -> None:
    expression = compile_expression("doc.?train.?ema.orValue(0.5)", NAMES)
    assert expression({"doc": {}}) == 0.5
    assert expression({"doc": {"train": {"ema": 0.999}}}) == 0.999


def test_functions() -> None:
    assert divisors(180) == [1, 2, 3, 4, 5, 6, 9, 10, 12, 15, 18, 20, 30, 36, 45, 60, 90, 180]
    assert divisors(0) == divisors(-4) == []
    assert compile_expression("sum(spec.losses) == 6", NAMES)({"spec.losses": [1, 2, 3]}) is True
    assert compile_expression("sorted([3, 1, 2])", {})({}) == [1, 2, 3]
    assert compile_expression("multiples(8, 30)", {})({}) == [8, 16, 24]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, float("nan"), float("inf")]),
    st.sampled_from(["", "1", "a", "1.0", "x" * 101]),
)


NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner), st.just([1] * 50)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=25)  # of up to 60 values each
@given(values=st.lists(NESTED, max_size=60))
@pytest.mark.parametrize(
    "text",
    [
        *("doc", "type(doc) == int ? 'int' : string(type(doc) == double)", "1.0 / doc"),
        "type(doc) == list ? size(doc) + size(doc.filter(each, type(each) == double)) : size(doc.b)",
        "type(doc) == list && doc.exists(it, type(it) == list && size(it) == 1) ? 1.0 / doc[0][0] : 0.0",
    ],
)
def test_what_is_kept_is_what_would_come_again(text, values):
    expression = compile_expression(text, {"doc": "any"})
    for value in (*values, *values):
        afresh = replace(expression)
        assert _came_to(expression, value) == _came_to(afresh, value)


def _came_to(expression, value):
    try:
        return repr(expression({"doc": value}))
    except ExpressionError as error:
        return str(error)


@settings(deadline=None, max_examples=25)  # of 15 expressions each
@given(st.dictionaries(st.sampled_from(["a", "a.b", "\u00e9", ""]), SCALARS))
@pytest.mark.parametrize(
    "text",
    [
        *("true", "false", "0", "17", "007", "'fp32'", "''", "'\u00e9'", "'a' in flat", "!('a' in flat)"),
        *("'a.b' in flat", "!('' in flat)", "!('\u00e9' in flat)", "'a' in doc", "!('a' in doc)"),
    ],
)
def test_what_needs_no_engine_comes_to_what_the_engine_says(text, flat):
    expression = compile_expression(text, {"flat": "dict", "doc": "any"})
    values = {"flat": flat, "doc": flat}
    said = expression._program.eval(data={name: values[name] for name in expression.names}).plain_value()
    assert repr(expression(values)) == repr(said)


def test_a_literal_and_a_key_take_no_engine(monkeypatch):
    for text in ("false", "'fp32'", "!('a' in flat)"):
        expression = compile_expression(text, {"flat": "dict"})
        monkeypatch.setitem(vars(expression), "_program", None)
        assert expression({"flat": {"b": 1}}) == {"false": False, "'fp32'": "fp32"}.get(text, True)


def test_a_value_that_was_met_is_not_evaluated_again(monkeypatch):
    expression = compile_expression("spec.batch.per_gpu * 2 + 1000", NAMES, "INT")
    assert expression({"spec.batch.per_gpu": 3}) == 1006
    monkeypatch.setitem(vars(expression), "_program", None)
    assert expression({"spec.batch.per_gpu": 3}) == 1006
    with pytest.raises(AttributeError):
        expression({"spec.batch.per_gpu": 4})


@pytest.mark.parametrize("value", [True, 3, 3.0, 2.5, None, "a", [1, 2.0, "x"], {"k": 1}, 2**63], ids=repr)
@pytest.mark.parametrize("text", ["doc.v", "type(doc.v)", "doc.v == 3", "doc.v > 2", "size(doc.v)"])
def test_a_shared_environment_reads_a_variable_of_any_type_that_it_does_not_declare(text, value) -> None:
    own = frozenset({("doc.v", "any"), ("spec.a", "float")})
    form = Expression(text, own).serialized()

    def read(variables) -> tuple[str, str]:
        try:
            result = _environment(variables).deserialize(form).eval(data={"doc.v": value, "spec.a": 3})
        except (RuntimeError, ValueError, TypeError) as error:
            return type(error).__name__, str(error)
        return result.type().name(), repr(result.value())

    assert read(frozenset({("spec.a", "float"), ("spec.b", "integer")})) == read(own)
