# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in a dialect's files: each is refused when it is loaded, with file, line and what was expected."""

from __future__ import annotations

import json

import pytest

from trainlint.dialects import load_dialects
from trainlint.dialects.load.dialect_files import load_dialect
from trainlint.dialects.load.dialect_recipes import results
from trainlint.errors import RuleError

from .test_dialect_files import NOTES, toy

SPEC = {"field": "scale"}


def field(**schema):
    return toy({"a": schema})


def closed(**notes):
    return {**toy({"toy": {"type": "integer"}}, **notes), "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "line", "words"),
    [
        ({"type": "object"}, "{", 'expected a mapping with "x-trainlint" at its root'),
        (field(**{"x-spec": "crop.hrr"}), '"x-spec"', 'unknown field "crop.hrr"; did you mean "crop.hr"?'),
        (field(**{"x-spec": SPEC | {"valeu": "1"}}), '"valeu"', 'unknown key "valeu"; did you mean "value"?'),
        (field(**{"x-spec": SPEC | {"value": "1 +"}}), '"value"', "Syntax error"),
        (field(**{"x-spec": SPEC | {"value": "nothing.here"}}), '"value"', "nothing"),
        (field(**{"x-spce": "scale"}), '"x-spce"', 'unknown annotation "x-spce"; did you mean "x-spec"?'),
        (field(requird=["b"]), '"requird"', 'unknown keyword "requird"; did you mean "required"?'),
        (field(type=["number", "nul"]), '"type"', '"type" is "nul"; did you mean "null"?'),
        (
            field(type="object", properties={"b": {}}, **{"x-spec": {"field": "loading", "omit": ["c"]}}),
            '"c"',
            '"c" is left out, and no property',
        ),
        (field(type="bool"), '"type": "bool"', '"type" is "bool"; did you mean "boolean"?'),
        (field(**{"$ref": "#/$defs/none"}), '"$ref"', "points at nothing"),
        (field(pattern="("), '"pattern"', 'the pattern "(" is not in RE2'),
        (field(patternProperties={"(a": {}}), '"(a"', "is not in RE2"),
        (field(**{"$anchor": "a"}), '"$anchor"', "is not taken here"),
        (toy(formats=["command"]), '"formats"', 'expected "scripts" in "recognise"'),
        (field(type="integer", default="8"), '"default"', 'the default is "8"'),
        (
            field(type=["integer", "string"], default="8", **{"x-spec": "scale"}),
            '"x-spec"',
            'the default is "8", and "scale" is of type integer',
        ),
        (
            field(type="string", **{"x-spec": "crop.hr"}),
            '"x-spec"',
            '"crop.hr" is of type integer, and the property of type string',
        ),
        (
            field(**{"x-spec": SPEC | {"value": "value + value"}}),
            None,
            None,  # CEL cannot know the type of `value`
        ),
        (field(**{"x-spec": SPEC | {"value": "'two'"}}), '"value"', "type STRING, expected INT"),
        (field(**{"x-spec": SPEC | {"value": "value // 2"}}), '"value"', '"//" begins a comment'),
        (
            field(**{"x-spec": SPEC | {"value": "spec['crop.hrr'] / 2"}}),
            '"value"',
            'no spec has "crop.hrr"; did you mean "crop.hr"?',
        ),
        (field(**{"x-spec": {"field": "scale", "role": "'a'"}}), '"field"', '"scale" is not a list'),
        (
            field(**{"x-uncounted": {"what": "x", "direction": "up"}}),
            '"direction"',
            'is "up": expected one of',
        ),
        (field(**{"x-takes": "3"}), '"x-takes"', '"x-takes" is "3", expected a whole number'),
        (toy(loader="pickle"), '"loader"', 'is "pickle": expected one of pyyaml, omegaconf'),
        (toy(unknown="shrug"), '"unknown"', 'is "shrug"'),
        (toy(colour="red"), '"colour"', 'unknown key "colour"'),
        (toy(derive=[{"field": "scale"}]), '"field"', 'needs either "value" or "zip"'),
        (toy(derive=[{"field": "scale", "value": "1", "of": ["crop"]}]), '"crop"', 'unknown field "crop"'),
        (toy(derive=[{"field": "scale", "value": {}}]), '"value"', "is not a value"),
        (toy(variants=[{"name": "a", "set": {"nope": "1"}}]), '"nope"', 'unknown field "nope"'),
        (
            toy(variants=[{"name": "a"}, {"name": "b"}, {"name": "a"}]),
            '"name": "a"',
            '"a" is the name of a variant already',
        ),
        (
            toy(derive=[{"field": "scale", "value": "spec['scale'] * 2"}]),
            '"value"',
            '"scale" is derived from itself',
        ),
        (toy(loader="json", formats=["json", "yaml"]), '"yaml"', 'the loader "json" reads no yaml'),
        (toy(recognise={"when": "true"}), '"when"', "a config without any key would be recognized"),
        (toy(recognise={"when": "!('net' in flat)"}), '"when"', "a config without any key would"),
        (toy(recognise={"when": "true", "files": ["toy.*"]}), None, None),
        (toy(skip=[{"when": "doc ==", "reason": "x"}]), '"when"', "doc =="),
        (toy(skip=[{"when": {"al": ["true"]}, "reason": "x"}]), '"when"', "is not a condition"),
        (toy(skip=[{"when": ["true", "1 + 1"], "reason": "x"}]), '"1 + 1"', "type INT, expected BOOL"),
        (
            toy({"crop": {"prefixItems": [{"x-spec": "crop.lq"}]}}),
            '"x-spec"',
            '"x-spec" is not read below "prefixItems": expected it next to "prefixItems"',
        ),
        (
            toy({"crop": {}}) | {"additionalProperties": False, "required": ["corp"]},
            '"corp"',
            '"corp" is required, and no property; did you mean "crop"?',
        ),
        (
            field(**{"x-takes": 1}),
            '"x-takes"',
            '"x-takes" counts the words of a command: expected "command" in "formats"',
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#"} | toy(),
            '"$schema"',
            '"$schema" is "http://json-schema.org/draft-07/schema#", expected "https://json-schema.org/draft/2020',
        ),
        (
            {"$schema": "https://json-schema.org/draft/2020-12/schema#"} | toy(),
            None,
            None,
        ),
        (
            toy(recognise={"when": "true", "files": ["toy[.yml"]}),
            '"toy[.yml"',
            " matches no file: exp",
        ),
        (
            toy(recognise={"when": "true", "files": ["*", ""]}),
            '""',
            '"" matches no file: expected a',
        ),
        (toy(recognise={"when": "true", "files": ["toy[0-9]*.yml"]}), None, None),
        (
            toy(recognise={"files": ["a"]}),
            '"recognise"',
            '"recognise" lacks "when" or "scripts": exp',
        ),
        (toy(trainer={"as_of": "yesterday"}), '"as_of"', "expected a month such as 2026-06"),
        (field(**{"x-spec": "options."}), '"x-spec"', '"options." has no name: expected options.<name>'),
        (field(type="integer", default=None), '"default"', "the default is empty, which the schema around"),
        (field(type="number", default=float("nan")), '"default"', "the default is NaN, which is not JSON"),
        (
            closed(derive=[{"field": "crop.hr", "value": "4", "at": ["toi"]}]),
            '"toi"',
            'no document has the key "toi"; did you mean "toy"?',
        ),
        (
            closed(recognise={"when": [{"has": "toy"}, {"has": "tooy"}]}),
            '"tooy"',
            'no document has the key "tooy"; did you mean "toy"?',
        ),
        (closed(recognise={"when": [{"has": "toy"}, {"none": [{"has": "tooy"}]}]}), None, None),
        (
            toy(recognise={"when": {"at_least": 3, "of": [{"has": "a"}, {"has": "b"}]}}),
            '"when"',
            "at_least: 3 of 2: expected 1 to 2",
        ),
        (
            toy(
                derive=[
                    {"field": "crop.hr", "value": "spec['scale'] * 2"},
                    {"field": "scale", "value": "4"},
                ]
            ),
            "spec['scale']",
            '"scale" is derived later: expected it before this one',
        ),
        (toy(id="other"), '"id"', 'is called "other", expected "toy" as the file is'),
    ],
)
def test_a_slip_has_its_line_and_what_was_expected(tmp_path, schema, line, words):
    file = tmp_path / "toy.json"
    text = json.dumps(schema, indent=1)
    file.write_text(text)
    if words is None:
        assert load_dialect(file).id == "toy"
        return
    with pytest.raises(RuleError) as error:
        load_dialect(file)
    assert words in str(error.value)
    lines = [number for number, each in enumerate(text.splitlines(), 1) if line and line in each]
    assert str(error.value).startswith(f"{file}:{lines[-1]}: " if lines else f"{file}: ")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("toy.yml", 'expected the name to end in .yaml, as "toy.yaml"'),
        (
            "more/x.json",
            'it is in a folder of "FOLDER", which is not looked into: name that folder too, or move the file',
        ),
        ("toi.yaml", 'expected the schema that it belongs to next to it, "toi.json"'),
    ],
)
def test_a_file_in_the_folder_that_would_not_be_read_is_named(tmp_path, name, words):
    (tmp_path / "toy.json").write_text(json.dumps(toy()))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(json.dumps(toy()) if name.endswith(".json") else "derive: []\n")
    with pytest.raises(RuleError) as error:
        load_dialects([tmp_path])
    line = ":1" if name.endswith(".json") else ""
    assert str(error.value) == f"{tmp_path / name}{line}: {words.replace('FOLDER', str(tmp_path))}"


