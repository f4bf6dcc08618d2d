# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every number that a rule decides by is held by its examples: doubled, one of them says something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main
from trainlint.judge.doubled_numbers import doubled_numbers
from trainlint.judge.rule_files.rule_file import load_rule

from .examples import dialects, examples, shipped

WITH_NUMBERS = [rule for rule in shipped() if any(doubled_numbers(rule))]

RULE = """\
name: long-run
level: warn
summary: a run of 'about 7' iterations is long
dialects: [basicsr]
requires: [spec.duration.iterations, spec.scale, spec.name]
absent: {spec.name: "3"}
when: [spec.scale > 0, "spec.name != 'x2'"]
assert:
  any:
    - spec.duration.iterations <= 10
    - {at_least: 1, of: [spec.scale == 2, spec.scale == 4]}
message: "{spec.duration.iterations} iterations, 10 were enough"
why: an example
source: https://example.org
examples:
  pass:
    - spec: {duration.iterations: 10, scale: 3, name: a}
    - spec: {duration.iterations: 11, scale: 2, name: a}
    - spec: {duration.iterations: 11, scale: 4, name: a}
  fail:
    - spec: {duration.iterations: 30, scale: 3, name: a}
"""


@pytest.mark.parametrize("rule", WITH_NUMBERS, ids=lambda rule: rule.name)
def test_the_examples_hold_every_number(rule) -> None:
    assert list(examples().unnoticed(rule)) == []


def test_there_are_rules_with_numbers() -> None:
    """The test above is about as many as there are."""
    assert len(WITH_NUMBERS) > 30


def written(folder: Path, text: str) -> Path:
    path = folder / "long-run.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_of_conditions_are_doubled_one_at_a_time(tmp_path: Path) -> None:
    """0 stays 0, what is quoted is text, and a message decides nothing."""
    rule = load_rule(written(tmp_path, RULE), dialects())
    assert [(each.place, each.number, each.twice) for each in doubled_numbers(rule)] == [
        (("assert", "any", 0), "10", "20"),
        (("assert", "any", 1, "at_least"), "1", "2"),
        (("assert", "any", 1, "of", 0), "2", "4"),
        (("assert", "any", 1, "of", 1), "4", "8"),
    ]


def test_the_command_names_a_number_that_no_example_holds(tmp_path: Path) -> None:
    path = written(tmp_path, RULE)
    line = RULE[: RULE.index("    - spec.duration.iterations <= 10")].count("\n") + 1
    done = CliRunner().invoke(main, ["rules", "--check", str(path), "--mutate"])
    assert done.exit_code == 1
    why = "no example notices when 10 becomes 20: expected one on each side of it"
    assert done.output == f"{path}:{line}: assert.any.0: {why}\n1 rule, 4 examples, 1 wrong\n"


def test_the_command_is_content_with_an_example_close_by(tmp_path: Path) -> None:
    path = written(tmp_path, RULE.replace("iterations: 30", "iterations: 11"))
    done = CliRunner().invoke(main, ["rules", "--check", str(path), "--mutate"])
    assert (done.exit_code, done.output) == (0, "1 rule, 4 examples, 0 wrong\n")


def test_without_the_option_examples_need_only_say_what_is_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["rules", "--check", str(written(tmp_path, RULE))])
    assert (done.exit_code, done.output) == (0, "1 rule, 4 examples, 0 wrong\n")


def test_numbers_are_doubled_in_what_is_checked(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["rules", "--mutate"])
    assert done.exit_code == 2
    assert "--mutate goes with --check" in done.output
