# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The files of dialects: `X.json`, a JSON Schema, and `X.yaml` next to it for those that say much.

The YAML file holds keys of `x-trainlint` (recognise, form, skip, derive, variants), one expression to a line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Raw, Struct, to_builtins
from msgspec.structs import replace

from trainlint.config.yaml import parse_yaml, safe_load
from trainlint.dialects.schema.asked_keys import keyless
from trainlint.dialects.schema.dialect import ANNOTATION, SIGNS, Dialect, parse_dialect
from trainlint.errors import PlacedError, RuleError, UnreadableError
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document, Source
from trainlint.model.document import Path as Keys
from trainlint.shipped import compiled
from trainlint.shipped.compiled import ShippedSchema
from trainlint.shipped.extensions import brought
from trainlint.shipped.kept_data import checked_once
from trainlint.shipped.resource_paths import resource

ANNOTATED = f'"{ANNOTATION}"'
"""What every dialect's file has."""
UNCHECKED_FILE_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError, RuleError, UnreadableError)
"""What a file that no one checked may raise."""

RecipePlaces = Sequence[Path] | Literal["shipped", "brought"]
"""Where the recipes are that a dialect may name: the zoo, also packages, also files that the user named."""


def load_dialects(extra: Sequence[Path] = (), networks: Sequence[Path] = ()) -> tuple[Dialect, ...]:
    """Load the dialects that trainlint ships, those of installed extensions, and those of `extra`.

    `extra` are files or folders, `networks` those that may have the recipes which they name. One that comes
    later replaces a shipped one of its id. Raises RuleError with file, line and what was expected; shipped
    files are checked the same way, in a checkout whenever they changed.
    """
    dialects: dict[str, Dialect] = {}
    with checked_once("schemas") as unchecked:
        for path in _files((resource("schemas"),)):
            dialect = load_dialect(path, "shipped", checked=unchecked)
            dialects[dialect.id] = dialect
    loaded = {**dialects, **_together(brought("schemas"), "brought"), **_together(extra, networks)}.values()
    return tuple(replace(dialect, networks=tuple(networks)) for dialect in loaded) if networks else (*loaded,)


def _together(places: Sequence[Path], recipes: RecipePlaces) -> dict[str, Dialect]:
    """Load the dialects of files or folders, in which no id may come twice."""
    dialects: dict[str, Dialect] = {}
    own: dict[str, Path] = {}
    for place in filter(Path.is_dir, places):
        from trainlint.files.nested_files import nested  # noqa: PLC0415  # for dialects that are not ours

        if lost := nested(place, ".json", ANNOTATED, places):
            raise RuleError(lost)
    for path in _files(places):
        dialect = load_dialect(path, recipes)
        if dialect.id in own:
            raise RuleError(f'{path}: the dialect "{dialect.id}" is in {own[dialect.id]} already')
        own[dialect.id] = path
        dialects[dialect.id] = dialect
    return dialects


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        yield from _schemas(place) if place.is_dir() else (place,)


def _schemas(folder: Path) -> Sequence[Path]:
    """Return a folder's schemas. Raises RuleError where there are none, or a YAML file is next to none."""
    names = sorted(os.listdir(folder))  # noqa: PTH208 - a glob would compile a pattern, and names sort quicker
    schemas = [folder / name for name in names if name.endswith(".json")]
    for path in [folder / name for name in names if name.endswith((".yaml", ".yml"))]:
        if path.suffix == ".yml":
            raise RuleError(f'{path}: expected the name to end in .yaml, as "{path.stem}.yaml"')
        if path.with_suffix(".json") not in schemas:
            raise RuleError(f'{path}: expected the schema that it belongs to next to it, "{path.stem}.json"')
    if not schemas:
        raise RuleError(f'no dialects in "{folder}": expected files ID.json in it')
    return schemas


