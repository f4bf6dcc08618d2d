# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A rule with one number of its conditions doubled: where no example notices, nothing holds the number.

A number is one written out in `when`, `certain`, `assert` or a fix's `when`; twice 0 is 0, and what stands in
quotation marks is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from trainlint.judge.rule import Rule
from trainlint.judge.rule_files.rule_file import Keys, rebuilt

CONDITIONS: Final = ("when", "certain", "assert")
_TOKEN: Final = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?P<number>(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]))"""
)
"""A text in quotation marks, or a number."""


class DoubledNumber(Struct, frozen=True):
    """A number at a place of a rule's file, and the file's data with twice that number."""

    place: Keys
    number: str
    twice: str
    data: Mapping[str, Any]

    def rule(self, rule: Rule) -> Rule:
        """Return the rule with the doubled number. Raises RuleError where it is none any more."""
        return rebuilt(rule, self.data)


def doubled_numbers(rule: Rule) -> Iterator[DoubledNumber]:
    """Yield every number of a rule's conditions, doubled."""
    data = {key: rule.data[key] for key in (*rule.data, "examples")}
    places: list[Keys] = [(key,) for key in CONDITIONS if key in data]
    places += [("fix", index, "when") for index, fix in enumerate(data.get("fix", ())) if "when" in fix]
    for place in places:
        for keys, number, value in _in(_at(data, place)):
            yield DoubledNumber((*place, *keys), number, _twice(number), _with(data, (*place, *keys), value))


def _in(written: Any) -> Iterator[tuple[Keys, str, Any]]:
    """Yield where a number is in a condition's parts, the number, and the part with twice that number."""
    match written:
        case bool():
            return
        case int() | float():
            yield (), str(written), written * 2
        case str():
            for match in _TOKEN.finditer(written):
                number = match["number"]
                if number and float(number):
                    yield (), number, written[: match.start()] + _twice(number) + written[match.end() :]
        case list():
            for index, part in enumerate(written):
                yield from (((index, *keys), number, value) for keys, number, value in _in(part))
        case Mapping():
            for key, part in written.items():
                yield from (((key, *keys), number, value) for keys, number, value in _in(part))


def _twice(number: str) -> str:
    return str(2 * int(number)) if number.isdigit() else repr(2 * float(number))


def _at(data: Any, place: Keys) -> Any:
    for key in place:
        data = data[key]
    return data


def _with(data: Any, place: Keys, value: Any) -> Any:
    """Return data with another value at one place."""
    if not place:
        return value
    key, *rest = place
    changed: Any = dict(data) if isinstance(data, Mapping) else list(data)
    changed[key] = _with(data[key], tuple(rest), value)
    return changed
