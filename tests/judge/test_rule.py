# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Loading rules: what is wrong in a rule file is reported with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.examples import dialects
from trainlint.documents.file_format import read
from trainlint.errors import RuleError
from trainlint.files.text_source import Source
from trainlint.judge import load_rules
from trainlint.judge.evaluate import evaluate
from trainlint.judge.rule_files.rule_file import load_rule, parse_rule
from trainlint.judge.rule_scope import Scope
from trainlint.judge.ruleset import chosen
from trainlint.model.finding import Finding, Level, Skip
from trainlint.model.spec import TrainSpec, Value
from trainlint.settings.settings import Settings
from trainlint.shipped.resource_paths import resource

GOOD = """\
name: even-batch
level: warn
summary: batches should be even
requires: [spec.batch.per_gpu]
assert: spec.batch.per_gpu % 2 == 0
message: a batch of {spec.batch.per_gpu}
why: an example
source: https://example.org
examples: {pass: [], fail: []}
"""
PATH = Path("even-batch.yaml")


def test_a_good_rule() -> None:
    rule = parse_rule(GOOD, PATH)
    assert (rule.name, rule.level, rule.requires) == ("even-batch", "warn", ("spec.batch.per_gpu",))
    assert rule.at == ("spec.dialect", "spec.batch.per_gpu")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("per_gpu]", "pergpu]", r'even-batch\.yaml:4: requires: unknown name "spec.batch.pergpu"'),
        (
            "assert: spec.batch.per_gpu",
            "assert: spec.batch.total",
            r':5: assert: "spec.batch.total" may be .* "requires"',
        ),
        ("assert: spec.batch.per_gpu", "assert: doc.train.lr", r':5: assert: "doc.train.lr" may be absent'),
        ("assert: spec.batch.per_gpu", "assert: spec.optimizer.lrr", r":5: assert: undeclared reference"),
        ("assert: spec.batch.per_gpu", "assert: batch.per_gpu", ":5: .*did you mean .spec.batch.per_gpu"),
        (
            "{spec.batch.per_gpu}",
            "{spec.batch.per_gpu:kB}",
            r':6: message: there is no unit "kB": .*GiB, MiB',
        ),
        ("{spec.batch.per_gpu}", "{spec.batch.per_gp:kB}", r":6: message: undeclared .*did you mean"),
        ("% 2 == 0", "% 2", r":5: assert: .*is INT, expected BOOL"),
        ("{spec.batch.per_gpu}", "{spec.batch.per_gp}", r":6: message: .*undeclared reference"),
        ("level: warn", "level: error", r':2: level: "level" is "error": expected one of fail, warn'),
        ("name: even-batch", "name: odd-batch", r'called "odd-batch", expected "even-batch"'),
        (
            "why: an example",
            "whi: an example",
            r'even-batch\.yaml:\d+: .*unknown key "whi"; did you mean "why"',
        ),
        ("summary: batches", "summary: [batches", r"not valid YAML"),
        ("assert: spec.batch.per_gpu % 2 == 0\n", "", r'"assert" is missing'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, says: str) -> None:
    with pytest.raises(RuleError, match=says):
        parse_rule(GOOD.replace(old, new), PATH)


def test_a_condition_sees_no_facts() -> None:
    text = GOOD.replace("per_gpu]", "per_gpu, facts.disk.total]") + "when: facts.disk.total > 0\n"
    with pytest.raises(RuleError, match=r'when: "facts\.disk\.total" is not known yet where "when" is asked'):
        parse_rule(text, PATH)


def test_a_users_folder_adds_rules_and_replaces_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "even-batch.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "crop-scale.yaml").write_text(GOOD.replace("even-batch", "crop-scale"), encoding="utf-8")
    rules = load_rules([tmp_path])
    assert rules.rules["even-batch"].path == str(tmp_path / "even-batch.yaml")
    assert rules.rules["crop-scale"].summary == "batches should be even"


def test_places_without_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no such file or folder"):
        load_rules([tmp_path / "nowhere"])
    with pytest.raises(RuleError, match="is a folder, expected a file"):
        load_rule(tmp_path)
    with pytest.raises(RuleError, match='"ignore" names "no-such-rule": there is no such rule'):
        chosen(load_rules(), Settings(ignore=("no-such-rule",)))


@pytest.mark.parametrize("path", sorted(resource("rules").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_shipped_rule_is_as_the_schema_says(path):
    assert load_rule(path, dialects()).name == path.stem


@pytest.mark.parametrize(("unknown", "skips"), [("lr_step", True), ("lr", False), ("step", False)])
def test_a_rule_is_skipped_for_the_option_that_it_reads_and_for_no_part_of_its_name(
    unknown: str, skips: bool
) -> None:
    text = GOOD.replace("requires: [spec.batch.per_gpu]", "requires: [spec.options]")
    text = text.replace("spec.batch.per_gpu % 2 == 0", "spec.options.lr_step != 5")
    rule = parse_rule(text.replace("{spec.batch.per_gpu}", "{spec.options.lr_step}"), PATH)
    (document,) = read(Source("a.yml", "lr_step: 5\n"))
    spec = TrainSpec({"options": Value({"lr_step": 5})})
    judged = evaluate(rule, Scope(document, spec, unknown={f"options.{unknown}": "only the shell knows it"}))
    assert isinstance(judged, Skip) is skips
    assert judged is not None


@pytest.mark.parametrize(("own_step", "level"), [(True, Level.WARN), (False, Level.FAIL)])
def test_sizes_that_an_own_step_compares_are_not_known(own_step: bool, level: Level) -> None:
    (document,) = read(Source("a.yml", "scale: 2\n"))
    given = {"dialect": "basicsr", "scale": 2, "networks.generator.scale": 4}
    given |= {"networks.generator.args": {}, "networks.generator.arch": "EDSR"}
    spec = TrainSpec({name: Value(value) for name, value in given.items()})
    rule = load_rule(resource("rules") / "network-scale.yaml", dialects())
    judged = evaluate(rule, Scope(document, spec, own_step=own_step))
    assert isinstance(judged, Finding)
    assert judged.level is level
