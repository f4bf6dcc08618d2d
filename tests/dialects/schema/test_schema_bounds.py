# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Schemas that the settings of a linted tree name: nothing is fetched, and every check ends."""

from __future__ import annotations

import http.server
import json
import threading

import pytest

from tests.dialects.documents import document
from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.dialects.load.dialect_files import load_dialect
from trainlint.dialects.schema.check_budget import MOST_CHECKS
from trainlint.dialects.schema.schema_bounds import check_bounded
from trainlint.dialects.schema.strict_schema import strict_validator
from trainlint.errors import RuleError, UnreadableError
from trainlint.shipped.resource_paths import resource

NOTES = {
    "id": "toy", "title": "Toy", "loader": "pyyaml", "formats": ["yaml"], "unknown": "ignore",
    "recognise": {"when": "'toy' in flat", "priority": 1},
}  # fmt: skip


THREE = "[1].map(x, x).map(y, y).map(z, z).size() > 1"


def linted(tmp_path, schema, text):
    file = tmp_path / "toy.json"
    file.write_text(json.dumps({"x-trainlint": NOTES} | schema))
    found = document(text)
    dialect = recognise(found, load_dialects([file]))
    assert dialect is not None
    return normalise(found, dialect)


@pytest.mark.parametrize("path", sorted(resource("schemas").glob("*.json")), ids=lambda path: path.stem)
def test_what_ships_is_bounded(path):
    check_bounded(load_dialect(path, checked=False).schema)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"$ref": "http://127.0.0.1:9/x.json"}, "leads out of the file, and nothing is fetched"),
        ({"$ref": "other.json#/$defs/a"}, "leads out of the file"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "leads out of the file"),
        ({"properties": {"a": {"$dynamicRef": "http://127.0.0.1:9/x.json"}}}, r"dynamicRef. is not taken"),
        ({"properties": {"a": {"$id": "http://127.0.0.1:9/"}}}, r"id. is not taken"),
        ({"$ref": "#/$defs/none"}, "points at nothing"),
        ({"$ref": "#/title/x"}, "points at nothing"),
        ({"allOf": [{"$ref": "#"}]}, "refers to itself for the very same value"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}, "refers to itself"),
        ({"if": {"not": {"$ref": "#"}}}, "refers to itself"),
        ({"dependentSchemas": {"a": {"$ref": "#"}}}, "refers to itself"),
        ({"properties": {"a": {"pattern": "(?=a)b"}}}, "is not in RE2's syntax: invalid perl operator"),
        ({"patternProperties": {"(a)\\1": {}}}, "is not in RE2's syntax: invalid escape"),
        ({"unevaluatedProperties": {"type": "string"}}, "is not taken"),
        ({"properties": [1]}, "not JSON Schema"),
        ({"$defs": {str(number): {} for number in range(5_001)}}, "holds more than 5,000 mappings"),
        ({"properties": {"a": {"x-spec": {"field": "scale", "value": "1 + " * 700 + "1"}}}}, "characters"),
        ({"x-trainlint": NOTES | {"skip": [{"when": THREE, "reason": "x"}]}}, "calls more than 2 of map"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:30],
)  # fmt: skip
def test_a_schema_that_fetches_or_never_ends_is_refused_when_it_is_loaded(tmp_path, schema, words):
    with pytest.raises(RuleError, match=f"toy.json.+{words}"):
        linted(tmp_path, schema, "toy: 1")


def test_a_schema_nested_deeper_than_any_is_refused(tmp_path):
    file = tmp_path / "toy.json"
    file.write_text('{"not": ' * 50_000 + "{}" + "}" * 50_000)
    with pytest.raises(RuleError, match="nested more than 100 levels"):
        load_dialects([file])


def test_a_schema_that_is_a_list_is_refused(tmp_path):
    file = tmp_path / "toy.json"
    file.write_text("[]")
    with pytest.raises(RuleError, match="expected a mapping"):
        load_dialects([file])


