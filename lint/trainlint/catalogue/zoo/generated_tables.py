# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The zoo's networks and recipes in tables that are made of its files, and save the parsing of most of them.

A wheel has them; in a checkout they are kept until a file of the zoo changes. `withdrawn.json`, which is
its own alone, keeps the signatures of networks whose files may not be shipped.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from trainlint.catalogue.zoo import builders
from trainlint.catalogue.zoo.network_signature import Location, Param, Signature
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES, Package, own
from trainlint.shipped.kept_data import kept_text, may_keep

SIGNATURES: Final = "signatures.json"
RECIPE_PLACES: Final = "recipes.json"
_DECODER: Final = json.JSONDecoder()
DIGITS: Final = 16
"""Hexadecimal digits of a file's digest: it distinguishes versions of one file."""


def find(name: str) -> tuple[Location, Signature] | None:
    """Return a network of the zoo from the table; None where it has none, or the file was changed since."""
    row = _row(SIGNATURES, name)
    file = None if row is None else _unchanged(row)
    if row is None or file is None:
        return None
    place = Location(file, row["name"], row.get("defaults", {}), row.get("lacking", ()))
    return place, read(name, row)


def recipe(name: str) -> tuple[Path, str] | None:
    """Return a recipe's (file, class) from the table; None as for `find`."""
    row = _row(RECIPE_PLACES, name)
    file = None if row is None else _unchanged(row)
    return None if row is None or file is None else (file, row["name"])


def _unchanged(row: Mapping[str, Any]) -> Path | None:
    """Return a row's file, None where it is not as it was when the table was written."""
    file = own().folder / row["file"]
    return file if file.is_file() and _digest(file) == row["digest"] else None


def read(arch: str, row: Mapping[str, Any]) -> Signature:
    """Return the signature that a row of a table says."""
    return Signature(arch, {name: _param(name, param) for name, param in row["params"].items()}, row["open"])


def tables() -> Mapping[str, str]:
    """Return the tables as the zoo's files are now: names of files in its folder -> texts."""
    return {SIGNATURES: _signatures(), RECIPE_PLACES: _recipe_places()}


def _signatures() -> str:
    return _written(_now(own()))


def _recipe_places() -> str:
    package = own()
    return _written((name, {**_of(file, package), "name": place}) for file, name, place in recipes(package))


def recipes(package: Package) -> Iterator[tuple[Path, str, str]]:
    """Yield (file, name, class) of each recipe that a package's files list now."""
    for file in package.files(RECIPES):
        for name, class_name in builders.constants(file).get("RECIPES", {}).items():
            yield file, name, class_name


def _written(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows, key=itemgetter(0)))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _of(file: Path, package: Package) -> dict[str, Any]:
    return {"file": file.relative_to(package.folder).as_posix(), "digest": _digest(file)}


def row_of(signature: Signature) -> dict[str, Any]:
    """Return a signature as a row has it."""
    return {"open": signature.open, "params": {name: _said(p) for name, p in signature.params.items()}}


def _now(package: Package) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in package.files(NETWORKS):
        for name in builders.names(file):
            place = builders.location(file, name)
            if place is None:
                continue
            row = {**_of(file, package), "name": place.name}
            if place.defaults or place.lacking:
                row |= {"defaults": dict(place.defaults), "lacking": list(place.lacking)}
            yield name, row | row_of(builders.constructor(name, file, place.name))


def _said(param: Param) -> list[Any]:
    """Return [annotation] of an argument that is required, else its default, and if that is no literal."""
    annotation = None if param.annotation is None else ast.unparse(param.annotation)
    if param.required:
        return [annotation]
    return [annotation, param.default] if param.readable else [annotation, None, "unreadable"]


def _param(name: str, fields: list[Any]) -> Param:
    annotation = None if fields[0] is None else _expression(fields[0])
    if len(fields) == 1:
        return Param(name, annotation, required=True)
    return Param(name, annotation, fields[1], readable=len(fields) == 2)  # noqa: PLR2004 - a third says that it is not


@cache
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@cache
def _row(table: str, name: str) -> Mapping[str, Any] | None:
    """Return what a table says of a name: each has a line of its own (`_written`), and few are asked for."""
    begin = f"\n{json.dumps(name)}: "
    begins = text(table).find(begin)
    if begins < 0:
        return None
    row: Mapping[str, Any] = _DECODER.raw_decode(text(table), begins + len(begin))[0]
    return row


@cache
def text(table: str) -> str:
    """Return a table; an empty one, after which each file is read for itself, where none can be kept."""
    file = own().folder / table
    if file.is_file():
        return file.read_text(encoding="utf-8")
    make = _signatures if table == SIGNATURES else _recipe_places
    return kept_text((own().folder,), f"zoo-{table}", make) if may_keep() else ""


@cache
def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()[:DIGITS]
