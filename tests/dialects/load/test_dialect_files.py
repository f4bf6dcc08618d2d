# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Schemas as data: what their annotations may say, and what is refused when they are loaded."""

from __future__ import annotations

import json

import pytest

from tests.dialects.documents import document
from tests.sampling import sampled
from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.dialects.load.dialect_files import load_dialect
from trainlint.dialects.schema.dialect import parse_dialect
from trainlint.shipped.resource_paths import resource

NOTES = {
    "id": "toy", "title": "Toy", "loader": "msgspec", "formats": ["yaml"], "unknown": "reject",
    "recognise": {"when": "'toy' in flat", "priority": 1},
}  # fmt: skip

SHIPPED = sorted(resource("schemas").glob("*.json"), key=lambda path: path.stat().st_size)


def toy(properties=None, **notes):
    return {
        "type": "object",
        "x-trainlint": NOTES | notes,
        "additionalProperties": False,
        "properties": {"toy": {"type": "boolean"}} | (properties or {}),
    }


def jobs(schema, text):
    return normalise(document(text), parse_dialect(schema))


def rules(schema, text):
    return [(p.rule, p.path, p.suggestion) for p in jobs(schema, text)[0].problems]


@pytest.mark.parametrize("path", sampled(SHIPPED, 1), ids=lambda path: path.stem)
def test_what_ships_is_json_schema(path):
    assert load_dialect(path, "shipped").id == path.stem


def test_a_dialect_is_one_file(tmp_path):
    file = tmp_path / "toy.json"
    file.write_text(json.dumps(toy({"size": {"type": "integer", "x-spec": "crop.hr"}})))
    dialects = load_dialects([file])
    found = document("toy: true\nsize: 64")
    dialect = recognise(found, dialects)
    assert dialect is not None
    assert dialect.id == "toy"
    assert normalise(found, dialect)[0].spec["crop.hr"] == 64
    assert recognise(found, load_dialects([tmp_path])).id == "toy"


def test_closed_objects_name_the_unknown_key():
    schema = toy({"batch_size": {"type": "integer"}})
    assert rules(schema, "toy: true\nbatch_sizes: 3") == [("unknown-key", ("batch_sizes",), "batch_size")]
    assert rules(schema, "toy: true\nzzz: 3") == [("unknown-key", ("zzz",), None)]


def test_keys_that_are_accepted_but_never_used():
    schema = toy({"fast": {"type": "boolean", "x-unused": "the script never reads it"}}, unknown="unused")
    assert rules(schema, "toy: true\nfast: true") == [("unused-key", ("fast",), None)]
    assert rules(schema, "toy: true\nother: true") == [("unused-key", ("other",), None)]


def test_a_float_is_no_integer_and_a_bare_exponent_is_a_string():
    schema = toy({"steps": {"type": "integer", "x-spec": "duration.iterations"}, "lr": {"type": "number"}})
    assert rules(schema, "toy: true\nsteps: !!float 5e3") == [("wrong-type", ("steps",), None)]
    assert rules(schema, "toy: true\nsteps: 5e3") == [("number-as-string", ("steps",), "5000")]
    assert rules(schema, "toy: true\nlr: 2.0e4") == [("number-as-string", ("lr",), "2.0e+4")]
    assert rules(schema, 'toy: true\nlr: "1e-4"') == [("wrong-type", ("lr",), "1.0e-4")]
    assert rules(toy({"lr": {"type": "number"}}, loader="omegaconf"), "toy: true\nlr: 3") == []


def test_of_several_branches_only_the_meant_one_is_told():
    schema = toy({"loss": {"oneOf": [
        {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "null"},
    ]}})  # fmt: skip
    found = {
        text: jobs(schema, f"toy: true\nloss: {text}")[0].problems for text in ("3", "{kind: c}", "[1, x]")
    }
    assert {text: [(p.path, p.message) for p in problems] for text, problems in found.items()} == {
        "3": [(("loss",), '"loss" is 3, expected a mapping, a list or nothing (~)')],
        "{kind: c}": [(("loss", "kind"), '"loss.kind" is "c", expected one of a, b')],
        "[1, x]": [(("loss", 1), 'expected an integer for "loss[1]", found the string "x"')],
    }


def test_expressions_defaults_and_derivations():
    schema = toy(
        {
            "side": {"type": "integer", "x-spec": {"field": "crop.lq", "value": "value * 2"}},
            "every": {"type": "integer", "default": 7, "x-spec": "checkpoint.every"},
        },
        derive=[{"field": "scale", "value": "spec['crop.lq'] / 32", "of": ["crop.lq"]}],
    )
    fields = jobs(schema, "toy: true\nside: 64")[0].spec.fields
    assert (fields["crop.lq"].value, fields["crop.lq"].paths) == (128, (("side",),))
    assert (fields["scale"].value, fields["scale"].paths, fields["scale"].origin) == (
        4,
        (("side",),),
        "derived",
    )
    assert (fields["checkpoint.every"].value, fields["checkpoint.every"].origin) == (7, "default")
    assert "scale" not in jobs(schema, "toy: true")[0].spec


def test_lists_of_mappings_gather_as_entries():
    schema = toy({"losses": {"type": "array", "items": {
        "type": "object", "required": ["type"], "x-spec": {"field": "losses", "role": "value.type"},
    }}})  # fmt: skip
    spec = jobs(schema, "toy: true\nlosses: [{type: l1, w: 1}, {w: 2}, {type: gan}]")[0].spec
    assert [(entry["role"], entry["type"]) for entry in spec["losses"]] == [("l1", "l1"), ("gan", "gan")]
    assert spec.at("losses") == (("losses", 0), ("losses", 2))


def test_variants_are_jobs_of_their_own():
    schema = toy(variants=[
        {"name": "v1", "set": {"scale": "2"}},
        {"name": "v2", "set": {"scale": "4"}, "schema": "#/$defs/v2"},
        {"name": "never", "when": "'nothing' in flat"},
    ]) | {"$defs": {"v2": {"required": ["seed"]}}}  # fmt: skip
    found = jobs(schema, "toy: true")
    assert [(job.variant, job.spec["scale"], len(job.problems)) for job in found] == [
        ("v1", 2, 0),
        ("v2", 4, 1),
    ]


def test_the_most_specific_dialect_wins():
    general, special = (
        parse_dialect(toy()),
        parse_dialect(toy(id="special", recognise={"when": "'toy' in flat", "priority": 2})),
    )
    assert recognise(document("toy: true"), [general, special]).id == "special"
    assert recognise(document("toy: true"), [special, general]).id == "special"
