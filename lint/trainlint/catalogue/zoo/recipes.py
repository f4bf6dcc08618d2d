# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Finding a recipe by name: each file under a folder `recipes` lists its own in a literal `RECIPES`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo import generated_tables
from trainlint.catalogue.zoo.builders import constants, listing
from trainlint.catalogue.zoo.file_check import check, check_all_tables, installed
from trainlint.catalogue.zoo.packages import RECIPES, listed, own, packages
from trainlint.errors import CannotTraceError
from trainlint.shipped.resource_paths import PACKAGE, resource

UNKNOWN_STEP: Final = "unknown training step"
"""How the message about a name that no file lists begins."""


def place(name: str, extra: Sequence[Path] = ()) -> tuple[Path, str]:
    """Return a recipe's (file, class), known without torch; CannotTraceError where no file lists it.

    `extra` are files or folders that the user named; they come first. Raises UsageError where a second
    file of a checkout has a recipe of the same name.
    """
    if not name:
        raise CannotTraceError("the config does not say which training step it runs")
    known = None if extra or len(packages()) > 1 else generated_tables.recipe(name)
    if known is not None:
        _check_names(known[0])
        return known
    for file in (*listed(extra), *installed(RECIPES)):
        class_name = listing(file, "RECIPES", name).get(name)
        if class_name is not None:
            _check_names(file)
            return file, class_name
    check_all_tables(RECIPES)
    trainer = name.partition(".")[0]
    ours = resource("schemas").joinpath(f"{trainer}.json").is_file()
    advice = "" if ours or extra else "; give --networks the folder of the file that lists it"
    raise CannotTraceError(f'{UNKNOWN_STEP} "{name}"{advice}')


def _check_names(file: Path) -> None:
    """Refuse, in a checkout, a file whose recipes a second file of the zoo has too; a wheel has none."""
    if resource("rules").parent == PACKAGE or not file.is_relative_to(own().folder):
        return
    zoo = [file for file in installed(RECIPES) if file.is_relative_to(own().folder)]
    for name in constants(file)["RECIPES"]:
        named = [file for file in zoo if name in listing(file, "RECIPES", name)]
        if len(named) > 1:
            check(named)