def load_dialect(path: Path, recipes: RecipePlaces = (), *, checked: bool = True) -> Dialect:
    """Load one dialect. Raises RuleError with file, line and what was expected.

    What is not `checked` is believed to be right, and still named where it is not.
    """
    if not checked:
        try:
            return parse_dialect(compiled.data().schemas.get(path.stem) or whole_schema(path))
        except UNCHECKED_FILE_ERRORS:
            pass  # read again below, to say what is wrong where
    from trainlint.config.jsonc import parse_json  # noqa: PLC0415  # not for what was checked before

    companion = path.with_suffix(".yaml")
    files = DialectFiles(
        _read(path, parse_json), _read(companion, parse_yaml) if companion.exists() else None
    )
    try:
        return files.dialect(path.stem, recipes)
    except PlacedError as error:
        raise RuleError(f"{files.located(error.path)}: {error}") from None
    except UNCHECKED_FILE_ERRORS as error:
        raise RuleError(f"{path}: {error}") from None


def whole_schema(path: Path) -> Mapping[str, Any]:
    """Return a shipped dialect as it is written in its files."""
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    companion = path.with_suffix(".yaml")
    if companion.exists():
        parts = safe_load(companion.read_text(encoding="utf-8"))
        schema[ANNOTATION] = {**schema[ANNOTATION], **parts}
    return schema


def kept_schema(schema: Mapping[str, Any]) -> ShippedSchema:
    """Return a dialect's schema as it is kept: what recognises it is CEL by then."""
    signs = {key: schema[ANNOTATION][key] for key in SIGNS}
    known = None
    if when := parse_dialect(schema).recognition.when:
        signs["recognise"] = {**signs["recognise"], "when": when}
        known = to_builtins(keyless(when, tuple(signs["formats"])))
    return ShippedSchema(signs, Raw(json.dumps(schema).encode()), known)


class DialectFiles(Struct, frozen=True):
    """A dialect's schema and what lies next to it, as read: they know the line of everything in them."""

    main: Document
    companion: Document | None

    def dialect(self, name: str, recipes: RecipePlaces) -> Dialect:
        """Return the dialect. Raises PlacedError, and RuleError where the whole file is meant."""
        from trainlint.dialects.load.dialect_check import check_companion, check_schema, check_shape  # noqa: PLC0415  # not for what was checked before
        from trainlint.dialects.load.dialect_meaning import check_meaning  # noqa: PLC0415  # as above
        from trainlint.dialects.load.dialect_recipes import check_recipes, known_recipes  # noqa: PLC0415  # as above

        schema = self.main.value
        if not isinstance(schema, Mapping) or ANNOTATION not in schema:
            raise PlacedError(f'not a dialect: expected a mapping with "{ANNOTATION}" at its root', ())
        for document in filter(None, (self.main, self.companion)):
            for twice in document.duplicates:
                raise PlacedError("it is written twice in one mapping", self._inner(document, twice.path))
        if self.companion is not None:
            check_companion(self.companion.value, schema[ANNOTATION])
            schema = {**schema, ANNOTATION: {**schema[ANNOTATION], **self.companion.value}}
        check_schema(schema)
        check_shape(schema)
        check_meaning(schema)
        check_recipes(schema, known_recipes(recipes))
        dialect = parse_dialect(schema)
        if dialect.id != name:
            raise PlacedError(
                f'the dialect is called "{dialect.id}", expected "{name}" as the file is', (ANNOTATION, "id")
            )
        return dialect

    def located(self, path: Keys) -> str:
        """Return "file:line" of a place in the whole schema."""
        inner = path[1:]
        if self.companion is not None and path[:1] == (ANNOTATION,) and inner[:1] in self.companion.places:
            return self.companion.located(inner)
        return self.main.located(path)

    def _inner(self, document: Document, path: Keys) -> Keys:
        return (ANNOTATION, *path) if document is self.companion else path


def _read(path: Path, parse: Callable[[Source], tuple[Document, ...]]) -> Document:
    """Read a file of a dialect, bounded in all that it may cost."""
    try:
        documents = parse(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except UnreadableError as error:
        line = f":{error.line}" if error.line else ""
        raise RuleError(f"{path}{line}: {error}") from None
    except OSError as error:
        raise RuleError(f"cannot read the dialect {path}: {error}") from None
    if len(documents) != 1:
        raise RuleError(f"{path} holds {len(documents)} documents, expected one")
    return documents[0]
