# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Writes what is shipped in a form that is quick to read, and compiles the replay where there is a compiler.

Without one the wheel is the same, and only slower. TRAINLINT_COMPILE=0 leaves it out; 1 makes the build fail
where it cannot be compiled.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from zlib import crc32

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (Path("lint/trainlint/estimate/replay/_native.c"), Path("lint/trainlint/tape/_flow.c"))
ABI = "cp311"
"""The oldest Python whose stable ABI it keeps to: Py_LIMITED_API in the source."""


class Built(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]  # hatchling may not be installed
    """Adds what it makes to the wheel; an editable install has the modules next to their sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write and compile, and give the wheel the tag of this platform."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        if version != "editable":
            build_data["force_include"] |= shipped(root, Path(tempfile.mkdtemp()))
        wanted = os.environ.get("TRAINLINT_COMPILE", "")
        if wanted == "0":
            return
        try:
            built = {source: compiled(root / source, Path(tempfile.mkdtemp())) for source in SOURCES}
        except Exception as error:  # whatever is missing, the wheel works without it
            if wanted:
                raise
            self.app.display_warning(f"the replay stays in Python, which takes longer: {error}")
            return
        for source, module in built.items():
            if version == "editable":
                module.replace(root / source.with_name(module.name))
            else:
                parts = source.relative_to("lint").with_name(module.name)
                build_data["force_include"][str(module)] = parts.as_posix()
                build_data["pure_python"] = False
                build_data["tag"] = f"{ABI}-abi3-{platform_tag()}"


def shipped(root: Path, folder: Path) -> dict[str, str]:
    """Write what a wheel has of what is made of the sources; return each file and its path in the wheel."""
    sys.path.insert(0, str(root / "lint"))
    from trainlint.judge.rule_files.compile_shipped import wheel_files  # noqa: PLC0415 - of the tree that is built

    files = {}
    for path, content in sorted(wheel_files().items()):
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        files[str(file)] = path
    return files


def compiled(source: Path, folder: Path) -> Path:
    """Compile a module for every Python from ABI on, and return its file."""
    from setuptools import Distribution, Extension  # noqa: PLC0415 - not for an sdist
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415 - as above

    own = ("SOURCE", str(crc32(source.read_bytes())))
    module = Extension(source.stem, [str(source)], define_macros=[own], py_limited_api=True)
    command = build_ext(Distribution({"ext_modules": [module]}))
    command.build_lib = command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(module.name))


def platform_tag() -> str:
    """Return this platform's name in the name of a wheel."""
    from packaging.tags import sys_tags  # noqa: PLC0415 - comes with hatchling

    return next(sys_tags()).platform
