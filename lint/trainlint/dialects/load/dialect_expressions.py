# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is wrong with the expressions of a dialect's file, and where: names that no spec has, other types.

Everything here raises PlacedError: a message, and the keys that lead to what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from trainlint.config.schema_errors import expected
from trainlint.dialects.schema.document_expression import expression
from trainlint.errors import PlacedError, RuleError
from trainlint.expressions.cel import Expression, spec_names
from trainlint.expressions.composed import condition, value
from trainlint.model.document import Path
from trainlint.model.spec import UNCOUNTED_FIELD, VOCABULARY

CEL_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "integer": ("INT", "UINT"),
    "float": ("DOUBLE", "INT", "UINT"),
    "string": ("STRING",),
    "boolean": ("BOOL",),
    "list": ("LIST",),
    "dict": ("MAP",),
}
"""The vocabulary's types, and CEL's: one that CEL cannot know (DYN) is checked on every document."""


def check_condition(written: Any, path: Path) -> None:
    """Refuse a condition that does not compile, or names what no spec has."""
    if written is None:
        return
    for inner, text in _texts(written):
        if isinstance(written, str) or _is_condition(inner):
            _compiled(text, (*path, *inner))
    with at_path(path):
        whole = expression(condition(written))
    _expect(whole, "boolean", path)


def check_value(written: Any, path: Path, kind: str | None) -> None:
    """Refuse a value that does not compile, or is of another type than `kind`."""
    if written is None:
        return
    with at_path(path):
        whole = expression(value(written))
    _names(whole, path)
    _expect(whole, kind, path)


def _is_condition(path: Path) -> bool:
    """Say whether a text in a condition is CEL by itself: no key of `has`, no name bound around it."""
    return not set(path) & {"has", "every", "of", "is", "at_least"}


def _compiled(text: str, path: Path) -> None:
    with at_path(path):
        compiled = expression(text)
    _names(compiled, path)
    _expect(compiled, "boolean", path)


def _names(compiled: Expression, path: Path) -> None:
    for name in spec_names(compiled.text):
        if name not in VOCABULARY or name in ("options", UNCOUNTED_FIELD):
            raise PlacedError(f'no spec has "{name}"{expected(name, list(VOCABULARY))}', path)


def _expect(compiled: Expression, kind: str | None, path: Path) -> None:
    returned = compiled.returns.partition("<")[0]
    if kind is not None and returned not in (*CEL_TYPES[kind], "DYN", "NULL_TYPE", "NULL"):
        raise PlacedError(
            f"the expression is of CEL's type {returned}, expected {' or '.join(CEL_TYPES[kind])}", path
        )


def _texts(written: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the texts inside parts, with the keys that lead to them."""
    if isinstance(written, str):
        yield path, written
    elif isinstance(written, Mapping):
        for key, item in written.items():
            yield from _texts(item, (*path, key))
    elif isinstance(written, list):
        for index, item in enumerate(written):
            yield from _texts(item, (*path, index))


@contextmanager
def at_path(path: Path) -> Iterator[None]:
    """Give a RuleError of the block its place: it leaves as a PlacedError."""
    try:
        yield
    except PlacedError:
        raise
    except RuleError as error:
        raise PlacedError(str(error), path) from None
