# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is being typed at a place of a config: a key or a value, found by reading the text with a stand-in."""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct

from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Path, Source, Span

STAND_IN: Final = "trainlint-is-asked-here"
"""No trainer's key and no value."""
WORD_BEFORE: Final = later(r"[\w.\-]*\Z")
WORD_AFTER: Final = later(r"[\w.\-]*")
JSON: Final = (".json", ".jsonc")
YAML_KEY: Final = later(r"\s*(?:- +)*['\"]?\Z")
YAML_VALUE: Final = later(r"\s*(?:- +)*+[^\s#:][^#]*?:\s+['\"]?\Z")
TOML_KEY: Final = later(r"\s*['\"]?\Z")
TOML_VALUE: Final = later(r"\s*[\w.\-'\"]+\s*=\s*['\"]?\Z")
JSON_KEY: Final = later(r"[\s{]*\"?\Z")
JSON_VALUE: Final = later(r".*\"[^\"]*\"\s*:\s*\"?\Z")


class CompletionPlace(Struct, frozen=True):
    """What is asked for: the keys of the mapping at `path` (`key`), or the value at `path`.

    `document` has the text without the word that is being typed, which is at `span`; `value` is its content.
    """

    document: Document
    value: Any
    path: Path
    key: bool
    span: Span


def asked(source: Source, offset: int) -> CompletionPlace | None:
    """Return what the text at an offset could become; None where nothing is known of that."""
    text = source.text
    start_of_line = text.rfind("\n", 0, offset) + 1
    before = text[start_of_line:offset]
    typed = WORD_BEFORE.search(before)
    start = offset - len(typed[0]) if typed else offset
    after = WORD_AFTER.match(text, offset)
    end = after.end() if after else offset
    head = text[start_of_line:start]
    closed = source.path.lower().endswith(JSON) and head.endswith('"') and text[end : end + 1] == '"'
    for key, stand_in in _stand_ins(source.path, head, text, start, end + closed):
        probe = text[:start] + stand_in + text[end + closed :]
        question = _find(source, probe, key=key, span=Span(start, end))
        if question is not None:
            return question
    return None


def _stand_ins(path: str, head: str, text: str, start: int, end: int) -> list[tuple[bool, str]]:
    """Return (whether it is a key, what to write) in the order in which they are tried."""
    suffix = path.lower().rpartition(".")[2]
    tail = text[end:].partition("\n")[0]
    if suffix in ("yml", "yaml"):
        named = re.match(r"['\"]?\s*:", tail)
        tries = [(True, YAML_KEY, STAND_IN if named else f"{STAND_IN}: 0"), (False, YAML_VALUE, STAND_IN)]
    elif suffix == "toml":
        named = re.match(r"['\"]?\s*=", tail)
        tries = [(True, TOML_KEY, STAND_IN if named else f"{STAND_IN} = 0"),
                 (False, TOML_VALUE, STAND_IN if head.endswith(("'", '"')) else f'"{STAND_IN}"')]  # fmt: skip
    elif f".{suffix}" in JSON:
        tries = _json(head, text, start, end)
    else:
        return []
    return [(key, written) for key, form, written in tries if form.match(head)]


def _json(head: str, text: str, start: int, end: int) -> list[tuple[bool, re.Pattern[str], str]]:
    """Return the same for JSON, where a quote may be there already and a comma missing."""
    quoted = head.endswith('"')
    front, back = text[:start].rstrip('"').rstrip()[-1:], text[end:].lstrip()[:1]
    before = "" if quoted or front in ("{", ",", "[", ":") else ","
    comma = "" if back in ("}", "]", ",", "") else ","
    word = f'{STAND_IN}"' if quoted else f'"{STAND_IN}"'
    key = word if back == ":" else f"{word}: 0{comma}"
    return [(True, JSON_KEY, f"{before}{key}"), (False, JSON_VALUE, f"{word}{comma}")]


def _find(source: Source, text: str, *, key: bool, span: Span) -> CompletionPlace | None:
    """Read the text with the stand-in and look where it came to be."""
    try:
        documents = read(Source(source.path, text))
    except UnreadableError:
        return None
    for document in documents:
        for path in document.places:
            value = _at(document.value, path)
            if key and path and path[-1] == STAND_IN:
                return CompletionPlace(document, _without(document.value, path), path[:-1], True, span)
            if not key and value == STAND_IN:
                return CompletionPlace(document, document.value, path, False, span)
    return None


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _without(value: Any, path: Path) -> Any:
    """Return the document's value without the key at `path`."""
    if len(path) == 1:
        return {key: item for key, item in value.items() if key != path[0]}
    inner = _without(value[path[0]], path[1:])
    if isinstance(value, dict):
        return {**value, path[0]: inner}
    return [inner if index == path[0] else item for index, item in enumerate(value)]
