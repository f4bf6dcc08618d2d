# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program's interpreter runs before the program: a folder for PYTHONPATH with a sitecustomize of ours.

Python imports one module of that name. Ours starts what plays the GPU and then runs the one of the
environment, if it has one. It does nothing in a starter, whose children it reaches, and ends a process of
another rank: the first one alone is rehearsed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from trainlint.catalogue.zoo.packages import OWN
from trainlint.dry_run.starting.starter import MODULES, STARTERS
from trainlint.measuring.package_copy import COPIED_FOLDERS
from trainlint.shipped.resource_paths import PACKAGE

REQUEST: Final = "TRAINLINT_DRY_RUN"
"""The variable that names the request; where it is not set, sitecustomize does nothing of ours."""
PACKAGES: Final = "TRAINLINT_DRY_RUN_PATH"
"""The variable that names the folder of the copy of what plays the GPU."""
OWN_FOLDERS: Final = ("tools", "packages")
"""Folders in the private one of what plays the GPU, in the paths of its frames."""
LEFT_OUT: Final = shutil.ignore_patterns("__pycache__")
TEXT: Final = '''\
"""Written by trainlint dry-run for one run of a program, and removed with it."""


def _rehearse():
    import json, os, sys

    path = os.environ.get("@REQUEST@")
    if not path:
        return
    words = _words()
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    script = os.path.basename(next((word for word in words[1:] if not word.startswith("-")), ""))
    if module in %(modules)r or (not module and script in %(starters)r):
        return
    if any("multiprocessing.resource_tracker" in word for word in words):
        return
    rank = os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or "0"
    if rank not in ("0", ""):
        os._exit(0)
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    world = os.environ.get("WORLD_SIZE", "")
    if world.isdigit() and int(world) > 0:
        request["world_size"] = int(world)
    folder = os.environ["@PACKAGES@"]
    sys.path.insert(0, folder)
    try:
        from trainlint.trace.dry_run.program_start import install
    finally:
        sys.path.remove(folder)
    sys.path.append(folder)  # for what is imported with torch
    install(request)


def _words():
    import sys

    known = getattr(sys, "orig_argv", None)
    if known:
        return known
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [word.decode("utf-8", "replace") for word in file.read().split(b"\\0")[:-1]]
    except OSError:
        return [sys.executable]


def _theirs():
    import importlib.machinery, importlib.util, os, sys

    here = os.path.dirname(os.path.abspath(__file__))
    rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


_rehearse()
_theirs()
'''


def prepare(folder: Path) -> None:
    """Put sitecustomize into a folder of ours (`first`, for PYTHONPATH), and what it starts (`packages`)."""
    first, packages = folder / "first", folder / "packages"
    first.mkdir()
    text = TEXT.replace("@REQUEST@", REQUEST).replace("@PACKAGES@", PACKAGES)
    known = {"modules": tuple(MODULES), "starters": STARTERS}
    (first / "sitecustomize.py").write_text(text % known, encoding="utf-8")
    package = packages / "trainlint"
    package.mkdir(parents=True)
    for file in PACKAGE.glob("*.py"):
        shutil.copy(file, package)
    for name in COPIED_FOLDERS:
        shutil.copytree(PACKAGE / name, package / name, ignore=LEFT_OUT)
    networks = PACKAGE.parent / OWN
    if networks.is_dir():
        shutil.copytree(networks, packages / OWN, ignore=LEFT_OUT)


def variables(folder: Path, request: Path, around: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that lead a program's interpreter to what `prepare` laid out."""
    path = [str(folder / "first"), *filter(None, [around.get("PYTHONPATH", "")])]
    return {"PYTHONPATH": os.pathsep.join(path), REQUEST: str(request), PACKAGES: str(folder / "packages")}


def write_request(path: Path, words: Mapping[str, Any]) -> None:
    """Write a request where the program's process looks for it."""
    path.write_text(json.dumps(dict(words)), encoding="utf-8")
