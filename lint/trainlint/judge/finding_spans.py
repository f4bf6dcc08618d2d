# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a finding points: spans of the file for paths of the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trainlint.config.value_by_path import dig
from trainlint.judge.rule_scope import Scope
from trainlint.model.document import Document, Path, Span


def span_at(document: Document, path: Path, *, on_key: bool = False) -> Span:
    """Return the value at `path`, or its key where the value is a block; else the nearest key written."""
    place = document.nearest(path)
    block = path not in document.places or _is_block(document, path)
    if place.key is not None and (on_key or block):
        return place.key
    return _first_line(document, place.value) if block else place.value


def spans_of(scope: Scope, names: Iterable[str]) -> tuple[Span, ...]:
    """Return the spans of several names, each once: values that are written, then where defaults would be.

    What has no key to point at is left out where something else has; the document's first line comes last.
    """
    names = tuple(names)
    if any(name.startswith("install.") for name in names) and scope.document.installs:
        return tuple(line.span for line in scope.document.installs)
    paths = [path for name in names for path in scope.paths(name)[:1]]
    written = [path for path in paths if path in scope.document.places and path]
    near = [path for path in paths if path not in written and _has_key(scope.document, path)]
    spans = dict.fromkeys(span_at(scope.document, path) for path in (*written, *near))
    return tuple(spans) or (span_at(scope.document, ()),)


def _has_key(document: Document, path: Path) -> bool:
    """Return whether some mapping around an unwritten value has a key of its own."""
    return document.nearest(path).key is not None


def _is_block(document: Document, path: Path) -> bool:
    return isinstance(dig(document.value, path), Mapping) or "\n" in document.raw(path) or not path


def _first_line(document: Document, span: Span) -> Span:
    """Shorten a whole document (or a list's item) to the line it starts on."""
    end = document.source.text.find("\n", span.start, span.end)
    return Span(span.start, len(document.source.text[: end if end >= 0 else span.end].rstrip()))
