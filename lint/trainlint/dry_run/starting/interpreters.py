# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The interpreter of a program: the user's, the command's, or that of a package's own command."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from trainlint.errors import UsageError


def base(word: str) -> str:
    """Return a program's name without its folder."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def interpreter(python: Path | None, word: str = "python") -> str:
    """Return the interpreter that the user names, else the command's; UsageError where there is none."""
    wanted = str(python) if python is not None else word
    program = shutil.which(wanted) or (shutil.which("python3") if wanted == "python" else None)
    if program is None:
        raise UsageError(f'"{wanted}" is not a Python interpreter that can be run')
    return os.path.abspath(program)


def interpreter_beside(word: str, python: Path | None) -> str:
    """Return the interpreter of a program of Python's, such as torchrun."""
    return interpreter(python) if python is not None else interpreter_of(console_script(word, None))


def console_script(word: str, python: Path | None) -> str:
    """Return the file of a package's command; UsageError where there is none."""
    beside = python.absolute().parent / base(word) if python is not None else None
    script = str(beside) if beside is not None and beside.exists() else shutil.which(word)
    if script is None:
        where = f" next to {python}" if python is not None else ""
        raise UsageError(
            f'"{word}" is not a program that is installed here{where}: name its interpreter with --python'
        )
    return os.path.abspath(script)


def interpreter_of(script: str) -> str:
    """Return the interpreter that the first lines of a package's command name."""
    with open(script, "rb") as file:
        head = file.read(2048).decode("utf-8", "replace")
    first, _, rest = head.partition("\n")
    match = re.match(r"#!\s*(\S*python[\d.]*)\s*(?:-\S+\s*)*$", first)
    if match is None and first.startswith("#!") and base(first.split()[0]) == "sh":
        match = re.match(r"'''exec'?\s+\"?(\S*python[\d.]*)\"?", rest)  # as pip writes it for a long path
    if match is None and re.match(r"#!\s*\S*/env(\s+-S)?\s+python", first):
        return interpreter(None, first.split()[-1])
    if match is None:
        raise UsageError(f'"{script}" is not a Python program: name the Python command that it runs')
    return match[1]
