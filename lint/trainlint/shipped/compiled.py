# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules, schemas, hardware and expressions, read and compiled once for all later runs.

A wheel has all of it, made when it was built: the data as JSON, and expressions in the form of the engine
that was there, which are used where this very version is installed. In a checkout, and with another engine,
they are kept in the user's cache: the data with a digest of its files' states, and when a run ends the
expressions that it compiled. A form stands under the expression's whole text and the types of its variables:
one that was never kept is compiled as any other. Only what trainlint ships is kept, nothing of a tree that
is linted.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, Final

from msgspec import DecodeError, Raw, Struct, json, msgpack
from msgspec.structs import replace

from trainlint.shipped.kept_data import data_state, in_wheel, keep_bytes, kept_bytes
from trainlint.shipped.resource_paths import PACKAGE

DATA, EXPRESSIONS = "data", "expressions"
BUILT_DATA: Final = PACKAGE / "shipped.json"
BUILT_FORMS: Final = PACKAGE / "expressions.msgpack"
"""In a wheel: what `data` returns; the version of an engine in a line, then its forms of the expressions."""


class ShippedSchema(Struct, frozen=True, dict=True):
    """A dialect's schema: `signs` tell it from others, `text` is decoded where a file speaks it.

    `keyless` is what its recognising expression is of a document without the keys that it asks for.
    """

    signs: Mapping[str, Any]
    text: Raw
    keyless: Mapping[str, Any] | None = None

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The whole of it."""
        schema: Mapping[str, Any] = json.decode(self.text)
        return schema


class Shipped(Struct, frozen=True):
    """What trainlint ships: file's stem -> what is in it, and the keys of all expressions in them."""

    rules: Mapping[str, Any] = {}
    schemas: Mapping[str, ShippedSchema] = {}
    tables: Mapping[str, Any] = {}
    expressions: frozenset[str] = frozenset()


@cache
def data() -> Shipped:
    """Return what is shipped; empty before it is kept."""
    content = BUILT_DATA.read_bytes() if in_wheel() else kept_bytes(DATA, data_state())
    try:
        return json.decode(content, type=Shipped) if content else Shipped()
    except DecodeError:  # kept by another revision, in another form
        return Shipped()


def encoded(shipped: Shipped) -> bytes:
    """Return what is shipped as JSON; what is of other types than JSON's is read from its file."""
    rules, tables = (
        {name: value for name, value in entries.items() if is_plain(value)}
        for entries in (shipped.rules, shipped.tables)
    )
    return json.encode(replace(shipped, rules=rules, tables=tables))


def is_plain(value: Any) -> bool:
    """Return whether a value is the same once it was JSON."""
    return bool(json.decode(json.encode(value)) == value)


def keep_data(shipped: Shipped) -> None:
    """Keep what was read of a checkout."""
    keep_bytes(DATA, data_state(), encoded(shipped))
    data.cache_clear()


def expression(key: str, engine: str) -> bytes | None:
    """Return the compiled form of an expression, of this version of the engine; None where it has none."""
    return _forms(engine).get(key)


@cache
def _forms(engine: str) -> Mapping[str, bytes]:
    return _built(engine) or _decoded(kept_bytes(EXPRESSIONS, engine))


def _built(engine: str) -> Mapping[str, bytes]:
    """Return the forms that came with a wheel, none where they are another engine's."""
    if not in_wheel():
        return {}
    version, _, body = BUILT_FORMS.read_bytes().partition(b"\n")
    return _decoded(body) if version == engine.encode() else {}


def _decoded(body: bytes | None) -> Mapping[str, bytes]:
    try:
        return {} if body is None else msgpack.decode(body, type=dict[str, bytes])
    except DecodeError:  # of another form
        return {}


def built_forms(forms: Mapping[str, bytes], engine: str) -> bytes:
    """Return the compiled forms as a wheel has them."""
    return engine.encode() + b"\n" + msgpack.encode(forms)


_compiled: Final[dict[str, Callable[[], bytes]]] = {}
"""Expressions that this run compiled: key -> what returns the form."""


def note(key: str, form: Callable[[], bytes], engine: str) -> None:
    """Note an expression that had to be compiled: a shipped one is kept when the process ends."""
    if not _compiled:
        atexit.register(keep_noted, engine)
    _compiled[key] = form


def keep_noted(engine: str) -> None:
    """Add the shipped expressions among the noted ones to those that are kept, by this run and by others."""
    shipped = data().expressions
    made = {key: form() for key, form in _compiled.items() if key in shipped}
    _compiled.clear()
    atexit.unregister(keep_noted)
    if made:
        before = _decoded(kept_bytes(EXPRESSIONS, engine))
        kept = {key: form for key, form in before.items() if key in shipped} | made
        keep_bytes(EXPRESSIONS, engine, msgpack.encode(kept))
        _forms.cache_clear()
