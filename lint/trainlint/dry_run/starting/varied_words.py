# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--vary KEY=V1,V2: the value of a program's own words that sets its batch, in two sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from trainlint.dry_run.starting.program import Program
from trainlint.errors import UsageError

VARIED_FORM: Final = re.compile(r"([A-Za-z_][\w.\-]*)=([^,=]+),([^,=]+)")

BATCH_NAME: Final = re.compile(r"(?:^|[_.\-])(?:batch|bs|b$)", re.IGNORECASE)
"""What the name of a program's batch most often has."""


class Varied(Struct, frozen=True):
    """A key, its two values, and the program's words with each."""

    key: str
    values: tuple[str, str]
    variants: tuple[tuple[str, ...], tuple[str, ...]]

    def words(self, choice: int) -> tuple[str, ...]:
        """Return the program's own words with one of the values."""
        return self.variants[choice]

    def named(self, choice: int) -> str:
        """Return the key with one of its values."""
        return f"{self.key}={self.values[choice]}"

    def number(self, choice: int) -> int | None:
        """Return a value as a number of samples; None where it is none."""
        return int(self.values[choice]) if self.values[choice].isdecimal() else None


def varied(text: str, program: Program) -> Varied:
    """Read --vary; UsageError where it has another form, or the program is not given the key."""
    match = VARIED_FORM.fullmatch(text)
    if match is None:
        raise UsageError(f'--vary "{text}": expected KEY=V1,V2, for example --vary batch_size=4,8')
    key, values = match[1], (match[2].strip(), match[3].strip())
    if values[0] == values[1]:
        raise UsageError(f'--vary "{text}": expected two values')
    first, second = (_with(program.own_words, key, value) for value in values)
    if first is None or second is None:
        given = " ".join(program.own_words) or "no words"
        raise UsageError(f'--vary "{text}": the program is not given "{key}" (it is given: {given})')
    return Varied(key, values, (first, second))


def what_to_vary(program: Program) -> str:
    """Say how a program's batch could be seen from its words, where it has any that may set it."""
    words = program.own_words
    numbers = [(name, value) for name, value in _given(words) if value.isdecimal() and int(value)]
    likely = [(name, value) for name, value in numbers if BATCH_NAME.search(name)] or numbers
    if not likely:
        return "neither a DataLoader nor a word of the command has them: make its batch an argument"
    name, value = likely[0]
    return f"name the word that sets them, for example --vary {name}={value},{2 * int(value)}"


def _given(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the flags and the words KEY=VALUE, each with its value."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals:
            yield name.lstrip("-+"), value
        elif name.startswith("-") and index + 1 < len(words):
            yield name.lstrip("-"), words[index + 1]


def _with(words: Sequence[str], key: str, value: str) -> tuple[str, ...] | None:
    """Return words in which a flag, or a word KEY=VALUE, has another value; None where there is no such."""
    wanted = key.lstrip("-").replace("-", "_")
    for index, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name.lstrip("-+").replace("-", "_") != wanted:
            continue
        if equals:
            return (*words[:index], f"{name}={value}", *words[index + 1 :])
        if name.startswith("-") and index + 1 < len(words):
            return (*words[: index + 1], value, *words[index + 2 :])
    return None
