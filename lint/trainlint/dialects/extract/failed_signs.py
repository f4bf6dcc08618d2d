# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Why a document is not read as a dialect: the signs of it that the document lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainlint.dialects.extract.recognise import matches_file, recognise, scope_of
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.document_expression import DocumentScope, evaluate
from trainlint.expressions.patterns import later
from trainlint.model.document import Document

MOST_SHOWN = 6
"""Names that are listed of those that would do."""
_COUNTED = later(r"\(?\[(?P<signs>.*)\]\.filter\(sign, sign\)\.size\(\) >= (?P<least>\d+|\(.*?\))\)?")
"""What {at_least: .., of: [..]} becomes (expressions/composed.py)."""
_KEY_THERE, _KEY = later(r"'([^']*)' in flat"), r"\1"


def failed_signs(document: Document, dialect: Dialect, dialects: Sequence[Dialect]) -> Iterator[str]:
    """Yield what keeps a document from being read as a dialect; nothing where it is read so."""
    signs = dialect.recognition
    if not isinstance(document.value, Mapping):
        yield "it is not a mapping"
        return
    if document.format not in dialect.formats:
        yield f"it is {document.format}, expected {' or '.join(dialect.formats)}"
        return
    wanted = signs.scripts if document.format == "command" else signs.files
    if not matches_file(document, dialect):
        yield f"no name matches: expected {_few(wanted)}"
    if signs.when is not None:
        scope = scope_of(document)
        for part in conjuncts(signs.when):
            if evaluate(part, scope) is not True:
                yield from _unmet(part, scope)
    recognised = recognise(document, dialects)
    if recognised is not None and recognised.id != dialect.id:
        yield f"it is read as {recognised.id}, whose signs it has"


def _unmet(part: str, scope: DocumentScope) -> Iterator[str]:
    """Yield a condition that does not hold; of one that counts signs, which are there and which are not."""
    counted = _COUNTED.fullmatch(part)
    if counted is None:
        yield f"not so: {part}"
        return
    signs = list(split(counted["signs"], ","))
    there = [sign for sign in signs if evaluate(sign, scope) is True]
    yield f"{len(there)} of the {evaluate(counted['least'], scope)} signs that it takes"
    yield from (f"  there: {_KEY_THERE.sub(_KEY, sign)}" for sign in there)
    yield from (f"  not there: {_KEY_THERE.sub(_KEY, sign)}" for sign in signs if sign not in there)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"{', '.join(names[:MOST_SHOWN])}{more}" if names else 'a "when"'


def conjuncts(expression: str) -> Iterator[str]:
    """Yield the parts of an expression that all have to hold; itself where one of several has to."""
    if any(expression.startswith("||", place) for place in _outside(expression)):
        yield expression.strip()
        return
    yield from split(expression, "&&")


def split(expression: str, sign: str) -> Iterator[str]:
    """Yield the parts of an expression between signs that stand outside of quotes and brackets."""
    start = 0
    for place in _outside(expression):
        if expression.startswith(sign, place):
            yield expression[start:place].strip()
            start = place + len(sign)
    yield expression[start:].strip()


def _outside(expression: str) -> Iterator[int]:
    """Yield the places outside of quotes and brackets."""
    depth, quote = 0, ""
    for place, char in enumerate(expression):
        if quote:
            quote = "" if char == quote and expression[place - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        else:
            depth += (char in "([{") - (char in ")]}")
            if not depth:
                yield place
