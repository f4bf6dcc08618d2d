# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in a rule, shipped or a user's own: each is refused with file, line and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main
from trainlint.errors import RuleError
from trainlint.judge import load_rules
from trainlint.judge.rule_files.rule_file import load_rule

from .examples import dialects

RULE = """\
name: even-batch
level: warn
summary: a batch should be even
dialects: [basicsr]
requires: [spec.batch.per_gpu]
assert: spec.batch.per_gpu % 2 == 0
message: a batch of {spec.batch.per_gpu} is odd
fix:
  - set: spec.batch.per_gpu
    try: multiples(2, spec.batch.per_gpu + 1)
why: an example
source: https://example.org
examples:
  pass:
    - spec: {batch.per_gpu: 4}
  fail:
    - spec: {batch.per_gpu: 3}
  fixed:
    - dialect: basicsr
      config: |
        model_type: SRModel
        scale: 4
        datasets:
          train: {type: PairedImageDataset, gt_size: 128, batch_size_per_gpu: 3}
      becomes: |
        model_type: SRModel
        scale: 4
        datasets:
          train: {type: PairedImageDataset, gt_size: 128, batch_size_per_gpu: 2}
"""
FIXED = RULE[RULE.index("  fixed:") :]


def written(folder: Path, text: str) -> Path:
    path = folder / "even-batch.yaml"
    path.write_text(text, encoding="latin-1")
    return path


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("{spec.batch.per_gpu} is", "{spec.batch.per_gpu is", 'a "{" without the other one'),
        (
            "- spec: {batch.per_gpu: 3}",
            "- {spec: {batch.per_gpu: 3}, settings: {tagret: a}}",
            'setting "tagret"',
        ),
        (
            "- spec: {batch.per_gpu: 3}",
            "- {spec: {batch.per_gpu: 3}, settings: {dataset-size: few}}",
            '"dataset-size" is "few", expected a number of images',
        ),
        ("summary:", "summry:", ':3: summry: unknown key "summry"; did you mean "summary"?'),
        ("assert:", "asert:", ':6: asert: unknown key "asert"; did you mean "assert"?'),
        ("level: warn", "level: error", ':2: level: "level" is "error": expected one of fail, warn'),
        ("[basicsr]", "[basisr]", ':4: dialects: 0: there is no dialect "basisr"; did you mean "basicsr"?'),
        ("requires: [spec.batch.per_gpu]", "requires: [spec.batch.per_gup]", ":5: requires: unknown name"),
        ("[spec.batch.per_gpu]", "[spec.batch.per_gup]", 'did you mean "spec.batch.per_gpu"?'),
        (
            "[spec.batch.per_gpu]",
            "[spec.options.lr]",
            '"spec.options" is one name, whose parts an expression',
        ),
        ("[spec.batch.per_gpu]", "[batch.per]", "expected a name such as spec.batch.per_gpu, or doc.KEY"),
        ("[spec.batch.per_gpu]", "[batch.per_gpu]", 'in a list; did you mean "spec.batch.per_gpu"?'),
        ("% 2 == 0", "// 2 == 0", ':6: assert: "//" begins a comment'),
        ("{batch.per_gpu: 4}", "{batch.per_gup: 4}", ':15: .*there is no "spec.batch.per_gup"; did you mean'),
        ("{batch.per_gpu: 4}", "{batch.per_gpu: four}", ':15: .*is "four", expected a value of type integer'),
        ("{batch.per_gpu: 4}", "{stages: [], tf32: true}", ':15: .*no config of basicsr fills "tf32"'),
        ("{batch.per_gpu: 4}", "{dialect: kair}", ':15: .*the rule is not for "kair"'),
        ("    - spec: {batch.per_gpu: 4}", "    - facts: {memory.lest: 4}", ':15: .*no "facts.memory.lest"'),
        (
            "    - dialect: basicsr",
            "    - machine: kaggle-t4x22\n      dialect: basicsr",
            ':19: .*"kaggle-t4x2"',
        ),
        (FIXED, "", ":8: fix: it has a fix and no example of it"),
        ("name: even", "name: odd", ':1: name: the rule is called "odd-batch", expected "even-batch"'),
        ("summary: a batch should be even", 'summary: " "', ':3: summary: "summary" is " ", expected words'),
        (
            "message: a batch of {spec.batch.per_gpu} is odd",
            "message: ''",
            ':7: message: "message" is "", exp',
        ),
        (
            "level: warn",
            "level: warn\nabsent: {spec.scale: 1}",
            ':3: absent: spec.scale: no expression of the rule reads "spec.scale"',
        ),
        ("why: an example", 'why: " "', ':11: why: "why" is " ", expected words'),
        (
            "source: https://example.org",
            'source: " "',
            'source: "source" is " ", expected where one can read',
        ),
        ("source: https://example.org", 'source: [a, ""]', 'source: 1: "source" is "", expected words'),
        ("source: https://example.org", "source: []", ":12: source: "),
        ("why: an", "why: [an", "not valid YAML"),
        ("why: an", "why: caf\N{LATIN SMALL LETTER E WITH ACUTE}", ":11: is not UTF-8 text"),
        ("name: even", "---\nlevel: warn\n---\nname: even", ":4: another document begins, expected one rule"),
        (
            "level: warn",
            "level: warn\nfrom: problem",
            ':3: from: "from" is "problem"; did you mean "problems"?',
        ),
        (
            "level: warn",
            "level: warn\nfrom: problems",
            ':7: assert: "assert" does not go with the other keys',
        ),
        (
            "[spec.batch.per_gpu]",
            "[spec.options.lr]",
            'expected "spec.options" .*"\'lr\' in spec.options" in "when".* doc.KEY',
        ),
    ],
)
def test_a_slip_has_its_line_and_what_was_expected(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = written(tmp_path, RULE.replace(old, new, 1))
    with pytest.raises(RuleError, match=says) as error:
        load_rule(path, dialects())
    assert str(error.value).startswith(f"{path}:")


def test_a_shipped_rule_that_is_believed_is_still_named_where_it_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, RULE.replace("summary:", "summry:"))
    with pytest.raises(RuleError, match=":3: summry: unknown key"):
        load_rule(path, dialects(), checked=False)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("even-batch.yml", r"even-batch\.yml: expected the name of a rule to end in \.yaml"),
        ("below/even-batch.yaml", r"below/even-batch\.yaml:6: it is in a folder of .*: name that folder"),
        ("below/notes.txt", r'no rules in ".*": expected files NAME\.yaml in it'),
        ("even-batch.yaml/a", r"even-batch\.yaml: is a folder, expected a file"),
    ],
)
def test_a_file_that_would_not_be_read_is_named(tmp_path: Path, name: str, says: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(RULE, encoding="utf-8")
    with pytest.raises(RuleError, match=says):
        load_rules([tmp_path], dialects=dialects())


def checked(path: Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["rules", "--check", str(path)])
    return result.exit_code, result.output


def test_the_examples_of_ones_own_rules_are_run(tmp_path: Path) -> None:
    written(tmp_path, RULE)
    assert checked(tmp_path) == (0, "1 rule, 3 examples, 0 wrong\n")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "        scale: 4\n        datasets",
            "        scale: [4\n        datasets",
            "its config cannot be read",
        ),
        (
            "{batch.per_gpu: 4}",
            "{batch.per_gpu: 5}",
            ":15: examples.pass.0: it should pass, and the rule says: a",
        ),
        (
            "{batch.per_gpu: 3}",
            "{batch.per_gpu: 2}",
            ":17: examples.fail.0: it should fail, and the rule finds",
        ),
        (
            "{batch.per_gpu: 3}",
            "{crop.lq: 3}",
            "the rule finds nothing: it requires spec.batch.per_gpu, which the example lacks",
        ),
        (
            "batch_size_per_gpu: 3",
            "use_hflip: true",
            "the rule finds nothing: it requires spec.batch.per_gpu, which the example lacks",
        ),
        ("batch_size_per_gpu: 2", "batch_size_per_gpu: 4", "the fix should make it what it becomes"),
    ],
)
def test_a_falsified_example_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    written(tmp_path, RULE.replace(old, new, 1))
    code, output = checked(tmp_path)
    assert code == 1
    assert says in output


