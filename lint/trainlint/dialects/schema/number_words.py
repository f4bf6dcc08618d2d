# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers that the trainer's loader reads as strings, and those that argparse makes of texts.

PyYAML follows YAML 1.1: a float has a dot, and its exponent a sign. `1e-4`, `5e3` and `2.0e4` are strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from trainlint.dialects.schema.check_budget import LEAF_TYPES
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Path

BARE_EXPONENT = later(r"[+-]?(\d[\d_]*(\.\d*)?|\.\d+)[eE][+-]?\d+")
NUMERAL = later(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
NUMBER_STARTS = frozenset("+-.0123456789")
CONTAINER_TYPES = (dict, list, tuple)
LOADERS = ("pyyaml", "msgspec")
"""Loaders with YAML 1.1's floats (msgspec's YAML goes through PyYAML)."""


def bare_exponent(document: Document, path: Path, value: Any, loader: str) -> bool:
    """Return whether a string is in the file as an unquoted number with a bare exponent."""
    if loader not in LOADERS or document.format != "yaml" or not isinstance(value, str):
        return False
    return (
        bool(BARE_EXPONENT.fullmatch(value))
        and path in document.places
        and document.raw(path).strip() == value
    )


def resolved(document: Document) -> Document:
    """Return a document with bare exponents as numbers, as a loader with a float resolver reads them."""
    return replace(document, value=_resolved(document, (), document.value))


def _resolved(document: Document, path: Path, value: Any) -> Any:
    """Return a value with its numbers; the same one where it has none, of which more is known by then."""
    if isinstance(value, Mapping):
        resolved = {key: _resolved(document, (*path, key), item) for key, item in value.items()}
        return value if all(resolved[key] is item for key, item in value.items()) else resolved
    if isinstance(value, list):
        items = [_resolved(document, (*path, index), item) for index, item in enumerate(value)]
        return value if all(item is before for item, before in zip(items, value, strict=True)) else items
    return float(value) if bare_exponent(document, path, value, LOADERS[0]) else value


def as_float(text: str) -> str:
    """Return the number as YAML 1.1 reads it: 1e-4 -> 1.0e-4, 5e3 -> 5.0e+3."""
    mantissa, exponent = re.split("[eE]", text)
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent if exponent[0] in '+-' else '+' + exponent}"


def as_integer(text: str) -> str | None:
    """Return the number in digits where it is whole and short: 5e3 -> 5000."""
    mantissa, exponent = re.split("[eE]", text)
    if not re.fullmatch(r"[+-]?\d+", mantissa) or not 0 <= int(exponent) <= 12:  # noqa: PLR2004 - a legible numeral
        return None
    return mantissa + "0" * int(exponent)


def bare(document: Document, loader: str) -> Iterator[tuple[Path, str]]:
    """Yield (path, string) for each number with a bare exponent in the file, to its loader a string."""
    for path, text in _strings(document) if loader in LOADERS else ():
        if text[:1] in NUMBER_STARTS and bare_exponent(document, path, text, loader):
            yield path, text


def bare_floats(document: Document) -> Iterator[tuple[Path, str]]:
    """Yield (path, text) for each number at the top of a file that has a bare exponent there."""
    for key, value in document.value.items():
        if type(value) is float and (key,) in document.places:
            text = document.raw((key,)).strip()
            if BARE_EXPONENT.fullmatch(text) and text != as_float(text):
                yield (key,), text


def plain_words(document: Document, word: str) -> Iterator[tuple[Path, str]]:
    """Yield (path, string) for each value that is this word, without quotes around it."""
    for path, text in _strings(document):
        if text == word and path in document.places and document.raw(path).strip() == word:
            yield path, text


def _strings(document: Document) -> Iterator[tuple[Path, str]]:
    stack: list[tuple[Path, Any]] = [((), document.value)]
    while stack:
        path, held = stack.pop()
        for key, item in held.items() if isinstance(held, Mapping) else enumerate(held):
            kind = type(item)
            if kind is str:
                yield (*path, key), item
            elif kind not in LEAF_TYPES and isinstance(item, CONTAINER_TYPES):
                stack.append(((*path, key), item))


def as_number(types: Iterable[str], text: str) -> int | float | None:
    """Return the number that argparse makes of a text, for a flag of these types; None where it is none."""
    made = (_number(text, _MAKERS[kind]) for kind in types if kind in _MAKERS)
    return next((number for number in made if number is not None), None)


_MAKERS: Mapping[str, Callable[[str], int | float]] = {"integer": int, "number": float}


def _number(text: str, make: Callable[[str], int | float]) -> int | float | None:
    try:
        return make(text)
    except ValueError:
        return None
