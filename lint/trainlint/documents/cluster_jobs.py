# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Training commands in files for clusters: tasks of SkyPilot, containers of Kubernetes and Kubeflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainlint.commands.called_scripts import training_commands
from trainlint.commands.scripts import commands_of, numbered
from trainlint.commands.shell.shell import Command, Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.shell.shell_raw import Word
from trainlint.config.extracted_text import Excerpt
from trainlint.files.read_limits import Budget, word_budget
from trainlint.model.document import Document, Path

SKYPILOT_KEYS = frozenset(("resources", "setup", "workdir", "num_nodes", "file_mounts"))
"""Keys of which a SkyPilot task has one, and `run`."""
MOST_NESTING = 12
"""Keys and indices that lead to a container: a Kubeflow job's has eight."""


def with_commands(documents: tuple[Document, ...]) -> tuple[Document, ...]:
    """Return a file's documents, those of a cluster's jobs as the training commands in them."""
    if not any(map(_is_job, documents)):
        return documents
    budget = word_budget()
    return numbered(part for document in documents for part in _commands(document, budget) or (document,))


def _is_job(document: Document) -> bool:
    value = document.value
    return (
        document.format == "yaml"
        and isinstance(value, Mapping)
        and (_is_task(value) or _is_kubernetes(value))
    )


def _is_task(value: Mapping[Any, Any]) -> bool:
    return isinstance(value.get("run"), str) and not SKYPILOT_KEYS.isdisjoint(value)


def _is_kubernetes(value: Mapping[Any, Any]) -> bool:
    return isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str)


def _commands(document: Document, budget: Budget) -> tuple[Document, ...]:
    if not _is_job(document):
        return ()
    shell = Shell(POSIX, budget)
    if _is_task(document.value):
        return tuple(commands_of(_text(document, ("run",)), shell))
    documents: list[Document] = []
    for path, container in _containers(document.value, ()):
        words = [
            word for key in ("command", "args") for word in _words(document, (*path, key), container.get(key))
        ]
        budget.spend(len(words))
        if words:
            command = Command(tuple(words), start=words[0].start, end=words[-1].end)
            documents += training_commands(Excerpt.of(document.source), command)
    return tuple(documents)


def _containers(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the containers below a value, each with its path."""
    if len(path) > MOST_NESTING:
        return
    items = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in items:
        if key == "containers" and isinstance(inner, list):
            yield from (
                ((*path, key, index), part) for index, part in enumerate(inner) if isinstance(part, Mapping)
            )
        else:
            yield from _containers(inner, (*path, key))


def _words(document: Document, path: Path, values: Any) -> Iterator[Word]:
    for index, value in enumerate(values if isinstance(values, list) else ()):
        place = document.places.get((*path, index))
        if place is not None:
            text, (start, end) = str(value), (place.value.start, place.value.end)
            if document.source.text[start + 1 : end - 1] == text:  # in quotes, which an edit leaves alone
                start, end = start + 1, end - 1
            yield Word(text, start, end, resolved="$(" not in text)


def _text(document: Document, path: Path) -> Excerpt:
    """Return a block of text of a YAML file without its indentation; empty where it is written otherwise."""
    place = document.places.get(path)
    source = document.source
    if place is None or source.text[place.value.start] != "|":
        return Excerpt.of(source, 0, 0)
    begin = source.text.index("\n", place.value.start) + 1
    lines, offset = [], begin
    for line in source.text[begin : place.value.end].splitlines(keepends=True):
        lines.append((offset, offset + len(line), len(line) - len(line.lstrip(" \t"))))
        offset += len(line)
    indent = min((inner for start, end, inner in lines if source.text[start:end].strip()), default=0)
    parts = (Excerpt.of(source, min(start + indent, end - 1), end) for start, end, _ in lines)
    return Excerpt.join(parts, source)