@pytest.mark.rest
def test_every_shipped_rule_is_checked_as_strictly() -> None:
    for rule in load_rules():
        load_rule(Path(rule.path), dialects())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("% 2 == 0", "/ 0 == 2", ":6: assert: cannot evaluate"),
        ("is odd", "{[1][spec.batch.per_gpu]}", ":7: message: cannot evaluate"),
        ("multiples(2,", "multiples(2 / 0,", ":8: fix: cannot evaluate"),
    ],
)
def test_an_expression_that_fails_on_an_example_has_its_line(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    path = written(tmp_path, RULE.replace(old, new, 1))
    with pytest.raises(RuleError) as error:
        CliRunner().invoke(main, ["rules", "--check", str(path)], catch_exceptions=False)
    assert str(error.value).startswith(f"{path}{says}")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("assert: ", "when: doc.scale\nassert: ", "6: when: "),
        ("spec.batch.per_gpu % 2 == 0", "doc.scale", "6: assert: "),
    ],
)
def test_a_condition_that_is_neither_true_nor_false_is_no_verdict(tmp_path, old, new, line):
    """Of a key of the config itself the type is not known before there is a config."""
    text = RULE.replace("requires: [", "requires: [doc.scale, ").replace(old, new, 1)
    text = text.replace("    - spec: {batch.per_gpu: 4}", "    - {spec: {batch.per_gpu: 4}, doc: {scale: 4}}")
    path = written(tmp_path, text)
    done = CliRunner().invoke(main, ["rules", "--check", str(tmp_path)])
    assert f"{path}:{line}'doc.scale' is 4, expected true or false" in str(done.exception)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("many", 'is "many", expected a value of type integer'),
        ("true", "is true, expected a value of type integer"),
    ],
)
def test_an_absent_field_counts_as_a_value_of_its_type(tmp_path, value, said):
    text = RULE.replace("assert: ", f"absent: {{spec.scale: {value}}}\nassert: spec.scale > 0 && ")
    with pytest.raises(RuleError, match=f':6: absent: spec.scale: "spec.scale" {said}'):
        load_rule(written(tmp_path, text), dialects())


def test_at_points_at_a_key_that_a_config_can_have(tmp_path):
    text = RULE.replace("[basicsr]", "[zoom23]").replace("assert: ", "at: [doc.embed_din]\nassert: ")
    text = text.replace("dialect: basicsr", "dialect: zoom23").replace("per_gpu", "per_process")
    with pytest.raises(
        RuleError, match=r':6: at: 0: no document has the key "embed_din"; did you mean "embed_dim"'
    ):
        load_rule(written(tmp_path, text), dialects())
