# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a dialect's files have the shape that docs/dialects.md gives them, and where they do not.

Everything here raises PlacedError: a message, and the keys that lead to what it is about.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path as File
from typing import Any, Final

from jsonschema import Draft202012Validator, SchemaError

from trainlint.config.schema_errors import expected, hold, shown
from trainlint.dialects.load.dialect_expressions import at_path
from trainlint.dialects.schema.dialect import ANNOTATION
from trainlint.dialects.schema.schema_bounds import check_bounded, part_checks
from trainlint.dialects.schema.schema_walk import Schema, placed_schemas
from trainlint.errors import PlacedError, RuleError
from trainlint.files.glob_patterns import GLOB_EXAMPLE, is_glob

SHAPES: Final = json.loads(File(__file__).with_name("dialect.schema.json").read_text(encoding="utf-8"))

READ_BY: Final = {"json": ("json", "toml", "env"), "slashed-json": ("json",), "toml": ("toml",)}
"""Formats of the loaders of files: a trainer that reads JSON may take the same options in another file."""

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
"""The JSON Schema that dialects are written in."""
KEYWORDS: Final = (
    "$schema", "$id", "$ref", "$defs", "$comment", "title", "description", "default", "examples",
    "deprecated", "readOnly", "writeOnly", "type", "enum", "const", "properties", "patternProperties",
    "additionalProperties", "propertyNames", "required", "dependentRequired", "dependentSchemas",
    "minProperties", "maxProperties", "items", "prefixItems", "contains", "minContains", "maxContains",
    "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "format", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "allOf", "anyOf", "oneOf", "not",
    "if", "then", "else",
)  # fmt: skip
"""Keywords of JSON Schema (draft 2020-12) that a dialect may use."""

TYPES: Final = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))


def check_companion(parts: Any, notes: Any) -> None:
    """Refuse a YAML file next to a schema that holds something else, or what the schema says: PlacedError."""
    hold(_validator("companion"), parts, (ANNOTATION,))
    for key in parts:
        if isinstance(notes, Mapping) and key in notes:
            raise PlacedError(
                f'"{key}" is in the JSON file already: expected in one of the two', (ANNOTATION, key)
            )


def check_schema(schema: Schema) -> None:
    """Refuse what is no JSON Schema, and what is unbounded in cost: PlacedError, or RuleError."""
    if schema.get("$schema", DRAFT) not in (DRAFT, f"{DRAFT}#"):
        raise PlacedError(f'"$schema" is {shown(schema["$schema"])}, expected "{DRAFT}"', ("$schema",))
    try:
        for path, part in placed_schemas(schema):
            for keys, check in part_checks(schema, part):
                with at_path((*path, *keys)):
                    check()
        check_bounded(schema)
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        path = tuple(error.absolute_path)
        if path and "type" in path[-2:] and isinstance(error.instance, str):
            raise PlacedError(_no_type(error.instance), path) from None
        if path[-1:] == ("type",) and isinstance(error.instance, list):
            wrong = next((kind for kind in error.instance if kind not in TYPES), error.instance)
            raise PlacedError(_no_type(wrong), path) from None
        raise PlacedError(f"not JSON Schema: {error.message}", path) from None
    except RecursionError:
        raise RuleError("is nested too deep to be checked") from None


def _no_type(written: Any) -> str:
    return f'"type" is {shown(written)}{expected(str(written), sorted(TYPES))}'


def check_shape(schema: Schema) -> None:
    """Refuse annotations that no one reads, and those of another shape than docs/dialects.md says.

    Raises PlacedError.
    """
    hold(_validator("root"), schema[ANNOTATION], (ANNOTATION,))
    _loader(schema[ANNOTATION])
    _recognition(schema[ANNOTATION])
    known = [*SHAPES["$defs"]["part"]["properties"], *sorted(KEYWORDS)]
    for path, part in placed_schemas(schema):
        for word in part:
            if word not in known:
                kind = "annotation" if word.startswith("x-") else "keyword"
                near = [name for name in known if name.startswith("x-") == word.startswith("x-")]
                raise PlacedError(f'unknown {kind} "{word}"{expected(word, near)}', (*path, word))
        hold(_validator("part"), {word: item for word, item in part.items() if word.startswith("x-")}, path)
        if "x-takes" in part and "command" not in schema[ANNOTATION]["formats"]:
            message = '"x-takes" counts the words of a command: expected "command" in "formats"'
            raise PlacedError(message, (*path, "x-takes"))


def _recognition(notes: Mapping[str, Any]) -> None:
    """Refuse a command that no script's name recognizes, and globs that match no file."""
    if "command" in notes["formats"] and "scripts" not in notes["recognise"]:
        raise PlacedError(
            'a command is recognized by its script: expected "scripts" in "recognise"',
            (ANNOTATION, "formats"),
        )
    for key in ("files", "scripts"):
        for index, glob in enumerate(notes["recognise"].get(key, ())):
            if not is_glob(glob):
                message = f"{shown(glob)} matches no file: expected {GLOB_EXAMPLE}"
                raise PlacedError(message, (ANNOTATION, "recognise", key, index))


def _loader(notes: Mapping[str, Any]) -> None:
    """Refuse formats that the trainer's loader does not read."""
    loader = notes["loader"]
    for index, name in enumerate(notes["formats"]):
        if name not in READ_BY.get(loader, (name,)):
            message = f'the loader "{loader}" reads no {name}: expected "{loader}" alone, or another loader'
            raise PlacedError(message, (ANNOTATION, "formats", index))


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SHAPES["$defs"], "$ref": f"#/$defs/{name}"})