def test_patterns_take_time_that_grows_with_the_text_alone(tmp_path):
    schema = {
        "properties": {"toy": {"type": "string", "pattern": "^(a+)+$"}},
        "patternProperties": {"^(b+)+$": {"type": "integer"}},
    }
    (job,) = linted(tmp_path, schema, f"toy: {'a' * 50_000}c\n{'b' * 900}c: text\n{'b' * 90}: text\n")
    assert [(found.rule, found.path) for found in job.problems] == [
        ("wrong-value", ("toy",)),
        ("wrong-type", ("b" * 90,)),
    ]


def test_a_schema_that_doubles_its_checks_at_every_step_ends_with_the_count(tmp_path):
    steps = {
        f"s{step}": {"allOf": [{"$ref": f"#/$defs/s{step + 1}"}, {"$ref": f"#/$defs/s{step + 1}"}]}
        for step in range(60)
    }
    schema = {"$ref": "#/$defs/s0", "$defs": steps | {"s60": {"minProperties": 1}}}
    with pytest.raises(UnreadableError, match=f"takes more than {MOST_CHECKS:,} checks against its dialect"):
        linted(tmp_path, schema, "toy: 1")


def test_a_schema_that_doubles_its_checks_with_the_depth_of_the_document_ends_with_the_count(tmp_path):
    both = [{"additionalProperties": {"$ref": "#/$defs/all"}}] * 2
    schema = {"allOf": both, "$defs": {"all": {"allOf": both}}}
    with pytest.raises(UnreadableError, match="checks against its dialect"):
        linted(tmp_path, schema, "toy: " + "{a: " * 40 + "1" + "}" * 40)


@pytest.mark.parametrize("word", ["uniqueItems", "enum"])
def test_long_lists_count_for_more(tmp_path, word):
    wanted = True if word == "uniqueItems" else [[number] for number in range(5_000)]
    schema = {"properties": {"toy": {word: wanted}}}
    with pytest.raises(UnreadableError, match="checks against its dialect"):
        linted(tmp_path, schema, "toy:\n" + "".join(f"- [{number}]\n" for number in range(5_000)))


def test_a_document_nested_deeper_than_a_schema_is_followed_is_unreadable(tmp_path):
    chain = {f"s{step}": {"$ref": f"#/$defs/s{step + 1}"} for step in range(30)}
    schema = {"$ref": "#/$defs/s0", "$defs": chain | {"s30": {"additionalProperties": {"$ref": "#"}}}}
    with pytest.raises(UnreadableError, match="deeper than Toy's schema can be followed"):
        linted(tmp_path, schema, "toy: " + "{a: " * 98 + "1" + "}" * 98)


def test_validating_retrieves_nothing():
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/x.json"
        for word in ("$ref", "$dynamicRef"):
            with pytest.raises(Exception, match=r"Unresolvable|Unretrievable"):
                strict_validator()({"properties": {"a": {word: address}}}).is_valid({"a": 1})
        server.shutdown()
    assert asked == []


@pytest.mark.rest
def test_a_list_of_wrong_numbers_longer_than_anybody_writes_is_one_finding(tmp_path):
    toy = {"properties": {"toy": {"items": {"type": "number"}}}}
    with pytest.raises(UnreadableError, match="shorten its lists"):
        linted(tmp_path, toy, f"toy: [{', '.join(['2 200000'] * MOST_CHECKS)}]")
    (job,) = linted(tmp_path, toy, f"toy: [{', '.join(['2 200000'] * 300)}]")
    assert [problem.path[-1] for problem in job.problems] == list(range(100))
    assert job.problems[-1].message.endswith(", and 200 more of this list")
    (job,) = linted(tmp_path, toy, f"toy: [{', '.join(['2 200000'] * 100)}]")
    assert len(job.problems) == 100
    assert "more" not in job.problems[-1].message


def test_what_is_wrong_after_a_list_stays_after_it(tmp_path):
    wrong = {
        "properties": {"toy": {"items": {"type": "number"}}, "a": {"type": "number"}, "z": {"type": "number"}}
    }
    (job,) = linted(tmp_path, wrong, "a: x\ntoy: [x, y]\nz: x")
    assert [problem.path for problem in job.problems] == [("a",), ("toy", 0), ("toy", 1), ("z",)]
