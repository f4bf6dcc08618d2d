# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is kept of shipped rules and dialects is what their files say, and nothing else is ever believed."""

from __future__ import annotations

import json

import pytest

from trainlint import cel, compiled, shipped
from trainlint.cel import Expression, ExpressionError, believed, engine
from trainlint.estimate.speed.factors import shipped_factors
from trainlint.hardware.tables import shipped_tables
from trainlint.judge import load_rules
from trainlint.judge.compiling import compile_all, shipped_data
from trainlint.judge.rule_file import without_examples
from trainlint.normalise import load_dialects
from trainlint.normalise.dialect_files import whole_schema
from trainlint.resources import resource


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty place for what is kept."""
    monkeypatch.setattr(shipped, "_folder", lambda: tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    compiled.data.cache_clear()
    compiled._expressions.cache_clear()


def test_what_is_kept_is_what_the_files_say(cache):
    assert not compiled.is_kept(engine())
    compile_all()
    forget()
    assert compiled.is_kept(engine())
    for path in resource("rules").glob("*.yaml"):
        assert compiled.data()["rules"][path.stem] == without_examples(path)
    for path in resource("schemas").glob("*.json"):
        assert compiled.data()["schemas"][path.stem] == whole_schema(path)
    assert repr(compiled.data()["tables"]) == repr({"gpus": shipped_tables(), "factors": shipped_factors()})


@pytest.mark.parametrize("name", ["rules/a.yaml", "schemas/a.json", "gpus.toml", str(shipped.FACTORS)])
def test_what_is_kept_is_of_the_files_as_they_are(tmp_path, monkeypatch, name):
    for each in ("rules/a.yaml", "schemas/a.json", "gpus.toml", shipped.FACTORS):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text("1")
    monkeypatch.setattr(shipped, "resource", tmp_path.joinpath)
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path)
    before = shipped.data_state.__wrapped__()
    assert shipped.data_state.__wrapped__() == before
    (tmp_path / name).write_text("1\n2")
    assert shipped.data_state.__wrapped__() != before


def test_a_compiled_form_says_what_its_text_says(cache):
    text, variables = "spec.scale * 2 + size(spec.name)", {"spec.scale": "integer", "spec.name": "string"}
    plain = Expression(text, frozenset(variables.items()))
    compiled.keep_all({"rules": {}, "schemas": {}}, {plain.key: plain.serialized()}, engine())
    again = Expression(text, frozenset(variables.items()))
    assert compiled.expression(again.key, engine()) is not None
    values = {"spec.scale": 4, "spec.name": "abc"}
    assert again(values) == plain(values) == 11
    other = Expression(text, frozenset({"spec.scale": "integer", "spec.name": "list"}.items()))
    assert compiled.expression(other.key, engine()) is None  # other types, another program


@pytest.mark.parametrize("shared", [frozenset(), frozenset({"a": "float", "b": "any"}.items())])
def test_a_compiled_form_heeds_the_types_of_its_variables(cache, shared):
    plain = Expression("a * 2.0", frozenset({"a": "float"}.items()))
    compiled.keep_all({"rules": {}, "schemas": {}}, {plain.key: plain.serialized()}, engine())
    cel._environment.cache_clear()
    again = Expression(plain.text, plain.variables, shared)
    assert again({"a": 4}) == 8.0
    wrong = Expression("b", frozenset({"b": "string"}.items()))
    compiled.keep_all({"rules": {}, "schemas": {}}, {wrong.key: wrong.serialized()}, engine())
    cel._environment.cache_clear()
    with pytest.raises(ExpressionError, match="Expected STRING"):
        Expression(wrong.text, wrong.variables)({"b": 5})


def test_all_expressions_are_kept_and_of_the_same_type(cache):
    compile_all()
    forget()
    for rule in load_rules():
        for made in filter(None, (rule.when, rule.certain, rule.assertion)):
            assert compiled.expression(made.key, engine()) is not None, (rule.name, made.text)
            assert Expression(made.text, made.variables).returns in ("BOOL", "DYN")


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b"\n", b"2 0.1.0 x\n{}"])
def test_what_is_damaged_is_made_again(cache, damage):
    compile_all()
    for file in cache.iterdir():
        file.write_bytes(damage)
    forget()
    assert compiled.data()["rules"] == {}
    assert believed("1 + 1", {})({}) == 2
    assert load_rules().rules.keys()
    assert load_dialects()


def test_a_changed_body_is_not_believed(cache):
    compile_all()
    file = cache / compiled.DATA
    head, _, body = file.read_bytes().partition(b"\n")
    data = json.loads(body)
    data["rules"]["duplicate-key"]["level"] = "changed"
    file.write_bytes(head + b"\n" + json.dumps(data).encode())
    forget()
    assert compiled.data()["rules"] == {}


def test_another_engine_s_forms_are_not_read(cache):
    compile_all()
    forget()
    assert not compiled.is_kept("another engine")


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(shipped, "_folder", lambda: blocked / "in a file")
    assert not shipped.may_keep()
    shipped.keep("x", b"content")
    assert shipped.kept("x") is None


def test_a_wheel_has_what_its_files_say(cache, monkeypatch):
    monkeypatch.setattr(compiled, "in_wheel", lambda: True)
    monkeypatch.setattr(compiled, "BUILT", cache / "shipped.json")
    compiled.BUILT.write_bytes(compiled.encoded(shipped_data()))
    compile_all()
    forget()
    assert compiled.is_kept(engine())
    assert not (cache / compiled.DATA).exists()
    assert compiled.data()["rules"].keys() == {path.stem for path in resource("rules").glob("*.yaml")}
