# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""TOML with places: tomli gives the values and the errors, a scan of the valid text gives the spans.

tomli and tomllib give no positions and tomlkit none either; a text that tomli accepted is simple to scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import tomli

from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import MOST_LEVELS, MOST_VALUES_READ, NUMBER_CHARACTERS, TOML_CHARACTERS
from trainlint.model.document import Document, Path, Source

_AT = later(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_NUMBER = later(rf"(?<![0-9_])[0-9_]{{{NUMBER_CHARACTERS},}}")
_BLANK = later(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = later(r"[ \t]*")
_KEY = later(r"\"(?:\\.|[^\"\\\n]++)*+\"|'[^'\n]*'|[^\s.=\]\"']+")
_LONG = {
    '"""': later(r"\\.|\"{3,5}", re.DOTALL),
    "'''": later(r"\'{3,5}"),
}
"""What begins a text that may be longer than a line, and finds the marks that close it, or what is escaped.

Texts that are no longer than a line are found by patterns whose parts each differ by their first character: a
possessive group of Python 3.11.2 is wrong where a part takes some, or looks ahead, and then does not match.
"""
_STRING = later(r"\"(?:\\.|[^\"\\]++)*+\"|'[^']*'", re.DOTALL)
_BARE = later(r"[^,\]}\n\r#]+")
_WORDS = (
    (r"Invalid value", "expected a value here (a text takes quotes)"),
    (r"Expected [\"']{1,5}$|Illegal character '\\[nr]'|Unterminated", "the quote is never closed"),
    (r"Expected '='", 'expected "=" after the key'),
    (r"Expected newline or end", "more text after the value: expected a new line"),
    (r"Unclosed (array|inline table)", r"the \1 is never closed"),
)


_PART = later(r"\"\"\"|\'\'\'|\"(?:\\.?|[^\"\\\n]++)*+\"?|'[^'\n]*+'?|#[^\n]*|[\[{\]}.,=\n]", re.DOTALL)
"""What says how deep a text is nested and how much it holds: brackets, commas and the dots of keys, outside
of texts and comments. A text that is not closed is passed over like one that is: tomli refuses it."""


def parse_toml(source: Source) -> tuple[Document, ...]:
    """Read a TOML file. A table's place is its header; UnreadableError carries line and column."""
    value = toml_values(source)
    if not value:
        raise UnreadableError("is empty: expected keys and their values", 1, 1)
    scan = _TomlScan(source)
    scan.run()
    return (Document(source, value, Places(scan.offsets), "toml"),)


def toml_values(source: Source) -> dict[str, Any]:
    """Return the values of a TOML text alone; UnreadableError as for `parse_toml`."""
    text = source.text
    _check_limits(source)
    try:
        value = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        match = _AT.search(str(error))
        line, column = source.position(len(text))
        if match and match.group(1):
            line, column = int(match.group(1)), int(match.group(2))
        if str(error).startswith("Cannot "):  # tomli points behind the value
            raise _set_twice(source, line) from error
        raise UnreadableError(f"not valid TOML: {_words(_AT.sub('', str(error)))}", line, column) from error
    except RecursionError as error:
        raise UnreadableError(f"is nested more than {MOST_LEVELS} levels deep, which no config is") from error
    return value


def _set_twice(source: Source, line: int) -> UnreadableError:
    text = source.line(line)
    name = text.partition("=")[0].strip()
    hint = "" if name.startswith("[") else "; is a [table] header missing above it?"
    column = len(text) - len(text.lstrip()) + 1
    return UnreadableError(f'not valid TOML: "{name}" is defined already{hint}', line, column)


def _words(message: str) -> str:
    """Say in trainlint's own words what tomli found."""
    for pattern, words in _WORDS:
        if match := re.match(pattern, message):
            return match.expand(words)
    return message[:1].lower() + message[1:]


def _parts(text: str) -> Iterator[re.Match[str]]:
    """Yield what _PART finds, a text of several lines by its opening marks alone."""
    offset = 0
    while match := _PART.search(text, offset):
        yield match
        offset = _closed(text, match.start()) if match.group() in _LONG else match.end()


def _closed(text: str, start: int) -> int:
    """Return the offset behind a text of several lines; the end of the file where it is not closed."""
    mark = text[start : start + 3]
    ends = (match.end() for match in _LONG[mark].finditer(text, start + 3) if match.group()[0] == mark[0])
    return next(ends, len(text))


def _check_limits(source: Source) -> None:
    if len(source.text) > TOML_CHARACTERS:
        raise TooLargeError(f"is TOML of more than {TOML_CHARACTERS // 1_000_000} MB, which no config is")
    depth = dots = values = 0
    for part in _parts(source.text):
        sign = part.group()
        depth += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else 0 if sign in "[{,=\n" else dots
        values += sign in ".,=["
        if max(depth, dots) > MOST_LEVELS:
            message = f"is nested more than {MOST_LEVELS} levels deep, which no config is"
            raise UnreadableError(message, *source.position(part.start()))
        if values > MOST_VALUES_READ:
            raise TooLargeError(f"holds more than {MOST_VALUES_READ:,} values, which no training config does")
    if long := _LONG_NUMBER.search(source.text):
        message = f"a number of more than {NUMBER_CHARACTERS:,} characters"
        raise UnreadableError(message, *source.position(long.start()))


class _TomlScan:
    """One pass over TOML text that is known to be valid; methods return the offset behind what they read."""

    def __init__(self, source: Source) -> None:
        self.offsets: dict[Path, Offsets] = {(): (0, len(source.text), NO_KEY, NO_KEY)}
        self._source = source
        self._text = source.text
        self._rows: dict[Path, int] = {}

    def run(self) -> None:
        """Scan headers and pairs up to the end of the text."""
        table: Path = ()
        offset = self._skip(_BLANK, 0)
        while offset < len(self._text):
            if self._text[offset] == "[":
                table, offset = self._header(offset)
            else:
                offset = self._pair(offset, table)
            offset = self._skip(_BLANK, offset)

    def _skip(self, pattern: re.Pattern[str], offset: int) -> int:
        match = pattern.match(self._text, offset)
        return match.end() if match else offset

    def _header(self, start: int) -> tuple[Path, int]:
        """Read `[table]` or `[[row]]`: the path it opens, parents that it implies included."""
        rows = self._text.startswith("[[", start)
        keys, offset = self._keys(start + 1 + rows)
        end = offset + 1 + rows
        path: Path = ()
        for left, (name, key_start, key_end) in enumerate(keys, 1 - len(keys)):
            path = (*path, name)
            self.offsets.setdefault(path, (start, end, key_start, key_end))
            if path in self._rows and not (rows and left == 0):
                path = (*path, self._rows[path])
        if rows:
            self._rows[path] = self._rows.get(path, -1) + 1
            path = (*path, self._rows[path])
            self.offsets[path] = (start, end, NO_KEY, NO_KEY)
        else:
            self.offsets[path] = (start, end, *keys[-1][1:])
        return path, end

    def _keys(self, offset: int) -> tuple[list[tuple[str, int, int]], int]:
        """Read a dotted key: each part with its span, and the offset of what follows."""
        keys = []
        while True:
            offset = self._skip(_SPACE, offset)
            end = self._skip(_KEY, offset)
            raw = self._text[offset:end]
            name = next(iter(tomli.loads(f"{raw} = 0"))) if raw[0] in "\"'" else raw
            keys.append((name, offset, end))
            offset = self._skip(_SPACE, end)
            if self._text[offset] != ".":
                return keys, offset
            offset += 1

    def _pair(self, offset: int, table: Path) -> int:
        keys, offset = self._keys(offset)
        start = self._skip(_SPACE, offset + 1)
        path = (*table, *(name for name, *_ in keys))
        end = self._value(start, path, keys[-1][1:])
        for index, (_, key_start, key_end) in enumerate(keys[:-1], len(table) + 1):
            self.offsets.setdefault(path[:index], (keys[0][1], end, key_start, key_end))
        return end

    def _value(self, offset: int, path: Path, key: tuple[int, int] = (NO_KEY, NO_KEY)) -> int:
        char = self._text[offset]
        if len(path) > MOST_LEVELS:
            message = f"is nested more than {MOST_LEVELS} levels deep, which no config is"
            raise UnreadableError(message, *self._source.position(offset))
        if char == "[":
            end = self._array(offset, path)
        elif char == "{":
            end = self._inline(offset, path)
        elif char in "\"'":
            long = self._text[offset : offset + 3] in _LONG
            end = _closed(self._text, offset) if long else self._skip(_STRING, offset)
        else:
            end = offset + len(self._text[offset : self._skip(_BARE, offset)].rstrip())
        self.offsets[path] = (offset, end, *key)
        return end

    def _array(self, offset: int, path: Path) -> int:
        index = 0
        offset = self._skip(_BLANK, offset + 1)
        while self._text[offset] != "]":
            offset = self._comma(self._value(offset, (*path, index)))
            index += 1
        return offset + 1

    def _inline(self, offset: int, path: Path) -> int:
        offset = self._skip(_BLANK, offset + 1)
        while self._text[offset] != "}":
            offset = self._comma(self._pair(offset, path))
        return offset + 1

    def _comma(self, offset: int) -> int:
        offset = self._skip(_BLANK, offset)
        return self._skip(_BLANK, offset + 1) if self._text[offset] == "," else offset
