# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command sets in its option file: `--force_yml train:ema_decay=0.99`, read as BasicSR reads it.

basicsr/utils/options.py (parse_options and _postprocess_yml_value at 8d56e3a0): words are split at "=", keys
at
":"; a number is digits with one dot at most, so that 1e-4 stays text; every parent has to be there already.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace

from trainlint.read.document import Document, Path

DEBUG: Final = (("val", "val_freq"), ("logger", "save_checkpoint_freq"))
"""What --debug sets to 8."""


@dataclass(frozen=True, slots=True)
class Override:
    """One value that a command sets; `text` is what the command says."""

    path: Path
    value: Any = field(hash=False)
    text: str
    may_miss: bool = False
    """Nothing happens where the option file has not the key."""


def override_of(text: str) -> Override | None:
    """Read one word of --force_yml; None where the trainer cannot read it (no "=", or two)."""
    keys, equals, value = text.partition("=")
    if not equals or "=" in value or not keys.strip():
        return None
    return Override(tuple(keys.strip().split(":")), _value(value.strip()), text)


def debugging() -> tuple[Override, ...]:
    """Return what --debug sets."""
    return tuple(Override(path, 8, "--debug", may_miss=True) for path in DEBUG)


def _value(text: str) -> Any:
    words = {"~": None, "none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    bare = text.removeprefix("!!float")
    if bare != text or (text.isascii() and text.replace(".", "", 1).isdigit()):
        try:
            return int(bare) if text.isdigit() else float(bare)
        except ValueError:
            return text
    if text.startswith("["):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
    return text


def overridden(
    document: Document, overrides: Iterable[Override], place: str
) -> tuple[Document, tuple[Override, ...]]:
    """Return a document with a command's values in it, and those for which it has no place.

    `place` is where the command is; `meta["borrowed"]` says so of every path that it sets.
    """
    value, places = copy.deepcopy(document.value), dict(document.places)
    borrowed: dict[Path, str] = dict(document.meta.get("borrowed", {}))
    lost = []
    for one in overrides:
        parent = value
        for key in one.path[:-1]:
            parent = parent.get(key) if isinstance(parent, Mapping) else None
        if not isinstance(parent, dict):
            lost += [] if one.may_miss else [one]
            continue
        if one.may_miss and one.path[-1] not in parent:
            continue
        parent[one.path[-1]] = one.value
        borrowed[one.path] = place
        for path in [
            path for path in places if len(path) > len(one.path) and path[: len(one.path)] == one.path
        ]:
            del places[path]
    meta = {**document.meta, "borrowed": borrowed}
    return replace(document, value=value, places=places, meta=meta), tuple(lost)
