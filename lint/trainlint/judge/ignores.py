# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inline ignores: `# trainlint: ignore[rule] reason` on a line of the finding, or on the line above it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from trainlint.config.value_by_path import dig
from trainlint.expressions.patterns import later
from trainlint.judge.rule import Rule
from trainlint.model.document import Document, Span, once
from trainlint.model.finding import Finding

_COMMENT = later(r"(?:(?<=\s)|^)(?:#|//)\s*trainlint:\s*ignore\b(?:\[([^\]\n]*)\])?[^\n]*", re.MULTILINE)

IGNORE_MARK = "trainlint:"
"""What each of these comments has: to look for a text is quicker than for a pattern."""

IGNORE_FORM = "# trainlint: ignore[rule] reason"
"""How an ignore is written."""

UNUSED_IGNORE_RULE = "unused-ignore"
"""The rule that reports ignores which hide nothing."""


class Ignore(Struct, frozen=True):
    """One comment: the rules it names (none where it is malformed), where it is, and its lines."""

    rules: tuple[str, ...]
    span: Span
    lines: tuple[int, ...]

    def hides(self, finding: Finding, document: Document) -> bool:
        """Return whether a finding has any of its spans on a line of this comment."""
        return finding.rule in self.rules and any(
            first <= line <= last
            for first, last in (_lines(document, span) for span in finding.spans)
            for line in self.lines
        )


@once
def ignores_in(document: Document) -> tuple[Ignore, ...]:
    """Return the ignores that are in a document (in a file of several, those of its own part)."""
    text, part = document.source.text, document.places[()].value
    if IGNORE_MARK not in text:
        return ()
    start = _begin(text, part.start) if document.index else 0
    end = text.find("\n", part.end)
    comments = _COMMENT.finditer(text, start, len(text) if end < 0 else end)
    return tuple(_ignore(document, match) for match in comments if not _in_string(document, match.start()))


def _begin(text: str, offset: int) -> int:
    """Return where the line of a document's beginning starts, or a comment on the line above it."""
    start = text.rfind("\n", 0, offset) + 1
    above = text.rfind("\n", 0, start - 1) + 1 if start else 0
    return above if text[above:start].lstrip().startswith(("#", "//")) else start


def _in_string(document: Document, offset: int) -> bool:
    """Return whether a place in the file is inside a string's own text."""
    return any(
        place.value.start < offset < place.value.end and isinstance(dig(document.value, path), str)
        for path, place in document.places.items()
    )


def _ignore(document: Document, match: re.Match[str]) -> Ignore:
    line, column = document.source.position(match.start())
    alone = not document.source.line(line)[: column - 1].strip()
    rules = tuple(name.strip() for name in (match.group(1) or "").split(",") if name.strip())
    return Ignore(rules, Span(*match.span()), (line, line + 1) if alone else (line,))


def _lines(document: Document, span: Span) -> tuple[int, int]:
    last = max(span.start, span.end - 1)
    return document.source.position(span.start)[0], document.source.position(last)[0]


def unused(
    ignores: Iterable[Ignore], hidden: Sequence[tuple[Ignore, str]], rules: Mapping[str, Rule]
) -> Iterator[tuple[Ignore, str]]:
    """Yield (comment, message) for every rule named in vain.

    A rule that needs a machine may be hidden for another one, so only its name is checked.
    """
    for ignore in ignores:
        if not ignore.rules:
            yield ignore, f'this hides nothing: expected "{IGNORE_FORM}"'
        for name in ignore.rules:
            if name not in rules:
                yield ignore, f'there is no rule "{name}" to ignore'
            elif not rules[name].needs_target and (ignore, name) not in hidden:
                yield ignore, f'"{name}" finds nothing here: the ignore is not needed'
