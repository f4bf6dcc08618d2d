# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a sweep varies: a config whose keys are set, or a command that gets arguments."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from trainlint.documents.file_format import read
from trainlint.errors import UsageError, most_alike
from trainlint.model.document import Document, Path, Source
from trainlint.sweep.axis import Axis

ARGS = ("${args}", "${args_no_boolean_flags}")
"""Where W&B puts --key=value for every parameter; the second leaves booleans without a value."""
OTHER_FORMS = ("${args_no_hyphens}", "${args_json}", "${args_json_file}")
"""Where it puts them in a form that says nothing of a command line."""


class Base(Protocol):
    """What becomes a document with a value for every axis."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What is varied."""

    @property
    def path(self) -> str:
        """The file that is varied."""

    def document(self, values: Sequence[Any]) -> Document:
        """Return the document with these values, one for each axis."""


class Config(Struct, frozen=True):
    """A config; paths end at keys whose parents are there."""

    own: Document
    axes: tuple[Axis, ...]

    @property
    def path(self) -> str:
        """The file that is varied."""
        return self.own.source.path

    def document(self, values: Sequence[Any]) -> Document:
        """Return the config with these values."""
        value, places = copy.deepcopy(self.own.value), dict(self.own.places)
        paths = [axis.path for axis in self.axes]
        for path, new_value in zip(paths, values, strict=True):
            parent = value
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = copy.deepcopy(new_value)
        for place in [place for place in places if any(_below(place, path) for path in paths)]:
            del places[place]
        borrowed = {**self.own.meta.get("borrowed", {}), **dict.fromkeys(paths, "the sweep")}
        return replace(self.own, value=value, places=places, meta={**self.own.meta, "borrowed": borrowed})


def _below(place: Path, path: Path) -> bool:
    return len(place) > len(path) and place[: len(path)] == path


class SweptCommand(Struct, frozen=True):
    """A command of which some words are the parameters."""

    path: str
    words: tuple[str, ...]
    axes: tuple[Axis, ...]

    def document(self, values: Sequence[Any]) -> Document:
        """Return the command with these values; UsageError where it is none."""
        words: list[str] = []
        for word in self.words:
            words += self._arguments(values, bare=word == ARGS[1]) if word in ARGS else [shlex.quote(word)]
        documents = read(Source(f"{self.path}.sh", " ".join(words) + "\n"))
        if len(documents) != 1:
            raise UsageError(f"{self.path}: its command is not a single command: {' '.join(words)[:200]}")
        return documents[0]

    def _arguments(self, values: Sequence[Any], *, bare: bool) -> list[str]:
        arguments = []
        for axis, value in zip(self.axes, values, strict=True):
            if bare and isinstance(value, bool):
                arguments += [f"--{axis.key}"] if value else []
            else:
                arguments.append(shlex.quote(f"--{axis.key}={value}"))
        return arguments


def command(path: str, words: tuple[str, ...], axes: tuple[Axis, ...]) -> SweptCommand:
    """Return a sweep's command; UsageError where it does not say how its arguments are written."""
    form = next((word for word in words if word in OTHER_FORMS), None)
    if form is not None:
        raise UsageError(
            f"{path}: the program gets {form}, which says nothing of the config; name that: --config FILE"
        )
    if not any(word in ARGS for word in words):
        raise UsageError(f'{path}: command: expected "${{args}}" where the parameters come')
    return SweptCommand(path, words, axes)


def path_in(document: Document, key: str, *, adds: bool = True) -> Path:
    """Return the path of a dotted key, or of a JSON pointer, in a config.

    UsageError where its parents are not there, and without `adds` where it is not there itself.
    """
    names = (
        [part.replace("~1", "/").replace("~0", "~") for part in key[1:].split("/")]
        if key.startswith("/")
        else key.split(".")
    )
    parent = document.value
    path: Path = ()
    for index, name in enumerate(names):
        last = index == len(names) - 1
        step: str | int = int(name) if isinstance(parent, list) and name.isdecimal() else name
        there = (
            step in parent if isinstance(parent, Mapping) else isinstance(step, int) and step < len(parent)
        )
        if not there and not (last and adds and isinstance(parent, Mapping)):
            raise UsageError(_missing(document, key, name, parent))
        path = (*path, step)
        if not last:
            parent = parent[step]
            if not isinstance(parent, Mapping | list):
                raise UsageError(f'{document.source.path}: "{name}" of "{key}" is not a mapping')
    return path


def _missing(document: Document, key: str, name: str, parent: Any) -> str:
    near = most_alike(name, [*map(str, parent)]) if isinstance(parent, Mapping) else None
    hint = f'; did you mean "{near}"?' if near else f" (+{key} adds it)" if key.endswith(name) else ""
    return (
        f'{document.source.path}: no key "{key}"{hint}'
        if key == name
        else f'{document.source.path}: no "{name}" in "{key}"{hint}'
    )
