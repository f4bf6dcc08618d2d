# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Who passes what a network or an optimizer refuses: the config, or the recipe, which then has a slip."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from trainlint.catalogue.signature import Location
from trainlint.catalogue.zoo.builders import definitions
from trainlint.catalogue.zoo.recipes import place
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.tape.step import ROLES
from trainlint.trace.building.slip_place import folders, line_in

ABSENT: Final = object()
"""The value of an argument that is needed and not passed."""


class RefusedArgumentError(BadArgumentsError):
    """An argument that a network's signature refuses: its name, what was passed, and where the network is."""

    def __init__(self, reason: str, name: str, value: Any, network: Location) -> None:
        super().__init__(reason)
        self.name, self.value, self.network = name, value, network

    def slip(self, step: Mapping[str, Any]) -> str:
        """Return what the recipe does that no config says; "" where one says it."""
        if self.value is ABSENT:
            args = (step.get(f"networks.{role}.args") or {} for role in ROLES)
            return "leaves it out" if any(self.name in written for written in args) else ""
        return "" if _plain(self.value) in map(_plain, _named(step, self.name)) else "passes it"

    @property
    def taken(self) -> str:
        """Where the class is that takes other arguments."""
        definition = definitions(self.network.file).get(self.network.name)
        return f"; what it takes is at {self.network.file}:{definition.lineno if definition else 1}"


class UnknownOptimizerError(CannotTraceError):
    """An optimizer that torch does not have."""

    taken = ""

    def __init__(self, kind: str) -> None:
        super().__init__(f'unknown optimizer "{kind}"')
        self.kind = kind

    def slip(self, step: Mapping[str, Any]) -> str:
        """As above; trainers and recipes spell the name of an optimizer in their own case."""
        said = (value.lower() for value in _parts(step) if isinstance(value, str))
        return "" if self.kind.lower() in said else "names it"


class RefusedOptionError(BadArgumentsError):
    """Options that an optimizer's constructor does not take, each of which alone is in its way."""

    taken = ""

    def __init__(self, reason: str, about: str, options: Mapping[str, Any]) -> None:
        super().__init__(reason, about)
        self.options = options

    def slip(self, step: Mapping[str, Any]) -> str:
        """As above; an option may be the config's if it names it anywhere, or has its value at optimizers."""
        values = {_plain(value) for value in _parts(step.get("optimizers"))}
        words = " ".join(value for value in _parts(step, keys=True) if isinstance(value, str))
        may = any(name in words or _plain(value) in values for name, value in self.options.items())
        return "" if may or not self.options else f"passes {' and '.join(self.options)}"


@contextmanager
def arguments_of(step: Mapping[str, Any]) -> Iterator[None]:
    """Inside, a recipe builds; CannotTraceError with its line where it passes what `step` does not say."""
    try:
        yield
    except (RefusedArgumentError, UnknownOptimizerError, RefusedOptionError) as error:
        if not step.get("recipe") or not (does := error.slip(step)):  # a function's slip has no place here
            raise
        recipe = line_in(place(str(step.get("recipe", "")), folders.get())[0], error)
        raise CannotTraceError(
            f"{error.reason}: the recipe {does} at {recipe}, not the config{error.taken}"
        ) from error


def _named(value: Any, name: str) -> Iterator[Any]:
    """Yield what a step says under a name, however deep."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == name:
                yield item
            yield from _named(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named(item, name)


def _parts(value: Any, *, keys: bool = False) -> Iterator[Any]:
    """Yield a value and everything that it holds, however deep; mappings' keys where they are asked for."""
    yield value
    inner: Iterable[Any] = ()
    if isinstance(value, Mapping):
        inner = value.values()
        yield from value if keys else ()
    elif isinstance(value, list | tuple):
        inner = value
    for item in inner:
        yield from _parts(item, keys=keys)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
