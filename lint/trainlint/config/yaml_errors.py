# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What PyYAML's error means, in words that say what to do; both loaders' wordings are known."""

from __future__ import annotations

import re

import yaml

from trainlint.config.yaml_loader import Loader
from trainlint.expressions.patterns import later

_TAB = "a tab indents this line; YAML allows only spaces there"
_WORDS: tuple[tuple[str, str], ...] = (
    (r"tab character", _TAB),
    (
        r"mapping values are not allowed",
        'a second ":" on this line, or a line indented further than its neighbours',
    ),
    (r"could not find expected ':'", 'expected ":" after the key "{name}"'),
    (r"undefined alias", 'the alias "{name}" has no anchor "&{bare}" before it'),
    (r"second occurrence", 'the anchor "{name}" is defined twice'),
    (
        r"flow sequence.*expected ',' or '\]'",
        'expected "," or "]": the list opened in line {context} is not closed',
    ),
    (
        r"flow mapping.*expected ',' or '\}'",
        'expected "," or "}}": the mapping opened in line {context} is not closed',
    ),
    (r"quoted scalar.*(end of stream|document separator)", "this quote is never closed"),
    (
        r"unknown escape",
        'an unknown escape in a double-quoted text: write "\\\\" for a backslash, or use single quotes',
    ),
    (r"directive", 'a line starting with "%" is a YAML directive: quote the value'),
    (r"document start", 'text after the end of the document: expected "---" before another one'),
    (r"scanning a tag|parsing a tag|tag handle", "a malformed tag"),
)
_CANNOT_START = later(r"cannot start any token")
_NAME = later(r"[*&]?[^\s,\[\]{}]*")


_AT_ITS_START = later(r"simple key|quoted scalar.*(end of stream|document separator)")
_IN_BRACKETS = later(r"flow sequence.*expected ','")
_NEXT_KEY = later(r"[ \t]*[\w-]+:(?=\s)[^\]\n]*$", re.MULTILINE)
"""A line that begins with a key: what is open before it was not meant to go on."""


_BLOCK = later(r"block (mapping|collection|sequence).*(expected key|<block end>|'-' indicator)")
_NOTHING_FOLLOWS = later(r"flow node.*(expected node content|expected the node content)")
_OPEN = {yaml.FlowSequenceStartToken: "list", yaml.FlowMappingStartToken: "mapping"}
_CLOSE = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)


def _said(error: yaml.MarkedYAMLError) -> str:
    return f"{error.context or ''} {error.problem or ''}"


def never_closed(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str] | None:
    """Return (character, kind) of the innermost bracket that is open where the text ends; None elsewhere."""
    if not _NOTHING_FOLLOWS.search(_said(error)):
        return None
    stopped = error.problem_mark.index if error.problem_mark else len(text)
    if text[stopped:].strip():
        return None
    opened: list[tuple[int, str]] = []
    for token in yaml.scan(text, Loader):
        if type(token) in _OPEN:
            opened.append((token.start_mark.index, _OPEN[type(token)]))
        elif isinstance(token, _CLOSE) and opened:
            opened.pop()
    return opened[-1] if opened else None


def late_quote(error: yaml.MarkedYAMLError, text: str) -> tuple[int, int] | None:
    """Return where a quote is and the next one, lines below, after which text goes on; None elsewhere."""
    stopped = error.problem_mark.index if error.problem_mark else len(text)
    if not _BLOCK.search(_said(error)):
        return None
    for token in yaml.scan(text, Loader):
        if token.start_mark.index >= stopped:
            break
        if isinstance(token, yaml.ScalarToken) and token.style in ("'", '"'):
            opened, closed = token.start_mark.index, token.end_mark.index - 1
            if "\n" in text[opened:closed] and "\n" not in text[closed:stopped]:
                return opened, closed
    return None


def place_of(error: yaml.MarkedYAMLError, text: str) -> int:
    """Return the character to point at: where the unfinished thing began, else where parsing stopped."""
    problem = _said(error)
    stopped = min(error.problem_mark.index, len(text)) if error.problem_mark else len(text)
    unfinished = bool(_AT_ITS_START.search(problem)) or not text[stopped:].strip()
    if _IN_BRACKETS.search(problem):
        unfinished = _NEXT_KEY.match(text, text.rfind("\n", 0, stopped) + 1) is not None
    return error.context_mark.index if error.context_mark and unfinished else stopped


def in_plain_words(error: yaml.MarkedYAMLError, text: str, offset: int, context: int) -> str:
    """Say in trainlint's own words what is wrong at `offset`; `context` is the line where it began."""
    problem = _said(error)
    char = text[offset : offset + 1]
    if _CANNOT_START.search(problem):
        return _TAB if char == "\t" else f'a value cannot start with "{char}": quote it'
    match = _NAME.match(text, offset)
    name = match.group() if match else ""
    if _BLOCK.search(problem):
        if text[text.rfind("\n", 0, offset) + 1 : offset].strip(" -?"):
            return "text after the end of a value: quote all of it, or nothing"
        return f"this line's indentation fits none of the lines above (the block starts in line {context})"
    for pattern, words in _WORDS:
        if re.search(pattern, problem):
            return words.format(name=name, bare=name.lstrip("*&"), context=context)
    return re.sub(r"^(found|did not find|expected)", r"\1", (error.problem or "syntax error").lower())
