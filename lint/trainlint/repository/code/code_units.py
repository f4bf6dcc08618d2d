# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The functions and methods of a Python text, each with a digest of its code; nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from trainlint.expressions.patterns import later

DIGEST_BYTES: Final = 4
"""Bytes of a digest: who forges one deceives trainlint about their own tree."""
_EDGE: Final = later(r"(?m)^( {0,4}|\t)(?![ \t#)\]}\n])(?:(?:async )?(def|class) (\w+)|(@)|)")
"""A line that is indented no deeper than a method, and closes no bracket."""
_ASIDE: Final = later(r"(?m)^[ \t]*(?:#.*)?\n|(?<![ \t])[ \t]+$")
_DOCSTRING: Final = later(
    r'(:[ \t]*\n)[ \t]*[rf]?(?:"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:.*?)\'\'\')[ \t]*\n'
)
OF_FIELDS: Final = later(
    r"(?m)^@(?:dataclasses\.)?dataclass\b|^class \w+\([^)]{0,400}\b(?:BaseModel|\w*Config)\b"
)
"""Classes whose attributes are settings: dataclasses, and pydantic's."""
_HEAD: Final = later(r"(?s).*?\bclass \w+[^:]*:|.*")
NOT_RUN: Final = later(
    r"(?:\w+\.)?(?:add_\w*arg(?:ument)?s?|parse_args|setup_parser|verify_\w+|print_\w+|read_config\w*"
    r"|\w*(?:metadata|model_card|huggingface|hub|wandb|logger)\w*)"
)
"""Names of functions that take arguments, write headers and logs, or upload: no step depends on them."""


class Unit(NamedTuple):
    """A function, method, the head and attributes of a class, or what is set: `name` is "Class.method".

    `acts`: it changes or calls something where it is, so that no version need have its name.
    """

    name: str
    line: int
    digest: bytes
    acts: bool = False


def units(text: str) -> Iterator[Unit]:
    """Yield what a text defines at its top level, and in the classes there."""
    text = text.replace("\r\n", "\n") + "\n"
    edges = [(match.start(), bool(match[1]), match) for match in _EDGE.finditer(text)]
    within, start, counted, line = "", -1, 0, 1
    for place, (edge, indented, match) in enumerate(edges):
        if not indented:
            within = ""
        start = edge if start < 0 else start
        if match[4]:  # a decorator is a part of what follows
            continue
        if match[3] and (within or not indented):
            name = f"{within}.{match[3]}" if indented else match[3]
            within = match[3] if match[2] == "class" and not indented else within
            if NOT_RUN.fullmatch(name) is None:
                line, counted = line + text.count("\n", counted, edge), edge
                code = text[start : _end_of(edges, place, text)]
                if match[2] == "class" and OF_FIELDS.search(code):  # whose fields are settings, one by one
                    code = _HEAD.match(code)[0]  # type: ignore[index]
                yield Unit(name, line, digest(name, code))
        start = -1


def _end_of(edges: Sequence[tuple[int, bool, re.Match[str]]], place: int, text: str) -> int:
    """Return where a unit ends: a class's head at its first method, another at what is no deeper."""
    _, indented, match = edges[place]
    for following in range(place + 1, len(edges)):
        edge, deeper, inner = edges[following]
        if not deeper or indented or (match[2] == "class" and (inner[3] or inner[4])):
            return edge
    return len(text)


def digest(name: str, code: str) -> bytes:
    """Return the digest of a unit: comments, blank lines and docstrings are none of it."""
    code = _ASIDE.sub("", _DOCSTRING.sub(r"\1", code))
    return sha256(f"{name}\0{code}".encode("utf-8", "replace")).digest()[:DIGEST_BYTES]


def named(name: str) -> bytes:
    """Return the digest by which a table has a name alone."""
    return sha256(name.encode("utf-8", "replace")).digest()[:DIGEST_BYTES]
