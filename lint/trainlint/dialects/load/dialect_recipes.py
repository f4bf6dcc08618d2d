# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the recipes that a dialect names exist; a user's own may come with `--networks`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as File
from typing import Any, Final

from msgspec import Struct

from trainlint.catalogue.zoo import generated_tables
from trainlint.catalogue.zoo.builders import constants
from trainlint.catalogue.zoo.file_check import check_dialects, check_tables
from trainlint.catalogue.zoo.packages import RECIPES, Package, listed, own, packages
from trainlint.dialects.schema.dialect import ANNOTATION
from trainlint.dialects.schema.schema_walk import Schema, placed_schemas
from trainlint.errors import PlacedError
from trainlint.expressions.patterns import later
from trainlint.model.document import Path

FIELD: Final = "recipe"

_PIECE = later(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"]""")
"""A text inside an expression, or any other character."""


class KnownRecipes(Struct, frozen=True):
    """The recipes that a dialect may name: those of packages, and of the user's own files.

    Where it is the user's `own`, `--networks` may bring those of another trainer than these are of.
    """

    packages: Sequence[Package]
    networks: Sequence[File] = ()
    own: bool = False

    def refused(self, name: str, dialect: str) -> bool:
        """Say whether a dialect names a recipe that there is not."""
        if generated_tables.recipe(name) is not None or name in self.listed():
            return False
        if not self.own:
            return True
        trainer = name.partition(".")[0]
        trainers = {listed.partition(".")[0] for listed in self.listed()}
        return trainer in trainers and (bool(self.networks) or trainer != dialect)

    def listed(self) -> Sequence[str]:
        """Return the names that the files list now."""
        packaged = [name for package in self.packages for _, name, _ in generated_tables.recipes(package)]
        return [
            *packaged,
            *(name for file in listed(self.networks) for name in constants(file).get("RECIPES", ())),
        ]


def known_recipes(where: Sequence[File] | str) -> KnownRecipes:
    """Return what a dialect may name that is "shipped", "brought" by a package, or the user's own.

    For that, `where` are the files and folders of recipes that the user named.
    """
    if isinstance(where, str):
        return KnownRecipes([own()] if where == "shipped" else packages())
    return KnownRecipes(packages(), where, own=True)


def check_recipes(schema: Schema, known: KnownRecipes) -> None:
    """Refuse a recipe, written out, that there is not: PlacedError."""
    for written, path in _places(schema):
        for name in results(written):
            if known.refused(name, schema[ANNOTATION]["id"]):
                _check_brought(known)
                from trainlint.catalogue.zoo.file_slip import meant  # noqa: PLC0415 - of what is wrong alone

                wanted = meant(name, known.listed()) or f": expected one of {own().folder}/*/recipes"
                raise PlacedError(f'there is no recipe "{name}"{wanted}', path)


def _check_brought(known: KnownRecipes) -> None:
    """Refuse a slip of a package's recipe, for which its dialect finds none of the name: UsageError."""
    for package in known.packages:
        if package != own():
            check_tables(package, RECIPES)
            check_dialects(package.files(RECIPES), [package.folder / "schemas"])


def results(written: Any) -> Iterator[str]:
    """Yield the texts that an expression may return as written: it is one, or chooses between several."""
    outer, depth = [], 0
    for piece in _PIECE.findall(written) if isinstance(written, str) else ():
        depth -= piece in ")]}"
        if depth == 0:
            outer.append("\n" if piece in "?:" else piece)
        depth += piece in "([{"
    for arm in "".join(outer).split("\n") if "+" not in outer else ():
        text = arm.strip()
        if _PIECE.fullmatch(text) and len(text) > 1:
            yield text[1:-1]


def _places(schema: Schema) -> Iterator[tuple[Any, Path]]:
    """Yield each expression that fills the field, and the keys that lead to it."""
    for path, part in placed_schemas(schema):
        entries = part.get("x-spec", ())
        several = isinstance(entries, list)
        for index, entry in enumerate(entries if several else (entries,)):
            if isinstance(entry, Mapping) and entry.get("field") == FIELD:
                yield entry.get("value"), (*path, "x-spec", *((index,) if several else ()), "value")
    notes = schema[ANNOTATION]
    for index, entry in enumerate(notes.get("derive", ())):
        if entry["field"] == FIELD:
            yield entry.get("value"), (ANNOTATION, "derive", index, "value")
    for index, entry in enumerate(notes.get("variants", ())):
        if FIELD in entry.get("set", {}):
            yield entry["set"][FIELD], (ANNOTATION, "variants", index, "set", FIELD)
