# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a key or a value being typed could be, by the dialect's schema and the networks' signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from trainlint.catalogue.signature import architectures, signature
from trainlint.dialects import Dialect
from trainlint.dialects.schema.check_budget import start
from trainlint.dialects.schema.schema_walk import Schema, described, members, resolve
from trainlint.editor.schema_markdown import description_of, literal
from trainlint.editor.typing_probe import CompletionPlace
from trainlint.model.document import Path

ARCH: Final = "networks.generator.arch"
ARCHES: Final = (ARCH, "networks.discriminator.arch")
MOST_NESTED_SCHEMAS: Final = 20
"""References and alternatives of a schema that are followed one inside the other."""


class Offer(Struct, frozen=True):
    """One completion: what is inserted, what is shown with it."""

    text: str
    detail: str = ""
    words: str = ""
    key: bool = False


def offers(asked: CompletionPlace, dialect: Dialect) -> tuple[Offer, ...]:
    """Return what fits at a place, each text once, by name."""
    start()
    offered = _keys(asked, dialect) if asked.key else _values(asked, dialect)
    once = {offer.text: offer for offer in reversed(tuple(offered))}
    return tuple(sorted(once.values(), key=lambda offer: offer.text))


def _keys(asked: CompletionPlace, dialect: Dialect) -> Iterator[Offer]:
    present = _at(asked.value, asked.path)
    present = present if isinstance(present, dict) else {}
    parts = described(dialect.schema, asked.value, asked.path, dialect.valid)
    arch = present.get("type")
    network = _network(parts, dialect) and isinstance(arch, str) and signature(dialect.id, arch)
    for name, param in network.params.items() if network else ():
        if name not in present:
            yield Offer(name, param.expected, f"argument of {arch}", key=True)
    for part in parts:
        for name, inner in part.get("properties", {}).items():
            if name not in present and isinstance(inner, dict):
                flat = tuple(_flat(dialect.schema, inner))
                yield Offer(name, _type(flat), description_of(flat), key=True)


def _values(asked: CompletionPlace, dialect: Dialect) -> Iterator[Offer]:
    if not asked.path:
        return
    *parent, key = asked.path
    outer = described(dialect.schema, asked.value, tuple(parent), dialect.valid)
    parts = [inner for part in outer for name, inner in members(part, _only(key)) if name == key]
    flat = [schema for part in parts for schema in _flat(dialect.schema, part)]
    if any(_fills(dialect, part, ARCHES) for part in flat):
        yield from (Offer(name, "network") for name in architectures(dialect.id))
    for part in flat:
        values = [*part.get("enum", ()), *([part["const"]] if "const" in part else [])]
        values += [True, False] if part.get("type") == "boolean" else []
        values += [part["default"]] if "default" in part else []
        yield from (
            Offer(
                literal(value), "default" if value == part.get("default", ...) else "", description_of([part])
            )
            for value in values
            if not isinstance(value, dict | list)
        )


def _is_default(part: Schema, value: Any) -> str:
    return "default" if "default" in part and part["default"] == value else ""


def _only(key: str | int) -> Any:
    return {key: None} if isinstance(key, str) else [None] * (key + 1)


def _network(parts: list[Schema], dialect: Dialect) -> bool:
    """Return whether a mapping's key `type` names a network."""
    inner = (part.get("properties", {}).get("type") for part in parts)
    return any(
        _fills(dialect, schema, ARCHES)
        for part in inner
        if isinstance(part, dict)
        for schema in _flat(dialect.schema, part)
    )


def _fills(dialect: Dialect, part: Schema, fields: tuple[str, ...]) -> bool:
    return any(binding.field in fields for binding in dialect.bindings(part))


def _flat(root: Schema, schema: Any, depth: int = MOST_NESTED_SCHEMAS) -> Iterator[Schema]:
    """Yield a schema and all its alternatives, whether or not the value that is there satisfies them."""
    if not isinstance(schema, dict) or not depth:
        return
    yield schema
    inner = [resolve(root, schema["$ref"])] if "$ref" in schema else []
    for part in (
        *inner,
        *(alternative for word in ("allOf", "anyOf", "oneOf") for alternative in schema.get(word, ())),
    ):
        yield from _flat(root, part, depth - 1)


def _type(parts: tuple[Schema, ...]) -> str:
    kinds = (part.get("type") for part in parts)
    return next((kind if isinstance(kind, str) else " or ".join(kind) for kind in kinds if kind), "")


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