def test_a_folder_in_a_folder_is_read_where_it_is_named_too(tmp_path):
    for folder, name in ((tmp_path, "toy"), (tmp_path / "more", "other")):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(toy(id=name)))
    found = {dialect.id for dialect in load_dialects([tmp_path, tmp_path / "more"])}
    assert {"toy", "other"} <= found


def test_a_folder_without_dialects_is_no_silence(tmp_path):
    with pytest.raises(RuleError, match=r"no dialects in .*: expected files ID\.json in it"):
        load_dialects([tmp_path])


def with_yaml(tmp_path, text):
    notes = {key: item for key, item in NOTES.items() if key != "recognise"}
    file = tmp_path / "toy.json"
    file.write_text(json.dumps(toy() | {"x-trainlint": notes}))
    file.with_suffix(".yaml").write_text(text)
    return file


def test_a_yaml_file_next_to_the_schema_holds_what_needs_many_lines(tmp_path):
    file = with_yaml(
        tmp_path, "recognise:\n  when:\n  - at_least: 1\n    of:\n    - {has: toy}\n    - {has: b}\n"
    )
    assert (
        load_dialect(file).recognition.when == "['toy' in flat, 'b' in flat].filter(sign, sign).size() >= 1"
    )


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("recognise:\n  wen: true\n", 2, 'unknown key "wen"; did you mean "when"?'),
        ("recognise: {when: {has: toy}}\nderive:\n- field: crop.hr\n  value: doc ==\n", 4, "Syntax error"),
        ("recognise: {when: {has: toy}}\nid: toy\n", 2, 'unknown key "id"'),
        ("recognise: {when: {has: toy}}\nrecognise: {when: 'false'}\n", 2, "written twice"),
        ("recognise: [\n", 1, "not closed"),
        ("- 1\n", 1, "expected a mapping"),
    ],
)
def test_a_slip_next_to_the_schema_has_the_line_of_its_file(tmp_path, text, line, words):
    file = with_yaml(tmp_path, text)
    with pytest.raises(RuleError) as error:
        load_dialect(file)
    assert words in str(error.value)
    assert str(error.value).startswith(f"{file.with_suffix('.yaml')}:{line}: ")


