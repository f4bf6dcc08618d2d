# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`pip install torch...` lines in a file with training commands: the versions that they let in.

Lines are found wherever they begin with pip: scripts, code blocks, notebook cells, a page's Dockerfiles.
Comments and prose are not read. One look at each line; nothing is resolved against an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.expressions.patterns import later
from trainlint.model.document import Install, Release, Source, Span

_LINE = later(
    r"^[ \t]*\"?(?:(?:[$>!%]|[-*+]|RUN|sudo|uv|call)[ \t]*)*"
    r"(?:(?:python|py)[\d.]*[ \t]+-m[ \t]+)?pip[\d.]*[ \t]+install\b((?:[^\n\\]|\\\r?\n|\\(?!n))*)",
    re.MULTILINE,
)
_TORCH = later(
    r"(?<![\w./+-])([\"']?)torch(?:\[[\w,-]*\])?[ \t]*"
    r"((?:(?:===?|~=|[<>]=?|!=)[ \t]*[\w.*+]+,?[ \t]*)*)(?![\w.-])"
)
_CLAUSE = later(r"(===?|~=|[<>]=?)[ \t]*(\d{1,9})(?!\d|\.\d{10})(?:\.(\d+))?(\.[\w*]+)?")
_CUDA = later(r"(?:whl/(?:nightly/|test/)?|\+)cu(\d{2})(\d)\b")
_PINS = frozenset(("==", "===", "<="))


def installs_of(source: Source) -> tuple[Install, ...]:
    """Return the lines of a file that install torch, in order."""
    return tuple(_installs(source)) if "torch" in source.text and "pip" in source.text else ()


def install_lines(source: Source) -> Iterator[re.Match[str]]:
    """Yield the lines of a file that install something, what they install as the first group."""
    yield from _LINE.finditer(source.text)


def _installs(source: Source) -> Iterator[Install]:
    for line in install_lines(source):
        match = _TORCH.search(source.text, line.start(1), line.end(1))
        if match is None:
            continue
        quote, clauses = match.group(1), match.group(2)
        oldest, newest = bounds_of(clauses)
        cuda = _CUDA.search(line.group(1))
        text = match.group().strip("\"' \t,")
        start = match.start() + len(quote)
        yield Install(
            text,
            Span(start, start + len(text)),
            oldest,
            newest,
            f"{cuda.group(1)}.{cuda.group(2)}" if cuda else "",
            redirected=not quote and ("<" in clauses or ">" in clauses),
        )


def bounds_of(clauses: str) -> tuple[Release | None, Release | None]:
    """Return the oldest and the newest release that a requirement's clauses allow, as far as they say."""
    oldest = newest = None
    for operator, major, minor, patch in _CLAUSE.findall(clauses):
        release = (int(major), int(minor or 0))
        if operator in ("==", "===", ">=", ">", "~="):
            oldest = release
        if operator in _PINS or (operator == "~=" and patch):
            newest = release
        elif operator == "<":
            newest = release if patch.strip(".0") else _before(release)
    return oldest, newest


def _before(release: Release) -> Release:
    """Return the last release below one (of an earlier major version, any minor)."""
    major, minor = release
    return (major, minor - 1) if minor else (major - 1, 999)
