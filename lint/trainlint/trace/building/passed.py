# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Who passes what a network's signature refuses: the config, or the recipe, which then has a slip."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.signature import Location
from trainlint.tape.step import ROLES
from trainlint.trace.building.place import folders, line_in
from trainlint.zoo.recipes import place
from trainlint.zoo.syntax import definitions

ABSENT: Final = object()
"""The value of an argument that is needed and not passed."""


class RefusedArgumentError(BadArgumentsError):
    """An argument that a network's signature refuses: its name, what was passed, and where the network is."""

    def __init__(self, reason: str, name: str, value: Any, network: Location) -> None:
        super().__init__(reason)
        self.name, self.value, self.network = name, value, network


@contextmanager
def arguments_of(step: Mapping[str, Any]) -> Iterator[None]:
    """Inside, a recipe builds networks; CannotTraceError where it passes what `step` does not say."""
    try:
        yield
    except RefusedArgumentError as error:
        if error.value is ABSENT:
            args = (step.get(f"networks.{role}.args") or {} for role in ROLES)
            slip, does = any(error.name in each for each in args), "leaves it out"
        else:
            slip, does = _plain(error.value) not in map(_plain, _named(step, error.name)), "passes it"
        if not slip:
            raise
        recipe = line_in(place(str(step.get("recipe", "")), folders.get())[0], error)
        file, found = error.network.file, definitions(error.network.file).get(error.network.name)
        raise CannotTraceError(
            f"{error.reason}: the recipe {does} at {recipe}, not the config; what it takes is at "
            f"{file}:{found.lineno if found else 1}"
        ) from error


def _named(value: Any, name: str) -> Iterator[Any]:
    """Yield what a step says under a name, however deep."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key == name:
                yield each
            yield from _named(each, name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _named(each, name)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
