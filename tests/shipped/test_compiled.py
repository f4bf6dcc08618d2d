# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is kept of shipped rules and dialects is what their files say, and nothing else is ever believed."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache as once
from importlib.metadata import version
from pathlib import Path

import pytest
from msgspec import msgpack

from trainlint.catalogue.zoo import listed_names
from trainlint.dialects import load_dialects
from trainlint.dialects.load.dialect_files import whole_schema
from trainlint.estimate.speed.rate_factors import shipped_factors
from trainlint.expressions import cel
from trainlint.expressions.cel import Expression, ExpressionError, believed, engine
from trainlint.hardware.hardware_tables import shipped_tables
from trainlint.judge import load_rules
from trainlint.judge.rule_files import compile_shipped
from trainlint.judge.rule_files.rule_file import without_examples
from trainlint.shipped import compiled, kept_data
from trainlint.shipped.resource_paths import resource
from trainlint.tape import provenance

shipped_data, wheel_files = once(compile_shipped.shipped_data), once(compile_shipped.wheel_files)


@once
def shipped_forms():
    """All compiled forms, which takes a second: compiled here, whatever is kept."""
    return dict(compile_shipped.shipped_forms())


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty place for what is kept, by which the shipped files were checked: that takes seconds."""
    monkeypatch.setattr(kept_data, "_folder", lambda: tmp_path)
    for name in ("rules", "schemas", "gpus.toml"):
        kept_data.keep(f"checked-{name}", kept_data.checked_state().encode())
    forget()
    yield tmp_path
    forget()


def forget():
    compiled.data.cache_clear()
    compiled._forms.cache_clear()
    compiled._compiled.clear()


def keep_all():
    """Keep all that is shipped, as many runs do one after the other."""
    compiled.keep_data(shipped_data())
    keep(shipped_forms())


def keep(forms):
    kept_data.keep_bytes(compiled.EXPRESSIONS, engine(), msgpack.encode(forms))
    forget()


@pytest.mark.rest
def test_what_is_kept_is_what_the_files_say(cache):
    assert not compiled.data().rules
    keep_all()
    assert compiled.data().expressions == shipped_forms().keys()
    for path in resource("rules").glob("*.yaml"):
        assert compiled.data().rules[path.stem] == without_examples(path)
    for path in resource("schemas").glob("*.json"):
        assert compiled.data().schemas[path.stem].schema == whole_schema(path)
    assert repr(compiled.data().tables) == repr({"gpus": shipped_tables(), "factors": shipped_factors()})


@pytest.mark.parametrize("name", ["rules/a.yaml", "schemas/a.json", "gpus.toml", str(kept_data.FACTORS)])
def test_what_is_kept_is_of_the_files_as_they_are(tmp_path, monkeypatch, name):
    for each in ("rules/a.yaml", "schemas/a.json", "gpus.toml", kept_data.FACTORS):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text("1")
    monkeypatch.setattr(kept_data, "resource", tmp_path.joinpath)
    monkeypatch.setattr(kept_data, "PACKAGE", tmp_path)
    before = kept_data.data_state.__wrapped__()
    assert kept_data.data_state.__wrapped__() == before
    (tmp_path / name).write_text("1\n2")
    assert kept_data.data_state.__wrapped__() != before


def test_a_compiled_form_says_what_its_text_says(cache):
    text, variables = "spec.scale * 2 + size(spec.name)", {"spec.scale": "integer", "spec.name": "string"}
    plain = Expression(text, frozenset(variables.items()))
    keep({plain.key: plain.serialized()})
    again = Expression(text, frozenset(variables.items()))
    assert compiled.expression(again.key, engine()) is not None
    values = {"spec.scale": 4, "spec.name": "abc"}
    assert again(values) == plain(values) == 11
    other = Expression(text, frozenset({"spec.scale": "integer", "spec.name": "list"}.items()))
    assert compiled.expression(other.key, engine()) is None  # other types, another program


@pytest.mark.parametrize("shared", [frozenset(), frozenset({"a": "float", "b": "any"}.items())])
def test_a_compiled_form_heeds_the_types_of_its_variables(cache, shared):
    plain = Expression("a * 2.0", frozenset({"a": "float"}.items()))
    keep({plain.key: plain.serialized()})
    cel._environment.cache_clear()
    again = Expression(plain.text, plain.variables, shared)
    assert again({"a": 4}) == 8.0
    wrong = Expression("b", frozenset({"b": "string"}.items()))
    keep({wrong.key: wrong.serialized()})
    cel._environment.cache_clear()
    with pytest.raises(ExpressionError, match="Expected STRING"):
        Expression(wrong.text, wrong.variables)({"b": 5})


@pytest.mark.rest
def test_all_expressions_are_kept_and_of_the_same_type(cache):
    keep_all()
    for rule in load_rules():
        for made in filter(None, (rule.when, rule.certain, rule.assertion)):
            assert compiled.expression(made.key, engine()) is not None, (rule.name, made.text)
            assert Expression(made.text, made.variables).returns in ("BOOL", "DYN")


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b"\n", b"2 0.1.0 x\n{}"])
@pytest.mark.rest
def test_what_is_damaged_is_made_again(cache, damage):
    keep_all()
    for name in (compiled.DATA, compiled.EXPRESSIONS):
        (cache / name).write_bytes(damage)
    forget()
    assert compiled.data().rules == {}
    assert believed("1 + 1", {})({}) == 2
    assert load_rules().rules.keys()
    assert load_dialects()


@pytest.mark.rest
def test_a_changed_body_is_not_believed(cache):
    keep_all()
    file = cache / compiled.DATA
    head, _, body = file.read_bytes().partition(b"\n")
    data = json.loads(body)
    data["rules"]["duplicate-key"]["level"] = "changed"
    file.write_bytes(head + b"\n" + json.dumps(data).encode())
    forget()
    assert compiled.data().rules == {}


@pytest.mark.rest
def test_another_engine_s_forms_are_not_read(cache):
    keep_all()
    key = next(iter(compiled.data().expressions))
    assert compiled.expression(key, engine()) is not None
    assert compiled.expression(key, "another engine") is None


def test_what_another_revision_kept_in_another_form_is_read_from_the_files(cache):
    kept_data.keep_bytes(compiled.DATA, kept_data.data_state(), b'{"schemas": {"basicsr": {}}}')
    forget()
    assert compiled.data() == compiled.Shipped()
    assert any(dialect.id == "basicsr" for dialect in load_dialects())


@pytest.mark.rest
def test_a_dialect_that_no_file_speaks_is_not_decoded(cache):
    keep_all()
    loaded = {dialect.id: dialect for dialect in load_dialects()}
    shipped = compiled.data().schemas
    assert not any("schema" in vars(schema) for schema in shipped.values())
    assert loaded["basicsr"].schema is shipped["basicsr"].schema
    assert [name for name, schema in shipped.items() if "schema" in vars(schema)] == ["basicsr"]


def test_an_engine_is_known_by_its_package_s_version():
    assert engine() == f"cel_expr_python-{version('cel-expr-python')}"


def test_what_a_run_compiled_is_kept_when_it_ends_but_nothing_of_a_tree(cache):
    compiled.keep_data(shipped_data())
    first, second, *_ = (
        made for rule in load_rules() for made in (rule.when, rule.assertion) if made and made.text != "true"
    )
    compiled._compiled.clear()  # what the first to load the rules compiles
    own = Expression("a + 12345", frozenset({"a": "integer"}.items()))
    for made in (first, own):
        _ = Expression(made.text, made.variables).returns
    compiled.keep_noted(engine())
    assert compiled._forms(engine()).keys() == {first.key}
    _ = Expression(second.text, second.variables).returns
    compiled.keep_noted(engine())
    assert compiled._forms(engine()).keys() == {first.key, second.key}
    assert not compiled._compiled


def test_what_is_shipped_no_longer_is_kept_no_longer(cache):
    compiled.keep_data(shipped_data())
    keep({"of an older version": b"x"})
    made = next(rule.when for rule in load_rules() if rule.when)
    _ = Expression(made.text, made.variables).returns
    compiled.keep_noted(engine())
    assert compiled._forms(engine()).keys() == {made.key}


RUN = """
import sys
from pathlib import Path
from trainlint.shipped import compiled, kept_data
kept_data._folder = lambda: Path(sys.argv[1])
for key in sorted(compiled.data().expressions)[int(sys.argv[2])::4]:
    compiled.note(key, key.encode, "an engine")
