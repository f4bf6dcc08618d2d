# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Building by the name in a config: from the user's files, installed packages, then (networks) libraries."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from trainlint.catalogue.signature import locate, signature
from trainlint.catalogue.zoo.builders import definitions
from trainlint.catalogue.zoo.file_check import check
from trainlint.catalogue.zoo.packages import OWN, module_of
from trainlint.catalogue.zoo.recipes import place
from trainlint.errors import ARCH, BadArgumentsError, CannotTraceError, UsageError
from trainlint.trace.building import eager
from trainlint.trace.building.argument_origin import ABSENT, RefusedArgumentError
from trainlint.trace.building.library_builders import build_from_library
from trainlint.trace.building.refusal import constructed
from trainlint.trace.building.slip_place import SLIP_ERRORS, folders, place_of

Builder = Callable[[str, str, Mapping[str, Any]], nn.Module | None]
"""(dialect, architecture, arguments) -> the network, or None where this builder does not know it."""

_first: ContextVar[Builder | None] = ContextVar("first", default=None)

RECIPE_METHODS = ("train_step", "validate", "checkpoint")
"""What a recipe has; one that has none of them only says in its constructor why it plays nothing."""

KEPT_FILES = 64
"""Files of the user's whose modules are kept: a step's networks and its recipe lie in a few."""

MOST_MODULES = 30_000
"""Ten times what the largest network of the test corpora has; a step of more would take minutes to trace."""


@contextmanager
def networks_from(paths: Sequence[Path]) -> Iterator[None]:
    """Look for networks in the user's files or folders first; only with the user's permission to run code."""
    token = folders.set(tuple(paths))
    try:
        yield
    finally:
        folders.reset(token)


@contextmanager
def networks_of(builder: Builder) -> Iterator[None]:
    """Ask `builder` first; only with the user's permission to run code."""
    token = _first.set(builder)
    try:
        yield
    finally:
        _first.reset(token)


@contextmanager
def bounded(modules: int = MOST_MODULES) -> Iterator[None]:
    """Give up on a network of more than so many modules, before the machine does."""
    made = 0
    initialize = nn.Module.__init__

    def counted(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        nonlocal made
        made += 1
        if made > modules:
            raise CannotTraceError(f"the networks have more than {modules:,} modules")
        initialize(self, *args, **kwargs)

    nn.Module.__init__ = counted  # type: ignore[method-assign]  # replaced while a network is built, and put back below
    try:
        yield
    finally:
        nn.Module.__init__ = initialize  # type: ignore[method-assign]  # the method that was there before


def build(dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module:
    """Build a network; CannotTraceError where nobody knows it, BadArgumentsError where it refuses `args`."""
    if builder := _first.get():
        eager.remove()
        own = builder(dialect, arch, args)
        if own is not None:
            return own
    location = locate(dialect, arch, folders.get())
    if location is None:
        return build_from_library(dialect, arch, args)
    known = signature(dialect, arch, folders.get())
    for name, message in known.problems(args) if known else ():
        raise RefusedArgumentError(message, name, args.get(name, ABSENT), location)
    given = {**location.defaults, **args}
    made: nn.Module = constructed(arch, getattr(_module(location.file), location.name), **given)
    return made


def network(step: Mapping[str, Any], role: str) -> tuple[nn.Module, str]:
    """Build the step's generator or discriminator; returns it with its architecture's name."""
    arch = step.get(f"networks.{role}.arch")
    if not isinstance(arch, str):
        raise CannotTraceError(f"no {role} network is named")
    try:
        return build(str(step.get("dialect", "")), arch, step.get(f"networks.{role}.args") or {}), arch
    except BadArgumentsError as error:
        part = "arch" if error.about == ARCH else "args"
        error.about = f"networks.{role}.{part}"
        raise


def recipe(step: Mapping[str, Any]) -> Any:
    """Return the class that plays the step; CannotTraceError where no file lists it."""
    file, name = place(str(step.get("recipe", "")), folders.get())
    check([file])
    kind = getattr(_module(file), name)
    lacking = [method for method in RECIPE_METHODS if not hasattr(kind, method)]
    if lacking and len(lacking) < len(RECIPE_METHODS):
        known = definitions(file)
        line = known[name].lineno if name in known else 1
        raise UsageError(
            f'{file}:{line}: the recipe "{name}" has no method "{lacking[0]}", see trainlint/trace/stage.py'
        )
    return kind


def _module(file: Path) -> ModuleType:
    """Import a file of networks or recipes.

    CannotTraceError where a package is missing, UsageError with the line for a slip in the file.
    """
    installed = module_of(file)
    if not (installed or "").startswith(f"{OWN}."):
        eager.remove()
    try:
        return _loaded(file, file.read_bytes()) if installed is None else importlib.import_module(installed)
    except SLIP_ERRORS as error:
        said = f'"{file}" cannot be imported: {type(error).__name__}: {error}{place_of(error)}'
        kind = CannotTraceError if isinstance(error, ModuleNotFoundError) else UsageError
        raise kind(said) from error


@lru_cache(maxsize=KEPT_FILES)
def _loaded(file: Path, code: bytes) -> ModuleType:
    """Run a file's text as a module: again when it changed, and no compiled file stands in for it."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None:
        raise CannotTraceError(f'"{file}" is not a Python file')
    module = importlib.util.module_from_spec(spec)
    exec(compile(code, str(file), "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user permitted it
    return module
