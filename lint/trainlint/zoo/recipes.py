# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Finding a recipe by name: each file under a folder `recipes` lists its own in a literal `RECIPES`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.errors import CannotTraceError
from trainlint.zoo.check import installed
from trainlint.zoo.packages import RECIPES, listed
from trainlint.zoo.syntax import listing


def place(name: str, extra: Sequence[Path] = ()) -> tuple[Path, str]:
    """Return a recipe's (file, class), known without torch; CannotTraceError where no file lists it.

    `extra` are files or folders that the user named; they come first.
    """
    if not name:
        raise CannotTraceError("the config does not say which training step it runs")
    for file in (*listed(extra), *installed(RECIPES)):
        found = listing(file, "RECIPES", name).get(name)
        if found is not None:
            return file, found
    raise CannotTraceError(f'no recipe for the training step "{name}"')
