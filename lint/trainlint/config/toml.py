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
from trainlint.files.read_limits import DEPTH, NUMBER_CHARACTERS, TOML_CHARACTERS, VALUES
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
        found = _AT.search(str(error))
        line, column = source.position(len(text))
        if found and found.group(1):
            line, column = int(found.group(1)), int(found.group(2))
        if str(error).startswith("Cannot "):  # tomli points behind the value
            raise _set_twice(source, line) from error
        raise UnreadableError(f"not valid TOML: {_words(_AT.sub('', str(error)))}", line, column) from error
    except RecursionError as error:
        raise UnreadableError(f"is nested more than {DEPTH} levels deep, which no config is") from error
    return value


def _set_twice(source: Source, line: int) -> UnreadableError:
    text = source.line(line)
    name = text.partition("=")[0].strip()
    hint = "" if name.startswith("[") else "; is a [table] header missing above it?"
    column = len(text) - len(text.lstrip()) + 1
    return UnreadableError(f'not valid TOML: "{name}" is there already{hint}', line, column)


def _words(message: str) -> str:
    """Say in trainlint's own words what tomli found."""
    for pattern, words in _WORDS:
        if found := re.match(pattern, message):
            return found.expand(words)
    return message[:1].lower() + message[1:]


def _parts(text: str) -> Iterator[re.Match[str]]:
    """Yield what _PART finds, a text of several lines by its opening marks alone."""
    at = 0
    while found := _PART.search(text, at):
        yield found
        at = _closed(text, found.start()) if found.group() in _LONG else found.end()


def _closed(text: str, start: int) -> int:
    """Return the offset behind a text of several lines; the end of the file where it is not closed."""
    mark = text[start : start + 3]
    ends = (found.end() for found in _LONG[mark].finditer(text, start + 3) if found.group()[0] == mark[0])
    return next(ends, len(text))


def _check_limits(source: Source) -> None:
    if len(source.text) > TOML_CHARACTERS:
        raise TooLargeError(f"is TOML of more than {TOML_CHARACTERS // 1_000_000} MB, which no config is")
    depth = dots = values = 0
    for found in _parts(source.text):
        sign = found.group()
        depth += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else 0 if sign in "[{,=\n" else dots
        values += sign in ".,=["
        if max(depth, dots) > DEPTH:
            message = f"is nested more than {DEPTH} levels deep, which no config is"
            raise UnreadableError(message, *source.position(found.start()))
        if values > VALUES:
            raise TooLargeError(f"holds more than {VALUES:,} values, which no training config does")
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
        at = self._skip(_BLANK, 0)
        while at < len(self._text):
            if self._text[at] == "[":
                table, at = self._header(at)
            else:
                at = self._pair(at, table)
            at = self._skip(_BLANK, at)

    def _skip(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self._text, at)
        return found.end() if found else at

    def _header(self, start: int) -> tuple[Path, int]:
        """Read `[table]` or `[[row]]`: the path it opens, parents that it implies included."""
        rows = self._text.startswith("[[", start)
        keys, at = self._keys(start + 1 + rows)
        end = at + 1 + rows
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

    def _keys(self, at: int) -> tuple[list[tuple[str, int, int]], int]:
        """Read a dotted key: each part with its span, and the offset of what follows."""
        keys = []
        while True:
            at = self._skip(_SPACE, at)
            end = self._skip(_KEY, at)
            raw = self._text[at:end]
            name = next(iter(tomli.loads(f"{raw} = 0"))) if raw[0] in "\"'" else raw
            keys.append((name, at, end))
            at = self._skip(_SPACE, end)
            if self._text[at] != ".":
                return keys, at
            at += 1

    def _pair(self, at: int, table: Path) -> int:
        keys, at = self._keys(at)
        start = self._skip(_SPACE, at + 1)
        path = (*table, *(name for name, *_ in keys))
        end = self._value(start, path, keys[-1][1:])
        for index, (_, key_start, key_end) in enumerate(keys[:-1], len(table) + 1):
            self.offsets.setdefault(path[:index], (keys[0][1], end, key_start, key_end))
        return end

    def _value(self, at: int, path: Path, key: tuple[int, int] = (NO_KEY, NO_KEY)) -> int:
        char = self._text[at]
        if len(path) > DEPTH:
            message = f"is nested more than {DEPTH} levels deep, which no config is"
            raise UnreadableError(message, *self._source.position(at))
        if char == "[":
            end = self._array(at, path)
        elif char == "{":
            end = self._inline(at, path)
        elif char in "\"'":
            long = self._text[at : at + 3] in _LONG
            end = _closed(self._text, at) if long else self._skip(_STRING, at)
        else:
            end = at + len(self._text[at : self._skip(_BARE, at)].rstrip())
        self.offsets[path] = (at, end, *key)
        return end

    def _array(self, at: int, path: Path) -> int:
        index = 0
        at = self._skip(_BLANK, at + 1)
        while self._text[at] != "]":
            at = self._comma(self._value(at, (*path, index)))
            index += 1
        return at + 1

    def _inline(self, at: int, path: Path) -> int:
        at = self._skip(_BLANK, at + 1)
        while self._text[at] != "}":
            at = self._comma(self._pair(at, path))
        return at + 1

    def _comma(self, at: int) -> int:
        at = self._skip(_BLANK, at)
        return self._skip(_BLANK, at + 1) if self._text[at] == "," else at