def test_what_stands_in_both_files_is_refused(tmp_path):
    file = with_yaml(tmp_path, "recognise: {when: {has: toy}}\n")
    file.write_text(json.dumps(toy()))
    with pytest.raises(RuleError, match=r"toy\.yaml:1: .*in the JSON file already"):
        load_dialect(file)


def test_two_dialects_of_one_id_are_refused(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "toy.json").write_text(json.dumps(toy()))
    with pytest.raises(RuleError, match=r'"toy" is in .*one/toy\.json already'):
        load_dialects([tmp_path / "one", tmp_path / "two"])


def test_a_shipped_file_that_is_believed_is_still_named_where_it_is_wrong(tmp_path):
    file = tmp_path / "toy.json"
    file.write_text(json.dumps(toy(derive=[{"feild": "scale", "value": "1"}]), indent=1))
    with pytest.raises(RuleError, match=r'toy\.json:\d+: unknown key "feild"'):
        load_dialect(file, checked=False)


@pytest.mark.parametrize(
    "value",
    ["\"'basicsr.SRModl'\"", "\"'a' in flat ? 'basicsr.SRModel' : 'basicsr.SRModl'\""],
    ids=["alone", "chosen"],
)
def test_a_shipped_dialect_derives_no_recipe_that_does_not_exist(tmp_path, value):
    file = with_yaml(
        tmp_path, f"recognise: {{when: {{has: toy}}}}\nderive:\n- field: recipe\n  value: {value}\n"
    )
    with pytest.raises(RuleError) as error:
        load_dialect(file, "shipped")
    assert str(error.value) == (
        f'{file.with_suffix(".yaml")}:4: there is no recipe "basicsr.SRModl"; did you mean "basicsr.SRModel"?'
    )


