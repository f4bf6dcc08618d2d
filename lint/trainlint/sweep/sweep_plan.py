# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which sweep is asked for: a W&B file, a grid of trainlint's own, or a config with Hydra's overrides."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.text_source import load_source
from trainlint.model.document import Document
from trainlint.sweep import grid, wandb_file
from trainlint.sweep.axis import Axis, axis_of
from trainlint.sweep.hydra_overrides import override_of
from trainlint.sweep.swept_base import Base, Config, command, path_in

SWEEP_FORMS = (
    "a W&B sweep (method, parameters), a grid (config, grid), or a config followed by overrides (KEY=1,2,4)"
)
"""What a sweep can be."""


def base_of(path: str, overrides: Sequence[str], config: str | None = None) -> Base:
    """Return what a file and the words after it vary; `config` is what a W&B file's parameters are set in.

    UsageError for what is no sweep, UnreadableError for a file that cannot be read.
    """
    document = _document(path)
    if wandb_file.is_wandb(document.value):
        _none(path, overrides)
        try:
            axes = wandb_file.axes_of(document.value)
            if config is not None:
                return _config(_document(config), axes)
            return command(path, wandb_file.command_of(document.value), axes)
        except UsageError as error:
            raise UsageError(str(error) if str(error).startswith(path) else f"{path}: {error}") from None
    if config is not None:
        raise UsageError(f"{path}: --config is for a W&B sweep: expected its keys method and parameters here")
    if grid.is_grid(document.value):
        _none(path, overrides)
        try:
            name, values = grid.grid_of(document.value)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None
        own = _document(_named(path, name))
        return Config(own, _unlike(path, [_axis(own, key, axis_values) for key, axis_values in values]))
    if not overrides:
        raise UsageError(f"{path} is not a sweep; expected {SWEEP_FORMS}")
    parsed = [override_of(word) for word in overrides]
    varied = [axis_of(key, path_in(document, key, adds=adds), values) for key, adds, values in parsed]
    return Config(document, _unlike(path, varied))


def _named(path: str, name: str) -> str:
    """Return the config that a grid names; UsageError for one that does not lie in the grid's own project."""
    project = list(folders_above(path))[-1]
    named = os.path.normpath(Path(path).parent / name)
    if inside(project, os.path.relpath(named, project)) is None:
        raise UsageError(f'{path}: config: "{name}" is not a file in "{project}", where the grid is')
    return named


def _axis(own: Document, key: str, values: list[Any] | range) -> Axis:
    """Return a grid's axis: as in an override, a plus adds a key that the config does not have."""
    name = key.removeprefix("+")
    return axis_of(name, path_in(own, name, adds=name != key), values)


def _config(own: Document, axes: Sequence[Axis]) -> Config:
    placed = []
    for axis in axes:
        name = axis.key.removeprefix("+")
        placed.append(replace(axis, key=name, path=path_in(own, name, adds=name != axis.key)))
    return Config(own, _unlike(own.source.path, placed))


def _none(path: str, overrides: Sequence[str]) -> None:
    if overrides:
        raise UsageError(f'{path} says itself what it varies; "{overrides[0]}" goes with a config')


def _unlike(path: str, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return axes of which none sets what another sets; UsageError for two that do."""
    for index, axis in enumerate(axes):
        for earlier in axes[:index]:
            shorter = min(len(axis.path), len(earlier.path))
            if axis.path[:shorter] == earlier.path[:shorter]:
                raise UsageError(f'{path}: "{earlier.key}" and "{axis.key}" set the same key')
    return tuple(axes)


def _document(path: str) -> Document:
    try:
        documents = read(load_source(path))
    except UnreadableError as error:
        raise UsageError(f"{path}: {error}") from None
    if len(documents) != 1 or documents[0].broken is not None or not isinstance(documents[0].value, dict):
        raise UsageError(f"{path}: expected one config or sweep, found {len(documents)}")
    return documents[0]
