# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Words of a schema and of a config as Markdown that an editor shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from trainlint.dialects.schema.schema_walk import Schema
from trainlint.expressions.patterns import later
from trainlint.report.style import printable

MARKDOWN_MARKS: Final = later(r"(?i)([\\`*_{}\[\]<>()#+!|~&@]|:(?=//)|(?<=mailto):|(?<=xmpp):|(?<=www)\.)")
"""What Markdown reads as more than text, bare addresses too; a config's words are text alone."""
MOST_VALUE_CHARACTERS: Final = 500
"""Characters of a value that are repeated."""


def markdown(text: str) -> str:
    """Return text of a config's or a schema's as Markdown that shows it as it is, without links or HTML."""
    shown = text if len(text) <= MOST_VALUE_CHARACTERS else f"{text[:MOST_VALUE_CHARACTERS]}…"
    return MARKDOWN_MARKS.sub(r"\\\1", printable(shown))


def description_of(parts: Iterable[Schema]) -> str:
    """Return what the schemas of a value say of it: description, type, allowed values, default."""
    said: dict[str, None] = {}
    for part in parts:
        for word in (part.get("description"), _kind(part), _default(part)):
            if word:
                said[str(word)] = None
    return markdown(". ".join(word.rstrip(".") for word in said)) if said else ""


def _kind(part: Schema) -> str:
    if "enum" in part:
        return f"one of {', '.join(map(literal, part['enum']))}"
    kind = part.get("type")
    return kind if isinstance(kind, str) else " or ".join(kind or ())


def _default(part: Schema) -> str:
    return f"default {literal(part['default'])}" if "default" in part else ""


def literal(value: Any) -> str:
    """Write a value as YAML and JSON have it in common."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
