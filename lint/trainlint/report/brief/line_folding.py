# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Long lines of a report, broken at spaces for a terminal's width, under what they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.report.style import as_shown

_CODE: Final = later(r"\s*(?:\d+ )?\|(?: |$)|\s*\d+ [-+]|\.\.\.$")
"""Lines of a config, which are left as they are: they were cut already."""
_LEAD: Final = later(r"(?:FAIL|pass|warn|skip|unreadable)?\s*(?:= )?")
"""What the rest of a line is put under."""
COMMAND: Final = "::"
"""How a command to GitHub's runner begins a line: no line is broken before it."""
GAP: Final = "   "
"""What stands between parts on one line."""
_MOST_INDENT: Final = 12
"""Columns that the rest of a line is moved in at most."""


def folded(line: str, width: int) -> Iterator[str]:
    """Yield a line's pieces of at most `width` columns; one word that is longer stays whole."""
    if len(line) <= width:
        yield line
        return
    plain = as_shown(line)
    if len(plain) <= width or _CODE.match(plain):
        yield line
        return
    lead = _LEAD.match(plain)
    indent = " " * min(_MOST_INDENT, len(lead[0]) if lead else 0)
    row, used = "", 0
    for word in re.split(r"(?<=\S) ", line):
        size = len(as_shown(word))
        if row and used + 1 + size > width and not word.lstrip(" ").startswith(COMMAND):
            yield row
            row, used = f"{indent}{word.lstrip(' ')}", len(indent) + size
        else:
            row, used = (f"{row} {word}", used + 1 + size) if row else (word, size)
    yield row


def packed(parts: Sequence[str], width: int) -> Iterator[str]:
    """Yield lines of parts that belong together, with as many on each as a width holds."""
    line = ""
    for part in parts:
        longer = f"{line}{GAP}{part}" if line else part
        if line and len(longer) > width:
            yield line
            longer = part
        line = longer
    yield line
