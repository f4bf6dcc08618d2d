# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a dialect would fail, or be taken for something else, on some document, and where it is.

Everything here raises PlacedError: a message, and the keys that lead to what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema.protocols import Validator

from trainlint.config.schema_errors import expected, shown
from trainlint.dialects.load.dialect_expressions import at_path, check_condition, check_value
from trainlint.dialects.schema.binding import OPTIONS_PREFIX, Binding, bindings, terms
from trainlint.dialects.schema.check_budget import start
from trainlint.dialects.schema.closed_objects import unlisted
from trainlint.dialects.schema.dialect import ANNOTATION
from trainlint.dialects.schema.document_expression import DocumentScope, evaluate
from trainlint.dialects.schema.schema_bounds import target
from trainlint.dialects.schema.schema_walk import Schema, placed_schemas
from trainlint.dialects.schema.strict_schema import strict_validator
from trainlint.dialects.schema.typed_fields import typed
from trainlint.errors import PlacedError, RuleError
from trainlint.expressions.cel import spec_names
from trainlint.expressions.composed import condition, value
from trainlint.model.document import Path
from trainlint.model.spec import VOCABULARY

SCHEMA_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "integer": ("integer", "number"),
    "float": ("number", "integer"),
    "string": ("string",),
    "boolean": ("boolean",),
    "list": ("array",),
    "dict": ("object",),
}
"""The vocabulary's types, and the types of values that they take (5e3 is 5000 iterations)."""

NOT_READ: Final = ("prefixItems", "contains", "not", "if", "propertyNames", "dependentSchemas")
"""Keywords whose schemas check a value and fill nothing: what walks a document does not enter them."""


def check_meaning(schema: Schema) -> None:
    """Refuse what would only fail, or be taken for something else, on some document."""
    validator = strict_validator()(schema)
    start()  # it may cost as much as a document
    for path, part in placed_schemas(schema):
        _part(schema, part, path)
        _default(validator, part, path)
    notes = schema[ANNOTATION]
    check_condition(notes["recognise"].get("when"), (ANNOTATION, "recognise", "when"))
    _recognition(notes["recognise"])
    if "form" in notes:
        check_condition(notes["form"]["when"], (ANNOTATION, "form", "when"))
    for index, entry in enumerate(notes.get("skip", ())):
        check_condition(entry["when"], (ANNOTATION, "skip", index, "when"))
    for index, entry in enumerate(notes.get("derive", ())):
        _derivation(entry, (ANNOTATION, "derive", index))
    _keys(schema)
    _order(schema)
    names: list[str] = []
    for index, entry in enumerate(notes.get("variants", ())):
        if entry["name"] in names:
            message = f'"{entry["name"]}" is the name of a variant already'
            raise PlacedError(message, (ANNOTATION, "variants", index, "name"))
        names.append(entry["name"])
        _variant(schema, entry, (ANNOTATION, "variants", index))


def _keys(schema: Schema) -> None:
    """Refuse a key that a sign or a derivation names, and that no document has."""
    notes = schema[ANNOTATION]
    named = [
        ((ANNOTATION, "recognise", "when", *path), key)
        for path, key in _signs(notes["recognise"].get("when"))
    ]
    for index, entry in enumerate(notes.get("derive", ())):
        here = (ANNOTATION, "derive", index)
        named += [((*here, "at", inner), key) for inner, key in enumerate(entry.get("at", ()))]
        named += [((*here, "when", *path), key) for path, key in _signs(entry.get("when"))]
    for path, key in named:
        if message := unlisted(schema, key):
            raise PlacedError(message, path)


def _order(schema: Schema) -> None:
    """Refuse a derivation that reads a field which only later ones fill: it would find it absent."""
    entries = schema[ANNOTATION].get("derive", ())
    filled = {binding.field for _, part in placed_schemas(schema) for binding in bindings(part)}
    filled.update(field for entry in schema[ANNOTATION].get("variants", ()) for field in entry.get("set", {}))
    first = {entry["field"]: index for index, entry in reversed([*enumerate(entries)])}
    for index, entry in enumerate(entries):
        written = value(entry["value"]) if "value" in entry else ""
        for name in spec_names(written):
            if name not in filled and first.get(name, 0) > index:
                raise PlacedError(
                    f'"{name}" is derived later: expected it before this one',
                    (ANNOTATION, "derive", index, "value"),
                )


