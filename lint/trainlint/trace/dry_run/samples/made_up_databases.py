# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""lmdb's databases of images that --data made up: folders of files, by the names that are their keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from trainlint.trace.dry_run.arrivals import Arrivals

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".png"


class Database:
    """What of an environment of lmdb is used to read images."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @contextmanager
    def begin(self, *_args: Any, **_options: Any) -> Iterator[Database]:
        """Give what reads."""
        yield self

    def get(self, key: bytes, default: Any = None) -> Any:
        """Return an image by its key, as a transaction does."""
        file = Path(self.folder, os.fsdecode(key) + ENDING)
        return file.read_bytes() if file.is_file() else default


class MadeUpDatabases:
    """Opens them in lmdb's place."""

    def __init__(self, made_up: Collection[str]) -> None:
        self.made_up = frozenset(made_up)

    def watch(self, arrivals: Arrivals) -> None:
        """Stand by for lmdb."""
        if self.made_up:
            arrivals.after("lmdb", self._stand_by)

    def _stand_by(self, module: ModuleType) -> None:
        module.open = self._opened(module.open)  # type: ignore[attr-defined]  # a module's function

    def _opened(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(truth)
        def opened(path: Any, *args: Any, **options: Any) -> Any:
            known = os.path.realpath(path)
            return Database(known) if known in self.made_up else truth(path, *args, **options)

        return opened
