# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What another interpreter runs of trainlint: a copy of what tracing needs, and the words that start it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo import generated_tables
from trainlint.catalogue.zoo.packages import OWN
from trainlint.shipped.extensions import extensions, install
from trainlint.shipped.resource_paths import PACKAGE

COPIED_FOLDERS: Final = (
    "catalogue",
    "expressions",
    "files",
    "measuring",
    "model",
    "shipped",
    "tape",
    "trace",
)
"""Folders of the package that the other interpreter runs; the rest would ask it for more than torch."""
START: Final = """\
import sys
if sys.version_info < (3, 11):
    sys.exit("Python %d.%d is too old; trainlint runs in 3.11 or later" % sys.version_info[:2])
sys.path.insert(0, {folder!r})
from trainlint.trace.{module} import main
main()
"""
"""What the other interpreter is made to run, in words that an old one understands too."""


def copy_package(folder: Path) -> None:
    """Put what a trace needs where nothing else of our environment can be imported from."""
    package = folder / "trainlint"
    package.mkdir()
    for file in PACKAGE.glob("*.py"):
        shutil.copy(file, package)
    for name in COPIED_FOLDERS:
        shutil.copytree(PACKAGE / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / OWN, folder / OWN, ignore=shutil.ignore_patterns("__pycache__"))
    for table in (generated_tables.SIGNATURES, generated_tables.RECIPE_PLACES):
        (folder / OWN / table).write_text(generated_tables.text(table), encoding="utf-8")
    for extension in extensions():
        install(extension, folder)
