# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where an editor says that a character is: a line and the code units before it, both from 0."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Final

from trainlint.expressions.patterns import later

UNITS: Final = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""Encoding as the protocol names it -> the codec whose units are counted."""
CODE_UNIT_BYTES: Final = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Bytes of a unit."""

_END = later(r"\r\n|\n|\r")
"""What ends a line (Language Server Protocol 3.17, Text Documents); Python's splitlines knows more."""


class EditorPlaces:
    """One text's offsets as (line, unit) and back."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._codec, self._size = UNITS[encoding], CODE_UNIT_BYTES[encoding]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and unit of an offset, which is held within the text."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return line, self._units(self.text[self._starts[line] : offset])

    def offset(self, line: int, unit: int) -> int:
        """Return the offset of a line and unit; past a line's end it is that end."""
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[max(line, 0)]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        written = self.text[start:end].rstrip("\r\n")
        bytes_before = written.encode(self._codec, "surrogatepass")[: max(unit, 0) * self._size]
        return start + len(bytes_before.decode(self._codec, "ignore"))

    def _units(self, text: str) -> int:
        return len(text.encode(self._codec, "surrogatepass")) // self._size