"""


@pytest.mark.process
def test_many_processes_may_keep_at_once(cache):
    """Each adds to what it finds: the file is always whole, and what one overwrote comes with a later run."""
    compiled.keep_data(shipped_data())
    keys, before = compiled.data().expressions, [path.name for path in cache.iterdir()]
    runs = [subprocess.Popen([sys.executable, "-c", RUN, cache, str(number)]) for number in range(4)]
    assert [run.wait() for run in runs] == [0] * 4
    forms = compiled._forms("an engine")
    assert len(keys) // 4 <= len(forms)
    assert forms.items() <= {key: key.encode() for key in keys}.items()
    for number in range(4):
        subprocess.run([sys.executable, "-c", RUN, cache, str(number)], check=True)
    forget()
    assert compiled._forms("an engine") == {key: key.encode() for key in keys}
    assert {path.name for path in cache.iterdir()} == {*before, compiled.EXPRESSIONS}


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(kept_data, "_folder", lambda: blocked / "in a file")
    assert not kept_data.may_keep()
    kept_data.keep("x", b"content")
    assert kept_data.kept("x") is None


@pytest.fixture
def wheel(cache, monkeypatch):
    """What a wheel has, made as it is built; the place where the user's cache would be."""
    built = cache / "wheel"
    built.mkdir()
    for path, content in wheel_files().items():
        (built / Path(path).name).write_bytes(content)
    monkeypatch.setattr(kept_data, "_folder", lambda: cache / "user")
    monkeypatch.setattr(kept_data, "PACKAGE", built)
    for module in (compiled, kept_data):
        monkeypatch.setattr(module, "in_wheel", lambda: True)
    for name in ("BUILT_DATA", "BUILT_FORMS"):
        monkeypatch.setattr(compiled, name, built / getattr(compiled, name).name)
    forget()
    yield cache / "user"
    forget()


