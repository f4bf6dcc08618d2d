# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What other interpreters run needs the standard library alone, and the tracer torch on top."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trainlint.package_copy import copy_package
from trainlint.resources import PACKAGE

ROOMS = ("tape", "zoo", "measuring", "survey", "spec")
"""Rooms that are imported where nothing is installed: neither trainlint's own packages nor torch."""

IMPORTS = """
import importlib, importlib.abc, pathlib, sys
folder, *rooms = sys.argv[1:]
sys.path.insert(0, folder)
for room in rooms:
    place = pathlib.Path(folder, "trainlint", room)
    names = [path.relative_to(folder).with_suffix("").parts for path in sorted(place.rglob("*.py"))
             if not path.name.startswith("native_")]  # which needs what a compiler made
    for parts in names or [("trainlint", room)]:
        importlib.import_module(".".join(part for part in parts if part != "__init__"))
known = {*sys.stdlib_module_names, "__main__", "trainlint", "trainlint_zoo"}
print(*sorted({name.partition(".")[0] for name in sys.modules} - known))
"""


def imported(folder, *rooms):
    """Return what is imported with some rooms beside the standard library, in a Python without packages."""
    command = [sys.executable, "-I", "-S", "-c", IMPORTS, str(folder), *rooms]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_needs_no_package(room):
    assert imported(PACKAGE.parent, room) == []


def test_the_copy_that_another_interpreter_gets_has_all_that_it_imports(tmp_path):
    copy_package(tmp_path)
    assert imported(tmp_path, "tape", "zoo", "measuring", "spec") == []


def test_a_package_is_noticed(tmp_path):
    (tmp_path / "trainlint" / "odd").mkdir(parents=True)
    (tmp_path / "trainlint" / "__init__.py").touch()
    (tmp_path / "trainlint" / "odd" / "__init__.py").write_text("import click\n")
    with pytest.raises(AssertionError, match="No module named 'click'"):
        imported(tmp_path, "odd")
