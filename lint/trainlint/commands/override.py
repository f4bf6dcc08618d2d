# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command sets in its option file: `--force_yml train:ema_decay=0.99`, read as BasicSR reads it.

basicsr/utils/options.py (parse_options and _postprocess_yml_value at 8d56e3a0): words are split at "=", keys
at ":"; a number is digits with one dot at most, so that 1e-4 stays text; every parent has to be there.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from trainlint.config.yaml import safe_load
from trainlint.model.document import Document, Path
from trainlint.model.start import DEBUG, Override

DEBUG_PERIODS: Final = (("val", "val_freq"), ("logger", "save_checkpoint_freq"))
"""What --debug sets to 8."""

SHELL: Final = ("$", "`", "%")
"""Marks of what a shell puts into a word."""

MARKED: Final = ("'", '"', "[", "{")
"""What YAML's quoted texts, lists and mappings begin with."""


def override_of(text: str, *, unknown: bool = False) -> Override | None:
    """Read one word of --force_yml; None where the trainer cannot read it (no "=", or two).

    `unknown`: the word holds what only the shell knows; a key before "=" counts where it is all there.
    """
    keys, equals, value = text.partition("=")
    if unknown:
        whole = equals and keys.strip() and not any(mark in keys for mark in SHELL)
        return Override(tuple(keys.strip().split(":")) if whole else (), None, text, unknown=True)
    if not equals or "=" in value or not keys.strip():
        return None
    return Override(tuple(keys.strip().split(":")), _value(value.strip()), text)


def assigned(key: str, text: str, shown: str, *, unknown: bool = False) -> Override:
    """Return what a key of an option file is set to, whose value is read as YAML's scalars are."""
    path = tuple(key.split("."))
    return Override(path, None if unknown else _scalar(text), shown, unknown=unknown)


def _scalar(text: str) -> Any:
    """Return a text as YAML reads it; 1e-4 is a number, as to OmegaConf."""
    words = {"": None, "~": None, "null": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for make in (int, float):
        try:
            return make(text)
        except ValueError:
            continue
    if text[0] in MARKED:
        try:
            return safe_load(text)
        except ValueError:
            return text
    return text


def debugging() -> tuple[Override, ...]:
    """Return what --debug sets."""
    return tuple(Override(path, 8, DEBUG, may_miss=True) for path in DEBUG_PERIODS)


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

    `place` is where the command is; `meta["borrowed"]` says so of every path that it sets, and
    `meta["unknown"]` what it sets to what only the shell knows: the option file's own value stays there.
    """
    value, places = copy.deepcopy(document.value), dict(document.places)
    borrowed: dict[Path, str] = dict(document.meta.get("borrowed", {}))
    unknown: dict[Path, str] = dict(document.meta.get("unknown", {}))
    lost = []
    for override in overrides:
        if not override.path:
            unknown[()] = override.shown
            continue
        parent = value
        for key in override.path[:-1]:
            parent = parent.get(key) if isinstance(parent, Mapping) else None
        if not isinstance(parent, dict):
            lost += [] if override.may_miss else [override]
            continue
        if override.may_miss and override.path[-1] not in parent:
            continue
        borrowed[override.path] = place
        if override.unknown:
            unknown[override.path] = override.shown
            parent.setdefault(override.path[-1], None)
            continue
        unknown.pop(override.path, None)
        parent[override.path[-1]] = override.value
        for path in [
            path
            for path in places
            if len(path) > len(override.path) and path[: len(override.path)] == override.path
        ]:
            del places[path]
    meta = {**document.meta, "borrowed": borrowed, "unknown": unknown, "started": place}
    return replace(document, value=value, places=places, meta=meta), tuple(lost)