@pytest.mark.rest
def test_a_wheel_has_what_is_read_of_its_sources(wheel, cache):
    def fails():
        pytest.fail("it is read again")

    sources = kept_data.made_of((), provenance.KEPT_SOURCES, fails)
    assert sources == json.loads(json.dumps(provenance.shipped_sources()))
    assert "trainlint/trace/trace.py" in sources
    assert kept_data.made_of((), listed_names.KEPT_NAMES, fails) == listed_names.listed()
    assert not wheel.exists()


@pytest.mark.rest
def test_a_wheel_has_what_its_files_say_and_needs_no_cache(wheel):
    assert compiled.data().rules.keys() == {path.stem for path in resource("rules").glob("*.yaml")}
    assert compiled._forms(engine()).keys() == compiled.data().expressions
    own = Expression("a + 12345", frozenset({"a": "integer"}.items()))
    assert own({"a": 1}) == 12346
    compiled.keep_noted(engine())
    assert not wheel.exists()


@pytest.mark.rest
def test_a_wheel_s_forms_are_those_of_its_engine_alone(wheel):
    key = next(iter(compiled.data().expressions))
    assert compiled.expression(key, "cel_expr_python-99.0") is None
    made = next(rule.when for rule in load_rules() if rule.when)
    compiled.note(made.key, made.serialized, "cel_expr_python-99.0")
    compiled.keep_noted("cel_expr_python-99.0")
    assert compiled._forms("cel_expr_python-99.0").keys() == {made.key}
