# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CEL expressions inside schemas: over a whole document, with dynamic types.

The rules' expressions name typed fields; these see whatever a config happens to hold, so one that does not
apply to a document (a list where it expects a mapping) gives `FAILED`, not an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct, field

from trainlint.dialects.schema.check_budget import LEAF_TYPES
from trainlint.expressions.cel import INT64, Expression, ExpressionError, compile_expression
from trainlint.expressions.patterns import later

VARIABLES: Final = {
    "doc": "any", "flat": "dict", "spec": "dict", "file": "dict", "value": "any", "key": "string",
}  # fmt: skip
"""doc: the document; flat: dotted path -> value, mappings only; spec: the fields filled so far; file: path,
the folder in which it really lies, format and a command's script; value and key: the property that carries
the expression."""

MAX_DEPTH: Final = 32
"""Deeper values are cut off: no config nests so deep, and Python's stack is finite."""


KEPT_MAPPINGS: Final = 1_000
"""Mappings whose plain form is kept: a document has 30."""

_MAPPING: Final = later(r"\b(flat|spec|file)\b")
"""Variables that are mappings by name, of which an expression mostly reads a few that it writes out."""
_READ: Final = later(r"""\b(flat|spec|file)\[\??(["'])([^"'\\]*)\2\]""")
_ASKED: Final = later(r"""(?:^|[(\[,!&|?:])\s*(["'])([^"'\\]*)\1\s+in\s+(flat|spec|file)\b(?!\s*[\[.(])""")
"""How an expression reads a name of such a mapping, and how it asks whether one is there."""


class _Failed:
    """The result of an expression that does not apply to this document."""

    def __repr__(self) -> str:
        return "FAILED"


FAILED: Final = _Failed()


class DocumentScope(Struct, frozen=True):
    """What an expression may see, already plain (see `plain`)."""

    doc: Any
    flat: Mapping[str, Any]
    file: Mapping[str, Any]
    spec: dict[str, Any] = field(default_factory=dict)


@cache
def expression(text: str) -> Expression:
    """Compile an expression; RuleError (with CEL's caret) for a wrong one."""
    return compile_expression(text, VARIABLES)


_DOCUMENT: Final = later(r"\bdoc\b")
_SECTION: Final = later(r"\bdoc\.(\w+)\b(?!\s*\()")
"""How an expression reads a section of the document by its name."""


def evaluate(text: str, scope: DocumentScope, value: Any = None, key: str = "") -> Any:
    """Return the plain result of an expression, or FAILED where it does not apply."""
    data = {
        "doc": scope.doc, "flat": scope.flat, "file": scope.file, "spec": scope.spec,
        "value": plain(value) if "value" in text else None, "key": plain(key),
    }  # fmt: skip
    for name, read in reads(text).items():  # the engine converts what it is given, each time
        there = data[name]
        if type(there) is dict:
            data[name] = {
                name: there[name] if is_read else None for name, is_read in read.items() if name in there
            }
    try:
        return expression(text).over_plain(data)
    except ExpressionError:
        return FAILED


@cache
def reads(text: str) -> Mapping[str, Mapping[str, bool]]:
    """Return what an expression reads of each mapping of which it writes out every name that it reads.

    Each name comes with whether its value is read; of the others it asks whether they are there.
    """
    sections_read = {}
    places: dict[str, set[int]] = {}
    for match in _MAPPING.finditer(text):
        places.setdefault(match[1], set()).add(match.start())
    for name, there in places.items():
        read = {match.start(1): match[3] for match in _READ.finditer(text) if match[1] == name}
        asked = {match.start(3): match[2] for match in _ASKED.finditer(text) if match[3] == name}
        ways = {**asked, **read}
        if ways.keys() == there:
            sections_read[name] = {way: way in read.values() for way in sorted(ways.values())}
    sections = _SECTION.findall(text) if "doc" in text else []
    if sections and len(sections) == len(_DOCUMENT.findall(text)):
        sections_read["doc"] = dict.fromkeys(sorted(sections), True)
    return sections_read


def plain(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - one line per kind of value
    """Return a value as JSON has it: lists for tuples, string keys, dates as text, 64-bit integers."""
    kind = type(value)
    if kind is str and value.isascii():  # most values
        return value
    if kind is dict and depth < MAX_DEPTH:
        return {str(plain(key, depth + 1)): plain(item, depth + 1) for key, item in value.items()}
    match value:
        case None | bool() | float():
            return value
        case int():
            return max(-INT64, min(INT64, value))
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
        case Mapping() | list() | tuple() | set() | frozenset() if depth >= MAX_DEPTH:
            return None
        case Mapping():
            return {str(plain(key, depth + 1)): plain(item, depth + 1) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item, depth + 1) for item in value]
        case _:
            return str(value)


_PLAIN: Final[dict[tuple[int, int], tuple[Any, Any]]] = {}
"""Mappings of documents with what `plain` makes of them, known by identity: an edit shares most of them."""


def plain_document(value: Any, depth: int = 0) -> Any:
    """Return what `plain` makes of a document's value, which is not changed."""
    if type(value) is not dict or depth >= MAX_DEPTH:
        return plain(value, depth)
    known = _PLAIN.get((id(value), depth))
    if known is not None:
        return known[1]
    copy = {str(plain(key, depth + 1)): plain_document(item, depth + 1) for key, item in value.items()}
    if len(_PLAIN) >= KEPT_MAPPINGS:
        _PLAIN.clear()
    _PLAIN[id(value), depth] = value, copy
    return copy


def flatten(value: Any) -> dict[str, Any]:
    """Return dotted path -> value for every key of nested mappings; lists are not entered."""
    flat: dict[str, Any] = {}
    _flatten(value, "", MAX_DEPTH, flat)
    return flat


def _flatten(value: Any, prefix: str, left: int, flat: dict[str, Any]) -> None:
    if type(value) in LEAF_TYPES or not isinstance(value, Mapping) or not left:
        return
    for key, item in value.items():
        flat[f"{prefix}{key}"] = item
        if type(item) not in LEAF_TYPES:
            _flatten(item, f"{prefix}{key}.", left - 1, flat)
