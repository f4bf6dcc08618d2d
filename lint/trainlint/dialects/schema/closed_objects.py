# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys that no document of a dialect can have: a closed object of its schema does not list them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.config.schema_errors import expected

APPLICATORS: Final = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties")
"""Keywords that may list further keys: what such an object lacks is not known here."""


def unlisted(schema: Mapping[str, Any], key: str) -> str:
    """Say what a dotted key lacks in a schema; "" where a document may have it."""
    part: Any = schema
    for step in key.split("."):
        if not isinstance(part, Mapping) or any(word in part for word in APPLICATORS):
            return ""
        listed = part.get("properties", {})
        if step not in listed:
            closed = part.get("additionalProperties") is False
            return f'no document has the key "{key}"{expected(step, list(listed))}' if closed else ""
        part = listed[step]
    return ""
