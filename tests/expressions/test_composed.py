# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Expressions in parts: what they become in CEL, and what is no part."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.errors import RuleError
from trainlint.expressions.composed import condition, in_lines, longest, value


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a == 1", "a == 1"),
        (["a == 1", "b"], "(a == 1) && b"),
        ({"any": ["a == 1", {"has": "c.d"}]}, "(a == 1) || 'c.d' in flat"),
        ({"none": [{"has": "a"}, {"has": "b"}]}, "!('a' in flat || 'b' in flat)"),
        ({"all": ["a", {"any": ["b", "c"]}]}, "a && (b || c)"),
        ({"at_least": 2, "of": ["a", "b", "c"]}, "[a, b, c].filter(sign, sign).size() >= 2"),
        ({"every": "n", "of": "[1, 2]", "is": ["n > a", "b"]}, "[1, 2].all(n, (n > a) && b)"),
    ],
)
def test_a_condition(written: Any, text: str) -> None:
    assert condition(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (180, "180"),
        (True, "true"),
        (0.01, "0.01"),
        ({"role": "'pixel'", "?type": "flat[?'t']"}, "{'role': 'pixel', ?'type': flat[?'t']}"),
        ([1, "a + b"], "[1, a + b]"),
        (
            {"each": "k", "of": "doc.sets", "where": ["a", "b == k"], "make": {"name": "k"}},
            "doc.sets.filter(k, a && (b == k)).map(k, {'name': k})",
        ),
        ({"each": "k", "of": "doc.sets", "make": "k"}, "doc.sets.map(k, k)"),
        ({"find": "k", "in": {"a": "1", "": "2"}, "else": "k"}, "{'a': 1, '': 2}[?k].orValue(k)"),
    ],
)
def test_a_value(written: Any, text: str) -> None:
    assert value(written) == text


@pytest.mark.parametrize(
    "written", [[], 3, None, {"an": ["a"]}, {"any": []}, {"any": ["a"], "none": ["b"]}, {"has": "it's"}]
)
def test_what_is_no_condition(written: Any) -> None:
    with pytest.raises(RuleError):
        condition(written)


@pytest.mark.parametrize("written", [None, {}, {1: "a"}, {"it's": "a"}])
def test_what_is_no_value(written: Any) -> None:
    with pytest.raises(RuleError):
        value(written)


def test_parts_in_parts_end() -> None:
    written: Any = "a"
    for _ in range(40):
        written = {"any": [written, "b"]}
    with pytest.raises(RuleError, match="deep"):
        condition(written)


def test_how_it_is_shown_and_measured() -> None:
    assert in_lines(["a == 1", "b"]) == "(a == 1)\n&& b"
    assert in_lines("a") == "a"
    assert longest({"any": ["a", ["bbb", "cc"]]}) == "bbb"
