# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a rule says of a config alone is asked once; on a machine, or of another config, it is asked again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from trainlint.documents.file_format import read
from trainlint.errors import RuleError
from trainlint.judge import evaluate, rule_cache
from trainlint.judge.rule_cache import Verdicts
from trainlint.judge.rule_folders import load_rules
from trainlint.judge.rule_scope import Scope
from trainlint.model.document import Source
from trainlint.model.spec import TrainSpec, Value
from trainlint.session.toolbox import targets_for
from trainlint.settings.settings import Settings


@pytest.fixture
def asked(monkeypatch):
    found = []
    monkeypatch.setattr(
        rule_cache, "evaluate", lambda rule, scope: found.append(rule.name) or evaluate.evaluate(rule, scope)
    )
    return found


def spec(ema, iterations=100):
    fields = {"dialect": Value("basicsr"), "ema": Value(ema, (("ema",),))}
    return TrainSpec({**fields, "duration.iterations": Value(iterations, (("iterations",),))})


def scope():
    (document,) = read(Source("a.yml", "ema: 0.999\niterations: 100\n"))
    return Scope(document, spec(0.999))


@pytest.fixture(scope="module")
def rules():
    return load_rules().rules


def test_a_config_is_judged_once_for_all_targets(asked, rules):
    config, rule = scope(), rules["ema-short"]
    first = Verdicts(config).of(rule)
    (target,) = targets_for(Settings(target=("kaggle-t4x2",)))
    assert Verdicts(replace(config, target=target)).of(rule) is first is not None
    assert asked == ["ema-short"]


@pytest.mark.parametrize(
    "change",
    [
        *({"spec": spec(0.9)}, {"spec": spec(0.999, 5_000)}),
        {"spec": TrainSpec({"dialect": Value("basicsr")})},
        {"variant": "other"},
        {"unsound": True},
        {"document": scope().document},
    ],
)
def test_another_config_is_judged_again(asked, rules, change):
    config, rule = scope(), rules["ema-short"]
    assert Verdicts(config).of(rule) is not None
    again = Verdicts(replace(config, **change)).of(rule)
    assert repr(again) == repr(evaluate.evaluate(rule, replace(config, **change)))
    assert len(asked) == 2


def test_an_equal_number_of_another_type_is_another(asked, rules):
    config, rule = scope(), rules["ema-short"]
    Verdicts(config).of(rule)
    with pytest.raises(RuleError, match="interpreted as an integer"):
        Verdicts(replace(config, spec=spec(0.999, 100.0))).of(rule)
    assert len(asked) == 2


def test_what_asks_for_a_machine_is_judged_on_each(asked, rules):
    config, rule = scope(), rules["session-budget"]
    for _ in range(2):
        Verdicts(config).of(rule)
    assert len(asked) == 2


def test_what_passed_is_not_asked_of_a_config_that_says_the_same(asked, rules):
    config, rule = replace(scope(), spec=spec(0.9)), rules["ema-short"]
    assert Verdicts(config).of(rule) is None
    named = TrainSpec({**spec(0.9).fields, "name": Value("other")})
    assert Verdicts(replace(config, spec=named)).of(rule) is None
    assert asked == ["ema-short"]
    assert Verdicts(replace(config, spec=spec(0.999))).of(rule) is not None


@pytest.mark.parametrize(("text", "found"), [("model: a\n", False), ("model: plain\n", True)])
def test_a_key_of_its_own_is_held_against_that_of_the_config_before(rules, text, found):
    rule, fields = rules["clip-without-parameters"], {"gradient_clip": Value(0.5)}
    for written in ("model: a\n", text):
        (document,) = read(Source("a.yml", written))
        said = Verdicts(Scope(document, TrainSpec({"dialect": Value(rule.dialects[0]), **fields}))).of(rule)
    assert (said is not None) is found
