# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Walking a JSON Schema along with the document it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from trainlint.dialects.schema.check_budget import LEAF_TYPES
from trainlint.expressions.cel import REMEMBERED_CHARACTERS, matches
from trainlint.model.document import Path

MAPPING_TYPES: Final = (dict, Mapping)
"""For isinstance, which asks in order: what is no dict takes ten times as long."""
COMPOSING_KEYWORDS: Final = frozenset(("$ref", "allOf", "if", "anyOf", "oneOf"))
"""Keywords by which other schemas speak about the same value."""
EMPTY_MAPPING: Final[Mapping[str, Any]] = {}

Schema = Mapping[str, Any]
Valid = Callable[[Schema, Any], bool]


def resolve(root: Schema, reference: str) -> Schema:
    """Return the subschema that a local reference ("#/$defs/loss") points at; KeyError if there is none."""
    node: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")] if part else node
    target: Schema = node
    return target


def applicable(root: Schema, schema: Any, value: Any, valid: Valid) -> list[Schema]:
    """Return the schema and all in it that speaks about this value: $ref, allOf, branches that hold."""
    if not isinstance(schema, MAPPING_TYPES):
        return []
    schemas = [schema]
    if COMPOSING_KEYWORDS.isdisjoint(schema):
        return schemas
    if "$ref" in schema:
        schemas += applicable(root, resolve(root, schema["$ref"]), value, valid)
    for part in schema.get("allOf", ()):
        schemas += applicable(root, part, value, valid)
    if "if" in schema:
        branch = "then" if valid(schema["if"], value) else "else"
        schemas += applicable(root, schema.get(branch), value, valid)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if valid(part, value):
            schemas += applicable(root, part, value, valid)
    return schemas


def members(schema: Schema, value: Any) -> list[tuple[str | int, Schema]]:
    """Return (key or index, subschema) for the parts of a value that one schema object describes."""
    if type(value) in LEAF_TYPES:
        return []
    if isinstance(value, MAPPING_TYPES):
        if OF_KEYS.isdisjoint(schema):
            return []
        if (
            not isinstance(schema.get("additionalProperties"), MAPPING_TYPES)
            and "patternProperties" not in schema
        ):
            properties = schema.get("properties", EMPTY_MAPPING)
            return [(key, properties[key]) for key in value if key in properties]
        return [(key, part) for key in value for part in _of_key(schema, key)]
    if isinstance(value, list | tuple) and isinstance(schema.get("items"), Mapping):
        return [(index, schema["items"]) for index in range(len(value))]
    return []


def covered(schema: Schema, key: Any) -> bool:
    """Return whether a schema object speaks of a key by its name or by a pattern."""
    return key in schema.get("properties", EMPTY_MAPPING) or bool(_by_pattern(schema, key))


OF_KEYS: Final = frozenset(("properties", "patternProperties", "additionalProperties"))
"""Keywords that speak of a mapping's keys."""


def _of_key(schema: Schema, key: Any) -> Iterator[Schema]:
    properties = schema.get("properties", EMPTY_MAPPING)
    if key in properties:
        yield properties[key]
    if "patternProperties" in schema:
        for _, part in _by_pattern(schema, key):
            yield part
    rest = schema.get("additionalProperties")
    if isinstance(rest, MAPPING_TYPES) and not covered(schema, key):
        yield rest


_MATCHED: Final[dict[tuple[int, str], tuple[Schema, tuple[tuple[str, Schema], ...]]]] = {}
"""The parts of `patternProperties`, known by identity, that speak of a key: files have keys in common."""

KEPT_MATCHES: Final = 4_000


def _by_pattern(schema: Schema, key: Any) -> tuple[tuple[str, Schema], ...]:
    patterns = schema.get("patternProperties")
    if not patterns or not isinstance(key, str):
        return ()
    known = _MATCHED.get((id(patterns), key))
    if known is not None and known[0] is patterns:
        return known[1]
    matching = tuple((pattern, part) for pattern, part in patterns.items() if matches(pattern, key))
    if len(key) <= REMEMBERED_CHARACTERS:
        if len(_MATCHED) >= KEPT_MATCHES:
            _MATCHED.clear()
        _MATCHED[id(patterns), key] = patterns, matching
    return matching


def mappings(root: Schema, schema: Schema, depth: int) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Yield (path, subschema) for a schema and its properties, `depth` levels deep, references followed."""
    if "$ref" in schema:
        yield from mappings(root, resolve(root, schema["$ref"]), depth)
    yield (), schema
    for key, part in schema.get("properties", {}).items() if depth else ():
        for path, inner in mappings(root, part, depth - 1):
            yield (key, *path), inner


def subschemas(schema: Any) -> Iterator[Schema]:
    """Yield every schema object inside a schema, itself first."""
    if isinstance(schema, MAPPING_TYPES):
        yield schema
        for item in schema.values():
            if type(item) not in LEAF_TYPES:  # most are
                yield from subschemas(item)
    elif isinstance(schema, list):
        for item in schema:
            if type(item) not in LEAF_TYPES:
                yield from subschemas(item)


SCHEMA_MAPPINGS = ("properties", "patternProperties", "$defs", "dependentSchemas")
"""Keywords of a schema that hold schemas by name."""

SINGLE_SCHEMAS = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SCHEMA_HOLDERS: Final = frozenset((*SCHEMA_MAPPINGS, *SINGLE_SCHEMAS, *SCHEMA_LISTS))


def placed_schemas(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Yield every schema object inside a schema with the keys that lead to it, itself first.

    Unlike `subschemas` it enters only what holds schemas: no defaults, no enums, no annotations.
    """
    if not isinstance(schema, MAPPING_TYPES):
        return
    yield path, schema
    if SCHEMA_HOLDERS.isdisjoint(schema):
        return
    for word in SCHEMA_MAPPINGS:
        for name, part in _items(schema.get(word, EMPTY_MAPPING)):
            yield from placed_schemas(part, (*path, word, name))
    for word in SINGLE_SCHEMAS:
        if word in schema:
            yield from placed_schemas(schema[word], (*path, word))
    for word in SCHEMA_LISTS:
        held = schema.get(word)
        for index, part in enumerate(held if isinstance(held, list) else ()):
            yield from placed_schemas(part, (*path, word, index))


def _items(held: Any) -> Iterator[tuple[str, Any]]:
    yield from held.items() if isinstance(held, MAPPING_TYPES) else ()


def kinds(part: Schema) -> tuple[str, ...]:
    """Return the JSON types that a value may have, "string" where nothing says."""
    kind = part.get("type", "string")
    return (kind,) if isinstance(kind, str) else tuple(kind)


def described(root: Schema, value: Any, path: Path, valid: Valid) -> list[Schema]:
    """Return the subschemas that speak about the value at `path`, or about a key that is not there."""
    parts = applicable(root, root, value, valid)
    for step in path:
        inner = _get(value, step)
        schemas = [part for outer in parts for part in _at(outer, value, step)]
        parts = [part for schema in schemas for part in applicable(root, schema, inner, valid)]
        value = inner
    return parts


def _at(schema: Schema, value: Any, step: str | int) -> list[Schema]:
    if isinstance(value, list | tuple):
        return [schema["items"]] if isinstance(schema.get("items"), Mapping) else []
    return [part for part in _of_key(schema, step) if isinstance(part, Mapping)]


def _get(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None
