# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""YAML 1.1 as PyYAML's FullLoader reads it, with the place of every key and value; nothing is executed.

The C loader composes nodes when it is there; `yaml_nodes` turns them into values. Limits are checked on the
event stream first, because composing recurses in C and crashes the process on deep nesting.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from trainlint.config.yaml_loader import Loader
from trainlint.config.yaml_nodes import Walk
from trainlint.errors import TemplateError, TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import DOCUMENTS, MOST_LEVELS, MOST_VALUES_READ, alias_budget
from trainlint.model.document import Document, Source

_LEADING = later(r"^[ \t?:-]+", re.MULTILINE)
MOST_READ_TWICE = 100_000
"""Characters of a text that is tried again: the loader in Python takes 1 s for them."""
_TEMPLATE = later(r"%[A-Za-z_]\w*%")


def parse_yaml(source: Source) -> tuple[Document, ...]:
    """Read every document of a YAML text.

    Raises UnreadableError with line and column for a syntax error, an unknown tag, an alias bomb or an
    empty file; TemplateError for an option template with `%name%` holes; TooLargeError past the limits.
    """
    notes = ("holds %name% template holes",) if _TEMPLATE.search(source.text) else ()
    documents: list[Document] = []
    budget = alias_budget()
    nodes = _compose(source)
    if len(nodes) > DOCUMENTS:
        raise TooLargeError(f"holds more than {DOCUMENTS:,} documents: split it")
    meta = {"second": _separator(source.text, nodes[1])} if len(nodes) > 1 else {}
    for index, node in enumerate(nodes):
        walk = Walk(source, budget)
        value = walk.root(node)
        if value is None and node.start_mark.index == node.end_mark.index:
            continue  # nothing between two "---"
        duplicates = tuple(walk.duplicates)
        documents.append(
            Document(
                source, value, walk.places(), "yaml", index, duplicates=duplicates, notes=notes, meta=meta
            )
        )
    if not documents:
        raise UnreadableError("is empty: expected keys and their values", 1, 1)
    return tuple(documents)


def _separator(text: str, node: yaml.Node) -> int:
    """Return where the "---" before a document is."""
    return max(text.rfind("---", 0, node.start_mark.index + 3), 0)


def _compose(source: Source) -> list[yaml.Node]:
    """Build the node graph of every document, limits checked first."""
    text = source.text
    try:
        _check_limits(source)
        return list(yaml.compose_all(text, Loader))
    except yaml.reader.ReaderError as error:
        match = yaml.reader.Reader.NON_PRINTABLE.search(text)
        offset = match.start() if match else 0
        raise UnreadableError(
            f"not valid YAML: the control character U+{ord(text[offset]):04X} is not allowed",
            *source.position(offset),
        ) from error
    except yaml.MarkedYAMLError as error:
        if nodes := _composed_in_python(text):
            return nodes
        raise _syntax_error(source, error) from error


def _composed_in_python(text: str) -> list[yaml.Node]:
    """Return what PyYAML's loader in Python makes of a text: `{0:[1]}`, which the one in C refuses."""
    if len(text) > MOST_READ_TWICE:
        return []
    try:
        return list(yaml.compose_all(text, yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return []


def _syntax_error(source: Source, error: yaml.MarkedYAMLError) -> UnreadableError:
    text = source.text
    from trainlint.config.yaml_errors import in_plain_words, late_quote, never_closed, place_of  # noqa: PLC0415 - of what is no YAML

    bracket = never_closed(error, text)
    offset = bracket[0] if bracket else place_of(error, text)
    line, column = source.position(offset)
    if any(_TEMPLATE.search(source.line(number)) for number in (line - 1, line)):
        return TemplateError("is an option template (%name% is filled in later), not read", line, column)
    if bracket:
        return UnreadableError(
            f"not valid YAML: the {bracket[1]} opened in line {line} is not closed", line, column
        )
    if quote := late_quote(error, text):
        closed, _ = source.position(quote[1])
        return UnreadableError(
            f"not valid YAML: this quote ends in line {closed}, before other text: close it on its line",
            *source.position(quote[0]),
        )
    context = source.position(error.context_mark.index)[0] if error.context_mark else line
    return UnreadableError(f"not valid YAML: {in_plain_words(error, text, offset, context)}", line, column)


def _check_limits(source: Source) -> None:
    """Refuse deep nesting and data files, in one cheap look for any ordinary config."""
    text = source.text
    flow = text.count("[") + text.count("{")
    column = max(map(len, _LEADING.findall(text)), default=0)
    # A block collection is deeper than its parent, but for a list under its key: two levels a column.
    if flow + 2 * (column + 1) <= MOST_LEVELS and len(text) <= MOST_VALUES_READ:
        return
    depth = values = 0
    for event in yaml.parse(text, Loader):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            values += 1
            depth += isinstance(event, yaml.CollectionStartEvent)
        if depth > MOST_LEVELS:
            offset = event.start_mark.index if event.start_mark else 0
            raise UnreadableError(
                f"is nested more than {MOST_LEVELS} levels deep, which no config is", *source.position(offset)
            )
        if values > MOST_VALUES_READ:
            raise TooLargeError(f"holds more than {MOST_VALUES_READ:,} values, which no training config does")


def safe_load(text: str) -> Any:
    """Return what a file of trainlint's own holds, without its places; ValueError where it is no YAML."""
    try:
        return yaml.load(text, Loader)  # noqa: S506  # a safe one by another name
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
