# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules, schemas, hardware and expressions, read and compiled once for all later runs.

A wheel has rules, schemas and tables as JSON, written when it was built; in a checkout they are kept with a
digest of their files' states. Expressions are kept in the engine's own form under their whole text and the
types of their variables: a text that was never kept is compiled as any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec import DecodeError, json, msgpack

from trainlint.shipped.kept_data import data_state, in_wheel, keep_bytes, kept_bytes
from trainlint.shipped.resource_paths import PACKAGE

DATA, EXPRESSIONS = "data", "expressions"
BUILT: Final = PACKAGE / "shipped.json"
"""In a wheel: what `data` returns."""


@cache
def data() -> Mapping[str, Mapping[str, Any]]:
    """Return `rules`, `schemas` and `tables`, file's stem -> what is in it; empty before it is kept."""
    content = BUILT.read_bytes() if in_wheel() else kept_bytes(DATA, data_state())
    return json.decode(content) if content else {"rules": {}, "schemas": {}, "tables": {}}


def is_kept(engine: str) -> bool:
    """Say whether all of it is there, for this build of the engine."""
    return bool(data()["rules"]) and bool(_expressions(engine))


def expression(key: str, engine: str) -> bytes | None:
    """Return the compiled form of an expression, of this very build of the engine; None where it has none."""
    return _expressions(engine).get(key)


@cache
def _expressions(engine: str) -> Mapping[str, bytes]:
    body = kept_bytes(EXPRESSIONS, engine)
    try:
        return {} if body is None else msgpack.decode(body, type=dict[str, bytes])
    except DecodeError:  # of another form
        return {}


def encoded(entries_by_kind: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return `data` as JSON; what is of other types than JSON's is left out, and read from its file."""
    same = {
        kind: {name: value for name, value in entries.items() if json.decode(json.encode(value)) == value}
        for kind, entries in entries_by_kind.items()
    }
    return json.encode(same)


def keep_all(
    entries_by_kind: Mapping[str, Mapping[str, Any]], expressions: Mapping[str, bytes], engine: str
) -> None:
    """Keep what was read and compiled."""
    if not in_wheel():
        keep_bytes(DATA, data_state(), encoded(entries_by_kind))
    keep_bytes(EXPRESSIONS, engine, msgpack.encode(dict(expressions)))
    data.cache_clear()
    _expressions.cache_clear()
