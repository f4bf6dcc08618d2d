# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON, and JSON with `//` and `/* */` comments (KAIR), with the place of every key and value."""

from __future__ import annotations

import re
from collections.abc import Collection
from json.decoder import JSONDecodeError, JSONDecoder, scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import Any, NoReturn

from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import BRACKETS, FILE_BYTES, MOST_LEVELS, MOST_VALUES_READ, NUMBER_CHARACTERS
from trainlint.model.document import Document, Duplicate, Path, Source, Span

_DECODER = JSONDecoder()
_BLANK = later(r"[ \t\r\n]*")
_NUMBER = later(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_BRACKETS = frozenset("[{")
_INSIDE = later(r'(?:[^][{}"]++|"(?:[^"\\]++|\\.)*+"?)*+', re.DOTALL)
"""What is between two brackets."""
_WORD = later(r"-?[A-Za-z_$][\w$]*|\S")


def parse_json(source: Source, skip: Collection[str] = ()) -> tuple[Document, ...]:
    """Read a JSON text as json.loads does once comments are gone.

    Values under the keys in `skip` are checked but not kept (a notebook's outputs). meta["comments"] lists
    the comment styles met ("//", "/*"): strict loaders refuse them.
    Raises UnreadableError with line and column.
    """
    scan = _JsonScan(source, skip)
    offset = scan.blank(0)
    if offset == len(source.text):
        raise UnreadableError("is empty: expected keys and their values", 1, 1)
    value, offset = scan.value(offset, (), NO_KEY, NO_KEY)
    offset = scan.blank(offset)
    if offset != len(source.text):
        scan.fail(offset, "expected the end of the file after the value")
    meta = {"comments": tuple(sorted(scan.comments))}
    return (
        Document(source, value, Places(scan.offsets), "json", duplicates=tuple(scan.duplicates), meta=meta),
    )


class _JsonScan:
    """One pass over the text; each method takes an offset and returns the one after what it read."""

    def __init__(self, source: Source, skip: Collection[str]) -> None:
        self.offsets: dict[Path, Offsets] = {}
        self.duplicates: list[Duplicate] = []
        self.comments: set[str] = set()
        self._source = source
        self._text = source.text
        self._end = len(source.text)
        self._depth = 0
        self._skip = skip
        self._brackets = self._built = 0

    def fail(self, offset: int, message: str) -> NoReturn:
        raise UnreadableError(f"not valid JSON: {message}", *self._source.position(offset))

    def blank(self, offset: int) -> int:
        """Skip blanks and comments."""
        while True:
            offset = _BLANK.match(self._text, offset).end()  # type: ignore[union-attr]  # it matches nothing as well
            mark = self._text[offset : offset + 2]
            if mark == "//":
                end = self._text.find("\n", offset)
                offset = self._end if end < 0 else end
            elif mark == "/*":
                end = self._text.find("*/", offset + 2)
                if end < 0:
                    self.fail(offset, 'the comment opened with "/*" is never closed')
                offset = end + 2
            else:
                return offset
            self.comments.add(mark)

    def value(self, offset: int, path: Path, key_start: int, key_end: int) -> tuple[Any, int]:
        """Read the value that starts at `offset` and record its place."""
        value: Any
        char = self._peek(offset)
        if path and path[-1] in self._skip:
            value, end = None, self._beyond(offset)
        elif char == '"':
            value, end = self._string(offset)
        elif char and char in "{[":
            self._depth += 1
            if self._depth > MOST_LEVELS:
                self.fail(offset, f"nested more than {MOST_LEVELS} levels deep, which no config is")
            value, end = self._object(offset, path) if char == "{" else self._array(offset, path)
            self._depth -= 1
        else:
            value, end = self._atom(offset)
        self.offsets[path] = (offset, end, key_start, key_end)
        if len(self.offsets) > MOST_VALUES_READ:
            raise TooLargeError(f"holds more than {MOST_VALUES_READ:,} values, which no training config does")
        return value, end

    def _peek(self, offset: int) -> str:
        return self._text[offset] if offset < self._end else ""

    def _beyond(self, offset: int) -> int:
        """Step over a value, built as long as all are shorter than a config: it takes many times its size."""
        if self._peek(offset) in _BRACKETS and (end := self._closing(offset)) > offset:
            self._built += end - offset
            if self._built > FILE_BYTES:
                return end
        try:
            return _DECODER.raw_decode(self._text, offset)[1]
        except JSONDecodeError as error:
            self.fail(error.pos, error.msg.lower())
        except (RecursionError, ValueError):
            self.fail(offset, "a value that cannot be read (nested too deep, or a number too long)")

    def _closing(self, offset: int) -> int:
        """Return where the bracket that opens at `offset` closes; `offset` where none does."""
        depth, end = 0, offset
        while end < self._end:
            depth += 1 if self._text[end] in "[{" else -1
            end += 1
            if not depth:
                return end
            self._brackets += 1
            if self._brackets > BRACKETS:
                raise TooLargeError(f"holds more than {BRACKETS:,} lists in its outputs: clear them")
            end = _INSIDE.match(self._text, end).end()  # type: ignore[union-attr]  # it matches nothing as well
        return offset

    def _string(self, offset: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self._text, offset + 1, True)
        except JSONDecodeError as error:
            what = "the quote is never closed" if "Unterminated" in error.msg else error.msg.lower()
            if "control character" in error.msg.lower():
                what = "the quote is not closed on its line (or holds an unescaped control character)"
            self.fail(error.pos if "escape" in error.msg else offset, what)
        return value, end

    def _atom(self, offset: int) -> tuple[Any, int]:
        match = _WORD.match(self._text, offset)
        word = match.group() if match else ""
        for table in (_WORDS, _CONSTANTS):
            if word in table:
                return table[word], offset + len(word)
        number = _NUMBER.match(self._text, offset)
        if number is None:
            self._unexpected(offset, word)
        digits = number.group()
        if len(digits) > NUMBER_CHARACTERS:
            self.fail(offset, f"a number of more than {NUMBER_CHARACTERS:,} characters")
        whole = number.group(2) is None and number.group(3) is None
        return int(digits) if whole else float(digits), number.end()

    def _unexpected(self, offset: int, word: str) -> NoReturn:
        if not word:
            self.fail(offset, "the file ends where a value was expected")
        if word in "]}":
            self.fail(offset, f'expected a value, found "{word}" (JSON allows no trailing comma)')
        hint = ": JSON strings take double quotes" if word == "'" else ""
        hint = ": JSON writes true, false and null" if word in ("True", "False", "None") else hint
        self.fail(offset, f'expected a value, found "{word[:40]}"{hint}')

    def _array(self, offset: int, path: Path) -> tuple[list[Any], int]:
        values: list[Any] = []
        opened, offset = offset, self.blank(offset + 1)
        while self._peek(offset) != "]":
            value, offset = self.value(offset, (*path, len(values)), NO_KEY, NO_KEY)
            values.append(value)
            offset = self._separator(offset, "]", opened)
        return values, offset + 1

    def _object(self, offset: int, path: Path) -> tuple[dict[str, Any], int]:
        out: dict[str, Any] = {}
        keys: dict[str, Span] = {}
        opened, offset = offset, self.blank(offset + 1)
        while self._peek(offset) != "}":
            key, after = self._key(offset, opened)
            if key in keys:
                self.duplicates.append(Duplicate((*path, key), keys[key], Span(offset, after)))
                self._forget((*path, key), out[key])
            keys[key] = Span(offset, after)
            start = self._colon(after, key)
            out[key], end = self.value(start, (*path, key), offset, after)
            offset = self._separator(end, "}", opened)
        return out, offset + 1

    def _key(self, offset: int, opened: int) -> tuple[str, int]:
        char = self._peek(offset)
        if char == '"':
            return self._string(offset)
        if char:
            self.fail(offset, f'expected a key in double quotes, found "{char}"')
        return self._unclosed(offset, opened)

    def _colon(self, offset: int, key: str) -> int:
        offset = self.blank(offset)
        if self._peek(offset) != ":":
            self.fail(offset, f'expected ":" after the key "{key}"')
        return self.blank(offset + 1)

    def _separator(self, offset: int, close: str, opened: int) -> int:
        """Step over a comma to the next item, or stop at the closing bracket."""
        end, offset = offset, self.blank(offset)
        char = self._peek(offset)
        if char == close:
            return offset
        if not char:
            self._unclosed(offset, opened)
        if char != ",":
            self.fail(end, f'expected "," or "{close}" here')
        after = self.blank(offset + 1)
        if self._peek(after) == close:
            self.fail(offset, f'a trailing comma before "{close}": JSON allows none')
        return after

    def _unclosed(self, offset: int, opened: int) -> NoReturn:
        line = self._source.position(opened)[0]
        self.fail(offset, f'the file ends, but the "{self._text[opened]}" of line {line} is not closed')

    def _forget(self, path: Path, value: Any) -> None:
        """Drop the places of a value that a duplicate key replaces."""
        del self.offsets[path]
        children = (
            value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
        )
        for key, child in children:
            self._forget((*path, key), child)
