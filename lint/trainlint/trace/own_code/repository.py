# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Classes of a trainer's repository, imported and built: runs its code, which the user permitted.

Only in a process of its own (trace_worker.py), whose limits are set before it imports the first file.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch
from torch import nn

from trainlint.catalogue.zoo.packages import OWN
from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import constructed
from trainlint.trace.own_code.module_stubs import Stubs

TRAINER_PACKAGES: Final = frozenset({"basicsr", "facexlib", "gfpgan", "realesrgan", "traiNNer", "neosr"})
"""Packages of trainers, installed, on which repositories build: their other uses import much."""
LONGEST_REASON: Final = 300
"""Characters of an error of the repository's that a reason repeats."""


class Repository:
    """A checkout below `root`, of a trainer whose package is called `package`.

    `built` are the classes of all modules that were made of it; `starts` the folders imports begin at.
    """

    def __init__(self, root: Path, package: str = "") -> None:
        self.package = package
        self.root, self.stubs = root, Stubs(self._stubbed, known)
        self.built: set[type] = set()
        self.starts: list[Path] = []

    @contextmanager
    def open(self, files: list[str]) -> Iterator[None]:
        """Let its packages be imported while inside: from where those of `files` begin."""
        self.starts = list(dict.fromkeys(map(self._start, files)))
        finder = _Tolerant(self)
        sys.path[:0] = map(str, self.starts)
        sys.meta_path.insert(0, finder)
        try:
            with self.stubs.acting(), self._watched():
                yield
        finally:
            sys.meta_path.remove(finder)
            del sys.path[: len(self.starts)]

    def import_file(self, file: str) -> ModuleType:
        """Import a file by its path from the root."""
        parts = (self.root / file).relative_to(self._start(file)).with_suffix("").parts
        return self.module(".".join(parts).removesuffix(".__init__"))

    def definition(self, place: str) -> Any:
        """Return the class or function at "path/of/file.py:Name"; CannotTraceError where it is not there."""
        file, _, name = place.partition(":")
        imported = self.import_file(file)
        module = imported.__name__
        if not hasattr(imported, name) or module in self.stubs.failed:
            why = self.stubs.failed.get(module, "it has no such name once it is imported")
            raise CannotTraceError(f'"{file}" cannot be used: {why}')
        return getattr(imported, name)

    def module(self, name: str) -> ModuleType:
        """Import a module of the repository; CannotTraceError says what its code raised."""
        self.stubs.importing = True
        try:
            with torch.device("cpu"):
                return importlib.import_module(name)
        except CannotTraceError:
            raise
        except BaseException as error:  # a script may leave by sys.exit
            raise CannotTraceError(f'"{name}" cannot be imported: {reason_of(error)}') from error
        finally:
            self.stubs.importing = False

    def model(self, place: str, package: str) -> Callable[[dict[str, Any]], Any]:
        """Return what makes a model of options: its class, or an installed registry's (":Name")."""
        if not place.startswith(":"):
            return self.definition(place)  # type: ignore[no-any-return]  # the repository's own class
        models = self.module(f"{package}.models")
        if not hasattr(models, "build_model"):
            raise CannotTraceError(f'"{package}" is not installed with a build_model ({sys.executable})')
        return models.build_model  # type: ignore[no-any-return]  # the framework's own function

    def network(self, place: str, arch: str, args: Mapping[str, Any]) -> nn.Module:
        """Build a network of its own with the arguments of a config."""
        made = constructed(arch, self.definition(place), **args)
        if not isinstance(made, nn.Module):
            gave = type(made).__name__
            raise CannotTraceError(f"{arch} ({place}) gave {gave}, expected a torch.nn.Module")
        return made

    def holds(self, file: str | None) -> bool:
        """Say whether a file is one of the repository's."""
        return file is not None and Path(file).is_relative_to(self.root)

    def _stubbed(self, file: str) -> bool:
        """Say whether what a file imports may be stood in for: the repository's, an installed trainer's."""
        return self.holds(file) or not TRAINER_PACKAGES.isdisjoint(Path(file).parts)

    def _start(self, file: str) -> Path:
        """Return the folder from which a file's package is imported; the trainer's may be a bare folder."""
        parts = Path(file).parts
        if self.package in parts[:-1]:
            return self.root.joinpath(*parts[: parts.index(self.package)])
        folder = (self.root / file).parent
        while folder != self.root and (folder / "__init__.py").is_file():
            folder = folder.parent
        return folder

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Note the class of every module that is made."""
        made: Any = nn.Module.__init__

        def noting(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            self.built.add(type(module))
            made(module, *args, **kwargs)

        nn.Module.__init__ = noting  # type: ignore[method-assign,assignment]  # only while the model is built
        try:
            yield
        finally:
            nn.Module.__init__ = made  # type: ignore[method-assign]  # only while the model is built


def known(name: str) -> Any:
    """Return what the zoo has for a compiled operator that is not installed."""
    return importlib.import_module(f"{OWN}.blocks.extensions").known(name)


class _Tolerant(MetaPathFinder):
    """Lets a package that imports its whole folder go on where one file of it cannot be imported."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return what Python would find, loaded tolerantly where it is the repository's."""
        if (logger := self.repository.stubs.logger(name)) is not None:
            return logger
        spec = PathFinder.find_spec(name, path, target) if path is not None else self._top(name, target)
        if spec is None or spec.loader is None:
            return spec
        if not self.repository.holds(spec.origin):
            return None
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.repository)
        return spec

    def _top(self, name: str, target: Any) -> ModuleSpec | None:
        """Find a package: the trainer's own before an installed one, also where it is a bare folder."""
        for start in self.repository.starts:
            spec = PathFinder.find_spec(name, [str(start)], target)
            if spec is not None and (spec.loader is not None or name == self.repository.package):
                return spec
        return None


class _Loader(SourceFileLoader):
    """Loads a file of the repository; what it raises is kept as the reason why it cannot be used."""

    def __init__(self, name: str, path: str, repository: Repository) -> None:
        super().__init__(name, path)
        self.repository = repository

    def exec_module(self, module: ModuleType) -> None:
        """Run a file."""
        try:
            super().exec_module(module)
        except Exception as error:  # noqa: BLE001 - whatever its code raises
            self.repository.stubs.failed[module.__name__] = reason_of(error)
            module.__dict__["__getattr__"] = self._absent

    def _absent(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.repository.stubs.stub(f"{self.name}.{name}")


def reason_of(error: BaseException) -> str:
    """Say what code of the repository raised, in one line."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return words if len(words) <= LONGEST_REASON else f"{words[:LONGEST_REASON]}…"
