# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Settings of one run, by `--config KEY=VALUE` or the keywords of a call: what a settings file would say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from trainlint.errors import UsageError
from trainlint.expressions.patterns import later
from trainlint.settings.settings import Settings
from trainlint.settings.settings_bounds import check_baseline, check_there
from trainlint.settings.settings_keys import KINDS, converted

FLAG: Final = Path("--config")
"""What messages call the place of these settings; folders are relative to the working directory."""
_WORD: Final = later(r"[^\s\"'\[\]{},#]+")
"""A value without quotes that is a text: target=t4."""


def with_given(settings: Settings, given: Sequence[str]) -> Settings:
    """Return settings with those of the command line on top; tables are merged key by key."""
    table: dict[str, Any] = {}
    for text in given:
        _merge(table, _read(text))
    return with_table(settings, FLAG, table)


def with_table(settings: Settings, place: Path, table: Mapping[str, Any]) -> Settings:
    """Return settings with a table of a settings file on top; messages say that `place` has it."""
    values = converted(place, table, tuple(KINDS), may_run_code=True)
    check_there(place, values)
    check_baseline(place, values)
    for name, value in values.items():
        old = getattr(settings, name)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            values[name] = {**old, **value}
    return replace(settings, **values, flags=settings.flags | frozenset(values))


def _read(text: str) -> dict[str, Any]:
    """Return one setting as TOML reads it; a word that is none of TOML's values is a text."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f'--config "{text}": expected KEY=VALUE')
    try:
        return tomllib.loads(f"{key} = {value}")
    except tomllib.TOMLDecodeError as error:
        if _WORD.fullmatch(value.strip()):
            return _read(f'{key}="{value.strip()}"')
        raise UsageError(f'--config "{text}" is not TOML: {error}') from None


def _merge(table: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(table.get(key), dict):
            _merge(table[key], value)
        else:
            table[key] = value
