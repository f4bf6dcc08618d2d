# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lines that a config never comes to: of other choices, of classes not chosen, behind keys left empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from trainlint.expressions.patterns import later

DEFINITION: Final = later(r"(?m)^[ \t]*(?:async )?(?:def|class) (\w+)")
_CHOICE: Final = later(
    r"""[ \t]*(?:el)?if (?!__name__|args\.)[\w.\[\]'"]{1,200}(?:\.lower\(\))? """
    r"""(?:== (?=['"])|in [\[(](?=['"]))([^\]):\n]+)[\])]?\s*:"""
)
"""A choice by a word of a config; what a script was called or started with is none."""
_QUOTED: Final = later(r"""(['"])([^'"\n]+)\1""")
_CONDITION: Final = later(r"[ \t]*(?:el)?if ([^\n]*)")
_ASKED: Final = later(
    r"""\(?(?:[\w.\[\]'"]+?(?:\[|\.get\()\s*['"](\w+)['"](?:,\s*(?:None|0|False))?[\])]|(\w+))"""
    r"""(?: is not None| (?:>|!=) 0)?\)?"""
)
"""What is false where a key is empty: `opt['path']['resume_state']`, or a name that was given its value."""
_WITHIN: Final = later(r"""['"](\w+)['"] in \w+\[['"](\w+)['"]\]""")
"""What is false where a text has no such part: `'debug' in opt['name']`."""
_CLASS: Final = later(r"(?m)^class (\w+)\b")
_REGISTERED: Final = ".register("
MOST_PLACES: Final = 200
"""Places of one name that are looked at: each is a walk to its file's top. More of them count as reached."""


class Unreached:
    """What of some texts a config does not come to."""

    def __init__(self, texts: tuple[str, ...], config: Any) -> None:
        self._texts = texts
        self._chosen = {text.lower() for text in texts_of(config)}
        self._values = dict(_values(config))
        self._options = config if isinstance(config, Mapping) else {}

    def is_so(self, text: str, offset: int) -> bool:
        """Return whether a character of a text is never come to."""
        return self._is_behind(text, offset) or self._is_in_other_class(text, offset)

    def _is_behind(self, text: str, offset: int) -> bool:
        """Return whether it is only come to by another choice, or where a key that is empty is not."""
        start = text.rfind("\n", 0, offset) + 1
        first = _CONDITION.match(text, start, offset)
        if first is not None and self._is_false(first[1].rpartition(" and ")[0], text):
            return True
        indent = indent_of(text[start:offset])
        for line in reversed(text[:start].splitlines()):
            if not line.strip() or indent_of(line) >= indent:
                continue
            if DEFINITION.match(line):
                return False
            indent = indent_of(line)
            choice, condition = _CHOICE.match(line), _CONDITION.match(line)
            if choice is not None and self._is_another(choice[1]):
                return True
            if condition is not None and self._is_false(condition[1].rpartition(":")[0], text):
                return True
        return False

    def _is_another(self, words: str) -> bool:
        named = {word.lower() for _, word in _QUOTED.findall(words)}
        return bool(named) and named.isdisjoint(self._chosen)

    def _is_false(self, condition: str, text: str) -> bool:
        if not condition or " or " in condition:
            return False
        if any(self._lacks(part.strip()) for part in condition.split(" and ")):
            return True
        asked = filter(None, (_ASKED.fullmatch(part.strip()) for part in condition.split(" and ")))
        return any(self._is_empty(match[1] or match[2], text, named=match[1] is None) for match in asked)

    def _lacks(self, condition: str) -> bool:
        """Return whether a condition asks for a part of a text that the config has otherwise."""
        match = _WITHIN.fullmatch(condition)
        text = self._options.get(match[2]) if match is not None else None
        return match is not None and isinstance(text, str) and match[1] not in text

    def _is_empty(self, key: str, text: str, *, named: bool) -> bool:
        """Return whether a config has an empty key that no line sets; `named`: a name that has its value."""
        if self._values.get(key, True):
            return False
        if named and not re.search(rf"""(?m)^[ \t]*{key} = [^\n]*\[['"]{key}['"]\]""", text):
            return False
        sets = re.compile(rf"""\[['"]{key}['"]\]\s*=(?!=)""")
        return not any(map(sets.search, self._texts))

    def _is_in_other_class(self, text: str, offset: int) -> bool:
        """Return whether it is in a class that is only looked up, or imported, for other choices."""
        above = [*_CLASS.finditer(text, 0, offset)]
        if not above or re.search(r"(?m)^\w", text[above[-1].end() : offset]):
            return False
        name = above[-1][1]
        used = re.compile(rf"(?<!class )(?<!super\()\b{name}\b")
        uses = places(used, self._texts)
        if uses:
            return len(uses) <= MOST_PLACES and all(self._is_behind(*use) for use in uses)
        registered = text[: above[-1].start()].rstrip().rpartition("\n")[2]
        return registered.startswith("@") and _REGISTERED in registered and name.lower() not in self._chosen


def places(pattern: re.Pattern[str], texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return a pattern's matches in some texts, and no more than one above MOST_PLACES."""
    matches = ((text, match.start()) for text in texts for match in pattern.finditer(text))
    return [*islice(matches, MOST_PLACES + 1)]


def texts_of(value: Any) -> set[str]:
    """Return all texts of a value, keys among them: what a config chooses is one of them."""
    if isinstance(value, Mapping):
        return {str(key) for key in value}.union(*map(texts_of, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(texts_of, value))
    return {value} if isinstance(value, str) else set()


def _values(config: Any) -> Iterator[tuple[str, bool]]:
    """Yield all keys of a config, those with a value last, with whether they have one."""
    pairs = [pair for mapping in _mappings(config) for pair in mapping.items()]
    for key, value in sorted(pairs, key=lambda pair: bool(pair[1])):
        yield str(key), bool(value)


def _mappings(value: Any) -> Iterator[Mapping[Any, Any]]:
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from _mappings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _mappings(inner)


def indent_of(line: str) -> int:
    """Return how many blanks a line begins with."""
    return len(line) - len(line.lstrip())
