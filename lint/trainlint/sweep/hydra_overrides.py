# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Hydra's overrides for a multirun: KEY=1,2,4 and its functions choice and range.

https://hydra.cc/docs/advanced/override_grammar/basic/ and .../extended/ (Hydra 1.3).
"""

from __future__ import annotations

import re
from typing import Any, Final

from trainlint.config.yaml import parse_yaml
from trainlint.errors import UnreadableError, UsageError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import NUMBER_CHARACTERS
from trainlint.model.document import Source

FUNCTION: Final = later(r"(\w+)\((.*)\)", re.DOTALL)
NUMBER: Final = later(r"[-+]?(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][-+]?\d+)?\.?")
CLOSING_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}


def override_of(word: str) -> tuple[str, bool, list[Any] | range]:
    """Return the key of an override, whether it adds that key, and its values; UsageError for no override."""
    key, equals, text = word.partition("=")
    if key.startswith("~"):
        raise UsageError(f'"{word}": deleting a key is not part of a sweep here')
    adds = key.startswith("+")
    key = key.lstrip("+").strip()
    if not equals or not key:
        raise UsageError(f'"{word}" is not an override; expected KEY=VALUE or KEY=VALUE,VALUE')
    return key, adds, _values(word, text)


def _values(word: str, text: str) -> list[Any] | range:
    call = FUNCTION.fullmatch(text.strip())
    if call is None:
        return [_value(part) for part in _split(word, text)]
    name, arguments = call[1], _split(word, call[2])
    if name == "choice":
        return [_value(part) for part in arguments]
    if name == "range":
        numbers = [_value(part.rpartition("=")[2]) for part in arguments]
        if not 1 <= len(numbers) <= 3 or not all(type(number) is int for number in numbers):  # noqa: PLR2004  # start, stop and step
            raise UsageError(f'"{word}": expected range(START, STOP, STEP) of whole numbers')
        if len(numbers) == 3 and numbers[2] == 0:  # noqa: PLR2004  # start, stop and step
            raise UsageError(f'"{word}": a step of 0 never ends')
        return range(*numbers)
    if name == "interval":
        raise UsageError(f'"{word}": an interval has no list of values; give choice(...) or range(...)')
    raise UsageError(f'"{word}": {name}(...) is not read here; give KEY=1,2, choice(...) or range(...)')


def _split(word: str, text: str) -> list[str]:
    """Split at the commas that are in no quotes and no brackets."""
    parts, inside, quote = [""], [], ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in CLOSING_BRACKETS:
            inside.append(CLOSING_BRACKETS[letter])
        elif inside and letter == inside[-1]:
            inside.pop()
        elif letter == "," and not inside:
            parts.append("")
            continue
        parts[-1] += letter
    if quote or inside:
        raise UsageError(f'"{word}": expected {quote or inside[-1]} at its end')
    return [part.strip() for part in parts]


def _value(text: str) -> Any:
    """Read one value as Hydra does: numbers, booleans, null, quoted text, lists and mappings."""
    if NUMBER.fullmatch(text) and len(text) <= NUMBER_CHARACTERS:
        bare = text.replace("_", "")
        return int(bare) if re.fullmatch(r"[-+]?\d+", bare) else float(bare)
    words = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    if text[:1] in ("'", '"', "[", "{"):
        try:
            (document,) = parse_yaml(Source("", text))
        except (UnreadableError, ValueError):
            raise UsageError(f'"{text}" cannot be read as a value') from None
        return document.value
    return text
