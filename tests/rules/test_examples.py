# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every rule's own examples: what passes, what fails and says so, what its fix makes of a config."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import subschemas
from trainlint.judge.rule import Rule

from .examples import dialects, examples, shipped

NOT_ESTIMATED = frozenset(("ram-budget", "vram-fragmentation", "vram-sampling", "last-images-beyond-card"))
"""Rules that no config breaks here: RAM is never estimated (estimate/resources/host_needs.py), of the stored
profiles none fits with expandable segments alone, and none has sample images."""

AROUND = ("env.", "data.", "start.namesakes", "facts.time.data_seconds")
"""What lies around a config: what is installed, the images, other option files, a log."""


def _of_fields_only(rule: Rule) -> bool:
    return rule.name in NOT_ESTIMATED or any(name.startswith(AROUND) for name in rule.requires)


OF_LARGE_STEPS = "weights-while-loading"
"""The rule whose fix is tried on the longest of the stored steps."""


def _by_length(rule: Rule) -> Any:
    return pytest.param(rule, id=rule.name, marks=[pytest.mark.rest] if rule.name == OF_LARGE_STEPS else [])


@pytest.mark.parametrize("rule", map(_by_length, shipped()))
def test_examples_show_what_they_say(rule: Rule) -> None:
    assert list(examples().failures(rule)) == []


def _has_unused(dialect: Dialect) -> bool:
    return dialect.unknown == "unused" or any("x-unused" in part for part in subschemas(dialect.schema))


@pytest.mark.parametrize("rule", list(shipped()), ids=lambda rule: rule.name)
def test_is_shown_to_pass_and_to_fail(rule: Rule) -> None:
    if rule.name == "unused-key" and not any(_has_unused(dialect) for dialect in dialects()):
        pytest.skip("no shipped dialect has keys without effect yet")
    assert rule.data["examples"]["pass"]
    assert rule.data["examples"]["fail"]
    assert rule.sources


@pytest.mark.parametrize("rule", list(shipped()), ids=lambda rule: rule.name)
def test_shows_the_lines_of_a_config_that_break_it(rule: Rule) -> None:
    """A page that lists facts tells nobody what to look for in a file."""
    shown = any("config" in example for example in rule.data["examples"]["fail"])
    assert shown or _of_fields_only(rule)
