# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Stand-ins for modules that are not installed: a repository's files import them, tracing rarely calls them.

While files are imported, whatever is done with a stand-in gives another. Afterwards a call is refused, and
noted, so that code which goes on after the refusal does not pass for one that needed nothing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any, Final, NoReturn

from trainlint.errors import CannotTraceError
from trainlint.shipped.resource_paths import PACKAGE

NEVER_STUBBED: Final = ("torch", "numpy", "trainlint", "trainlint_zoo")
"""Packages that nothing replaces."""
LOGGERS: Final = ("wandb", "tensorboard", "tensorboardX", "mlflow", "comet_ml", "clearml", "visdom")
"""Packages that only keep logs: stood in for even where installed, as importing one makes files."""
TORCHS_LOGGER: Final = "torch.utils.tensorboard"
"""The one of them that lies in torch: it imports tensorboard, which need not be there."""
TRACER_PATH: Final = f"{PACKAGE / 'trace'}{os.sep}"
"""Where the tracer's own frames are from."""
VERSION_NAMES: Final = ("__version__", "__gitsha__", "version_info")
"""What generated version files hold, which a checkout lacks."""


class Stubs(MetaPathFinder, Loader):
    """Finds what nobody else found; `called` are the names of stand-ins that were called, in order.

    `failed` says of files that were found what they raised: nothing of them is there either.

    `serves` says for which files it does, by their paths: a library's own optional imports stay unmet.
    `known` replaces a name by what computes the same shapes.
    """

    def __init__(self, serves: Callable[[str], bool], known: Callable[[str], Any]) -> None:
        self.serves, self.known = serves, known
        self.importing = True
        self.called: list[str] = []
        self.failed: dict[str, str] = {}

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Stand in for modules while inside."""
        sys.meta_path.append(self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what loads a stand-in; None for what has to be there."""
        package = name.partition(".")[0]
        needed = package in NEVER_STUBBED and not _is(name, TORCHS_LOGGER)
        if needed or package in sys.stdlib_module_names or not self.serves(_importer()):
            return None
        return ModuleSpec(name, self, is_package=True)

    def logger(self, name: str) -> ModuleSpec | None:
        """Return what loads a stand-in for a package that keeps logs; None for another one.

        To a library that imports one where it can, it is not installed.
        """
        if not any(_is(name, logger) for logger in (*LOGGERS, TORCHS_LOGGER)):
            return None
        if (spec := self.find_spec(name)) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module all of whose names are stand-ins."""
        return _Module(spec.name, self)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing: there is nothing."""

    def stub(self, name: str) -> Any:
        """Return what replaces a name."""
        if name.rpartition(".")[2] in VERSION_NAMES:
            return "0.0.0"
        return self.known(name) or _Stub(name, self)

    def refuse(self, name: str) -> NoReturn:
        """Say that a stand-in was called."""
        self.called.append(name)
        raise CannotTraceError(self.words(name))

    def check(self) -> None:
        """Raise CannotTraceError where a stand-in was called, whatever the caller made of it."""
        if self.called:
            raise CannotTraceError(self.words(self.called[0]))

    def unmet(self, asked: str) -> str:
        """Say which file that failed an error asks for by name: what it defines is in no registry."""
        named = {word.lower() for word in re.findall(r"\w+", asked)}
        for module, why in self.failed.items():
            file = module.rpartition(".")[2].lower()
            if not named.isdisjoint((file, file.rpartition("_")[0])):
                return f' ("{module}" cannot be imported: {why})'
        return ""

    def words(self, name: str) -> str:
        """Say what is missing: a package, or a file of the repository that failed when it was imported."""
        failed = next((module for module in self.failed if name.startswith(f"{module}.")), None)
        if failed is not None:
            return f'"{name}" is called and cannot be imported: {self.failed[failed]}'
        package = name.partition(".")[0]
        return f'"{name}" is called and {package} is not there ({sys.executable}): what it keeps is not known'


def _is(name: str, module: str) -> bool:
    """Return whether a name is a module, or one in it."""
    return f"{name}.".startswith(f"{module}.")


def _importer() -> str:
    """Return the path of the file whose import statement is looked up."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # documented, whatever its name
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(TRACER_PATH) and "importlib" not in file:
            return file
        frame = frame.f_back
    return ""


class _Module(ModuleType):
    """A module that is not installed."""

    def __init__(self, name: str, stubs: Stubs) -> None:
        super().__init__(name)
        self.__dict__["_stubs"] = stubs
        self.__dict__["__all__"] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in VERSION_NAMES:
            raise AttributeError(name)
        return self._stubs.stub(f"{self.__name__}.{name}")


class _Stub:
    """A class or function that is not installed."""

    def __init__(self, name: str, stubs: Stubs) -> None:
        self._name, self._stubs = name, stubs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._stubs.stub(f"{self._name}.{name}")

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        if not self._stubs.importing:
            self._stubs.refuse(self._name)
        return _Stub(self._name, self._stubs)

    __or__ = __ror__ = __getitem__ = __call__
    """What annotations do with a class: `Writer | None`, `Writer[int]`."""

    def __mro_entries__(self, _bases: Any) -> tuple[type, ...]:
        """Stand in as a base class: what inherits from it cannot be made."""
        name, stubs = self._name, self._stubs

        def refused(_cls: type, *_args: Any, **_kwargs: Any) -> NoReturn:
            stubs.refuse(name)

        return (type(name.rpartition(".")[2], (), {"__new__": refused}),)
