# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the recipes that a shipped dialect names exist; any other's may come with `--networks`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.errors import PlacedError
from trainlint.normalise.dialect import ANNOTATION
from trainlint.normalise.schema import Schema, placed_schemas
from trainlint.patterns import later
from trainlint.read.document import Path
from trainlint.zoo import table
from trainlint.zoo.packages import own
from trainlint.zoo.slip import meant

FIELD: Final = "recipe"

_PIECE = later(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"]""")
"""A text inside an expression, or any other character."""


def check_recipes(schema: Schema) -> None:
    """Refuse a recipe, written out, that no file of the zoo lists: PlacedError."""
    for written, path in _places(schema):
        for name in results(written):
            if table.recipe(name) is not None:
                continue
            known = [listed for _, listed, _ in table.recipes(own())]
            if name not in known:
                wanted = meant(name, known) or f": expected one of {own().folder}/*/recipes"
                raise PlacedError(f'there is no recipe "{name}"{wanted}', path)


def results(written: Any) -> Iterator[str]:
    """Yield the texts that an expression may return as they stand: it is one, or chooses between several."""
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
        said = part.get("x-spec", ())
        several = isinstance(said, list)
        for index, entry in enumerate(said if several else (said,)):
            if isinstance(entry, Mapping) and entry.get("field") == FIELD:
                yield entry.get("value"), (*path, "x-spec", *((index,) if several else ()), "value")
    notes = schema[ANNOTATION]
    for index, entry in enumerate(notes.get("derive", ())):
        if entry["field"] == FIELD:
            yield entry.get("value"), (ANNOTATION, "derive", index, "value")
    for index, entry in enumerate(notes.get("variants", ())):
        if FIELD in entry.get("set", {}):
            yield entry["set"][FIELD], (ANNOTATION, "variants", index, "set", FIELD)
