# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is said of a network that a library builds, without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """Where a library keeps a network, and what the framework does otherwise."""

    module: str
    name: str
    defaults: Mapping[str, Any] = {}  # the framework's, by the library's names
    renamed: Mapping[str, str] = {}  # the framework's name -> the library's
    spelled: Mapping[str, str] = {}  # the framework's word for a value -> the library's
    required: tuple[str, ...] = ()  # arguments to which the framework gives no default
    ignored: tuple[str, ...] = ()  # accepted by the framework and never used
    only: Mapping[str, Any] = {}  # what the library's class has built in: name -> value
    open: bool = False  # the framework's constructor swallows every other keyword


def spandrel(folder: str, name: str = "", **rest: Any) -> Entry:
    """Return an entry of spandrel (MIT-licensed architectures)."""
    return Entry(f"spandrel.architectures.{folder}", name or folder, **rest)


def extra(name: str, **rest: Any) -> Entry:
    """Return an entry of spandrel_extra_arches."""
    return Entry(f"spandrel_extra_arches.architectures.{name}", name, **rest)
