# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The number of training images that a page states, for the question that asks for it.

No verdict is made of prose: it may be of another run, or a guess. It is shown where the number is asked for.
"""

from __future__ import annotations

from pathlib import PurePath

from trainlint.expressions.patterns import later
from trainlint.model.result import Result

MARKDOWN = (".md", ".markdown")
MOST_CHARACTERS = 500
"""Of a line that is looked at: prose that states a number is short."""
_TRAINS = later(r"(?i)data ?set|training (?:set|images|samples|data)")
_NUMBER = later(r"(?i)(?<![\d.,x-])(\d{1,3}(?:,\d{3})+|\d+)(k?) (?:training |train )?(?:images|samples)\b")
THOUSAND = 1000
ROUNDING = 0.01
"""How far numbers may be apart that are one number and its short form: 147,353 and 147k."""


def size_in_prose(result: Result) -> str:
    """Say which line of a page states how many images there are; "" where none does, or several differ."""
    if PurePath(result.path).suffix.lower() not in MARKDOWN:
        return ""
    stated: dict[int, int] = {}
    for number, line in enumerate(result.source.text.splitlines(), 1):
        if len(line) <= MOST_CHARACTERS and _TRAINS.search(line):
            for digits, thousands in _NUMBER.findall(line):
                size = int(digits.replace(",", "")) * (THOUSAND if thousands else 1)
                stated.setdefault(size, number)
    if not stated or max(stated) - min(stated) > min(stated) * ROUNDING:
        return ""
    size, line_number = next(iter(stated.items()))
    return f" (line {line_number}: {size:,})"