def _signs(written: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the keys without which a condition cannot hold."""
    if isinstance(written, list):
        for index, part in enumerate(written):
            yield from _signs(part, (*path, index))
    elif isinstance(written, Mapping):
        for word, part in written.items():
            if word == "has" and isinstance(part, str):
                yield (*path, word), part
            elif word == "all":
                yield from _signs(part, (*path, word))


def _recognition(notes: Mapping[str, Any]) -> None:
    """Refuse a sign that the mapping without any key bears: every file would be of this dialect."""
    if "when" not in notes or "files" in notes or "scripts" in notes:
        return
    file = {"path": "", "folder": "", "format": "", "script": "", "starter": ""}
    if evaluate(condition(notes["when"]), DocumentScope({}, {}, file)) is True:
        raise PlacedError(
            "a config without any key would be recognized: expected a key that only this trainer's have",
            (ANNOTATION, "recognise", "when"),
        )


def _part(root: Schema, part: Schema, path: Path) -> None:
    """Check one schema's annotations: what they fill, and what they refer to."""
    _required(part, path)
    _unread(part, path)
    for word in ("x-spec", "x-uncounted"):
        for inner, entry in _several(part.get(word, ())):
            _annotation(part, entry, (*path, word, *inner))
    names = part.get("x-names", {}).get("names")
    with at_path((*path, "x-names", "names")):
        if names is not None and "enum" not in target(root, names):
            raise RuleError(f'"{names}" has no "enum" that lists the names')


def _required(part: Schema, path: Path) -> None:
    """Refuse a required key that a closed object does not list: every document would be wrong."""
    listed = part.get("properties", {})
    if part.get("additionalProperties") is not False or "patternProperties" in part:
        return
    for index, key in enumerate(part.get("required", ())):
        if key not in listed:
            raise PlacedError(
                f'"{key}" is required, and no property{expected(key, list(listed))}',
                (*path, "required", index),
            )


def _unread(part: Schema, path: Path) -> None:
    """Refuse an annotation where no value is looked at for it."""
    for holder in NOT_READ:
        for inner, held in placed_schemas({holder: part[holder]} if holder in part else {}):
            for word in ("x-spec", "x-uncounted"):
                if word in held:
                    message = (
                        f'"{word}" is not read below "{holder}": expected it next to "{holder}", '
                        f'where an expression takes a part ({{"field": ..., "value": "value[0]"}})'
                    )
                    raise PlacedError(message, (*path, *inner, word))


def _default(validator: Validator, part: Schema, path: Path) -> None:
    if "default" not in part:
        return
    default, rest = part["default"], {word: item for word, item in part.items() if word != "default"}
    if default != default:  # noqa: PLR0124  # Python reads NaN in JSON
        raise PlacedError("the default is NaN, which is not JSON: expected a number", (*path, "default"))
    if not validator.evolve(schema=rest).is_valid(default):
        message = f"the default is {shown(default)}, which the schema around it refuses"
        raise PlacedError(message, (*path, "default"))


def _annotation(part: Schema, entry: Any, path: Path) -> None:
    if isinstance(entry, Mapping) and "what" in entry:
        check_condition(entry.get("when"), (*path, "when"))
        with at_path(path):
            tuple(terms({"x-uncounted": entry}))
        return
    with at_path(path):
        (binding,) = bindings({"x-spec": entry})
    place = (*path, "field") if isinstance(entry, Mapping) else path
    kind = _kind(binding.field, place)
    if isinstance(entry, Mapping):
        check_condition(entry.get("when"), (*path, "when"))
        _omitted(part, entry, path)
        check_value(entry.get("role"), (*path, "role"), "string")
        check_value(entry.get("value"), (*path, "value"), None if binding.role else kind)
    _fits(part, binding, kind, place)


def _omitted(part: Schema, entry: Mapping[str, Any], path: Path) -> None:
    """Refuse a key to leave out that the mapping does not list."""
    listed = list(part.get("properties", ()))
    for index, key in enumerate(entry.get("omit", ()) if listed else ()):
        if key not in listed:
            message = f'"{key}" is left out, and no property{expected(key, listed)}'
            raise PlacedError(message, (*path, "omit", index))


def _fits(part: Schema, binding: Binding, kind: str | None, path: Path) -> None:
    """Refuse a property none of whose types its field takes, and a default that its field does not take."""
    if binding.role is not None and kind not in ("list", None):
        raise PlacedError(f'with "role" it is an entry of a list, and "{binding.field}" is not a list', path)
    if kind is None or binding.value is not None or binding.role is not None:
        return
    types = set(_types(part))
    if types and types.isdisjoint(SCHEMA_TYPES[kind]):
        raise PlacedError(
            f'"{binding.field}" is of type {kind}, and the property of type {", ".join(sorted(types))}: '
            'expected the same, or a "value" that turns one into the other',
            path,
        )
    default = part.get("default")
    if default is not None and typed({binding.field: default})[1]:
        raise PlacedError(f'the default is {shown(default)}, and "{binding.field}" is of type {kind}', path)


def _types(part: Schema) -> tuple[str, ...]:
    """Return the types that a schema names, null left out; none where other keywords decide."""
    named = part.get("type", ())
    return tuple(kind for kind in ((named,) if isinstance(named, str) else named) if kind != "null")


def _derivation(entry: Mapping[str, Any], path: Path) -> None:
    kind = _kind(entry["field"], (*path, "field"))
    if ("value" in entry) == ("zip" in entry):
        raise PlacedError(
            f'the derivation of "{entry["field"]}" needs either "value" or "zip"', (*path, "field")
        )
    for index, name in enumerate(entry.get("of", ())):
        _kind(name, (*path, "of", index))
    check_condition(entry.get("when"), (*path, "when"))
    check_value(entry.get("value"), (*path, "value"), kind)
    if isinstance(entry.get("value"), str) and f"spec['{entry['field']}']" in entry["value"]:
        message = (
            f'"{entry["field"]}" is derived from itself, and only where it is absent: it is never filled'
        )
        raise PlacedError(message, (*path, "value"))


def _variant(root: Schema, entry: Mapping[str, Any], path: Path) -> None:
    check_condition(entry.get("when"), (*path, "when"))
    for field, item in entry.get("set", {}).items():
        check_value(item, (*path, "set", field), _kind(field, (*path, "set", field)))
    with at_path((*path, "schema")):
        if "schema" in entry:
            target(root, entry["schema"])


def _kind(field: str, path: Path) -> str | None:
    """Return the type of a field; None for an option, which may be of any."""
    if field.startswith(OPTIONS_PREFIX):
        if field == OPTIONS_PREFIX:
            raise PlacedError(f'"{OPTIONS_PREFIX}" has no name: expected {OPTIONS_PREFIX}<name>', path)
        return None
    if field not in VOCABULARY:
        raise PlacedError(
            f'unknown field "{field}"{expected(field, list(VOCABULARY))} (or options.<name>)', path
        )
    return VOCABULARY[field]


def _several(written: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(written, list | tuple):
        yield from (((index,), entry) for index, entry in enumerate(written))
    else:
        yield (), written