def naming(folder, recipe):
    text = f"recognise: {{when: {{has: toy}}}}\nderive:\n- field: recipe\n  value: \"'{recipe}'\"\n"
    return with_yaml(folder, text)


def test_a_users_own_dialect_may_name_a_recipe_that_comes_with_networks(tmp_path):
    file = naming(tmp_path, "toy.Step")
    assert load_dialect(file).id == "toy"  # without permission to run them, the files are not named
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "step.py").write_text('RECIPES = {"toy.Step": "Step"}\nclass Step: ...\n')
    assert load_dialects([file], [tmp_path / "code"])[-1].id == "toy"
    assert load_dialects([file], [tmp_path / "code" / "step.py"])[-1].id == "toy"
    (tmp_path / "code" / "net.py").write_text('BUILDERS = {"Net": "Net"}\nclass Net: ...\n')
    assert load_dialects([file], [tmp_path / "code" / "net.py"])[-1].id == "toy"  # its steps lie elsewhere


@pytest.mark.parametrize(
    ("recipe", "where", "said"),
    [
        ("toy.Stpe", ["step.py"], r'"toy\.Stpe"; did you mean "toy\.Step"\?'),
        ("toy.Step", "brought", r'"toy\.Step": expected one of '),
        ("basicsr.SRModl", (), r'"basicsr\.SRModl"; did you mean "basicsr\.SRModel"\?'),
        ("vea", "brought", r'"vea"; did you mean "vae"\?'),
    ],
)
def test_what_comes_from_nowhere_is_refused_there_too(tmp_path, recipe, where, said):
    (tmp_path / "step.py").write_text('RECIPES = {"toy.Step": "Step"}\nclass Step: ...\n')
    known = where if isinstance(where, str) else [tmp_path / name for name in where]
    file = naming(tmp_path, recipe)
    with pytest.raises(RuleError, match=rf"{file.with_suffix('.yaml')}:4: there is no recipe {said}"):
        load_dialect(file, known)


@pytest.mark.parametrize("written", [{"x-spec": {"field": "recipe", "value": "'vea'"}}, "variants"])
def test_neither_does_a_property_or_a_variant(tmp_path, written):
    variants = [{"name": "a", "set": {"recipe": "'vea'"}}]
    schema = toy(variants=variants) if written == "variants" else field(**written)
    file = tmp_path / "toy.json"
    text = json.dumps(schema, indent=1)
    file.write_text(text)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "'vea'" in each)
    with pytest.raises(RuleError, match=rf'toy\.json:{line}: there is no recipe "vea"; did you mean "vae"\?'):
        load_dialect(file, "shipped")


def test_a_recipe_that_none_is_like_is_looked_for_in_the_zoo(tmp_path):
    file = with_yaml(tmp_path, "recognise: {when: {has: toy}}\nderive:\n- {field: recipe, value: \"'q'\"}\n")
    with pytest.raises(
        RuleError, match=r'toy\.yaml:3: there is no recipe "q": expected one of .*/\*/recipes$'
    ):
        load_dialect(file, "shipped")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("'vae'", ["vae"]),
        ("has(doc.a) ? \"vae\" : doc.b == 'c' ? 'd' : string(doc.e)", ["vae", "d"]),
        ("'kair.' + value", []),
        ("'neosr.' + value + ('a' in flat ? ' with a' : '')", []),
        ("flat[?'a'].orValue('b')", []),
        ("['a', 'b'][doc.c ? 0 : 1]", []),
        (["'a'"], []),
        (None, []),
    ],
)
def test_what_an_expression_returns_as_it_stands(written, found):
    assert list(results(written)) == found
