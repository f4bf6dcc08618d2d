# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys by whose value a trainer chooses in a chain of conditions that ends in an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.expressions.patterns import later
from trainlint.repository.trainer.mentioned_words import Words

OPEN = later(r"\bgetattr\(|import_module|\beval\(|\bglobals\(|\blocals\(|__dict__|(?i:registry)|instantiate")
"""What looks a name up, so that a choice is not in the function's own text."""
_DEFINED = later(r"(?m)^([ \t]*)(?:async )?def \w+")


def is_ignored(words: Words, key: str) -> bool:
    """Return whether a key is only ever read into names that nothing asks for."""
    read = _read(key)
    bodies = [body for text in words.code for body in _reading(text, read)]
    return bool(bodies) and all(_forgets(body, read) for body in bodies)


def _forgets(body: str, read: re.Pattern[str]) -> bool:
    for match in read.finditer(body):
        line = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        name = re.match(r"\s*(\w+)\s*=[^=]", line)
        if name is None or len(re.findall(rf"\b{name[1]}\b(?!['\"])", body)) > 1:
            return False
    return True


def _read(key: str) -> re.Pattern[str]:
    quoted = rf"""['"]{re.escape(key)}['"]"""
    return re.compile(rf"\[\s*{quoted}\s*\]|\.(?:get|pop)\(\s*{quoted}")


def is_closed(words: Words, key: str) -> bool:
    """Return whether a function chooses by a key and raises for the rest, and none chooses otherwise."""
    read = _read(key)
    bodies = dict.fromkeys(body for text in words.code for body in _reading(text, read))
    chains = [count for body in bodies if (count := _conditions(body, key, read))]
    if any(OPEN.search(body) for body in bodies):
        return False
    return any(raises for _, raises in chains) and all(raises or number == 1 for number, raises in chains)


def _reading(text: str, read: re.Pattern[str]) -> Iterator[str]:
    """Yield the functions of a text that read a key."""
    for match in read.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        indent = len(text[line:].expandtabs()) - len(text[line:].expandtabs().lstrip())
        around = [
            definition
            for definition in _DEFINED.finditer(text, 0, line)
            if len(definition[1].expandtabs()) < indent
        ]
        if around:
            start = around[-1]
            end = re.compile(rf"(?m)^[ \t]{{0,{len(start[1])}}}\S").search(text, start.end())
            yield text[start.start() : end.start() if end else len(text)]


def _conditions(body: str, key: str, read: re.Pattern[str]) -> tuple[int, bool] | None:
    """Return how often a function compares a key's value with words, and whether it raises after the last."""
    names = re.findall(rf"(?m)^\s*(\w+)\s*=[^=\n]*(?:{read.pattern})", body)
    value = "|".join([*map(re.escape, names), rf"""\[\s*['"]{re.escape(key)}['"]\s*\]"""])
    compared = list(
        re.finditer(rf"""(?:\b|(?<=\])|(?=\[))(?:{value})[.\w()]*\s*(?:==|\bin\b)\s*[\[('"]""", body)
    )
    if not compared:
        return None
    return len(compared), re.search(r"(?m)^\s*raise\b", body[compared[-1].end() :]) is not None
