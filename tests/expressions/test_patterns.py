# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns that Python's engine matches: the same answers as RE2's, and none that it could get lost in."""

from __future__ import annotations

import json
import re
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.errors import RuleError
from trainlint.expressions.cel import MATCHES_EXPRESSION
from trainlint.expressions.patterns import later, simple
from trainlint.shipped.resource_paths import PACKAGE, resource

ATOMS = st.sampled_from(
    ["a", "b", "_", "-", "1", ".", "[ab]", "[^a]", "^", "$", "a?", "(b|ab)", "(?:a|b?)?", "|"]
)
TEXTS = st.text(st.sampled_from("ab_-1\n\u00e9"), max_size=6)


def test_every_pattern_that_is_compiled_later_can_be() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "= later(" in path.read_text("utf-8")]
    assert len(files) > 60
    for path in files:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = import_module(".".join(part for part in parts if part != "__init__"))
        for name, value in vars(module).items():
            if type(value).__name__ == "_Later":
                assert isinstance(value.pattern, str), name


def test_a_pattern_that_is_compiled_later_does_what_it_would_have_done() -> None:
    one = later(r"a(?P<more>b+)", re.IGNORECASE)
    assert one.search("xABB")["more"] == "BB"
    assert one.sub("-", "abxab") == "-x-"
    assert (one.pattern, one.groups) == (r"a(?P<more>b+)", 1)
    with pytest.raises(re.error):
        later("(").search("")


@given(st.lists(ATOMS, max_size=6).map("".join), TEXTS)
def test_it_answers_as_re2_does(pattern: str, text: str) -> None:
    found = simple(pattern)
    if found is not None:
        assert (found.search(text) is not None) == (
            MATCHES_EXPRESSION({"text": text, "pattern": pattern}) is True
        )


def test_the_shipped_patterns_are_taken_but_for_long_lists() -> None:
    def patterns(value):
        if isinstance(value, dict):
            yield from value.get("patternProperties", {})
            names = value.get("propertyNames")
            if isinstance(names, dict) and "pattern" in names:
                yield names["pattern"]
            for each in value.values():
                yield from patterns(each)
        elif isinstance(value, list):
            for each in value:
                yield from patterns(each)

    schemas = [json.loads(file.read_text(encoding="utf-8")) for file in resource("schemas").glob("*.json")]
    found = {pattern for schema in schemas for pattern in patterns(schema)}
    assert len(found) > 10
    assert [pattern for pattern in found if simple(pattern) is None and pattern.count("|") < 10] == []


@pytest.mark.parametrize(
    "pattern", ["a*", "a+", "a{3}", r"\d", "(?=a)", "(?i)a", "a??", "é", "a?" * 13, "(a|b)" * 13]
)
def test_what_may_repeat_or_branch_much_is_left_to_re2(pattern: str) -> None:
    assert simple(pattern) is None


@pytest.mark.parametrize("pattern", ["(a", "a)", "[b-a]"])
def test_what_is_no_pattern_is_left_to_re2_which_refuses_it(pattern: str) -> None:
    assert simple(pattern) is None
    with pytest.raises(RuleError):
        MATCHES_EXPRESSION({"text": "a", "pattern": pattern})
