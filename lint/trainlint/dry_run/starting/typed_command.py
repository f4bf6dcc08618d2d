# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command runs, word by word.

Starters (torchrun, accelerate launch, deepspeed ...) are not run: the first process is started as they would
start it. A word is taken for what it is; a shell's own language is the shell's, and a script of it is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from trainlint.dry_run.starting.interpreters import (
    base,
    console_script,
    interpreter,
    interpreter_beside,
    interpreter_of,
)
from trainlint.dry_run.starting.program import Program
from trainlint.dry_run.starting.starter import MODULES, STARTERS, started
from trainlint.errors import UsageError

PYTHON: Final = re.compile(r"(python|pypy|ipython)\d*(\.\d+)*w?(\.exe)?|py(\.exe)?", re.IGNORECASE)
VARIABLE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
OPTIONS_WITH_WORD: Final = ("-W", "-X", "--check-hash-based-pycs")
"""Options of Python that take the next word."""
TRANSPARENT_PROGRAMS: Final = ("nohup", "time", "setsid", "exec", "command", "caffeinate")
"""Programs before a command that change nothing about it, and take no words of their own."""
WITH_WORDS: Final = ("nice", "ionice", "stdbuf", "chrt", "numactl", "taskset", "timeout")
"""The same, with options before the command."""
ENVIRONMENTS: Final = (
    "uv",
    "poetry",
    "pipenv",
    "conda",
    "mamba",
    "micromamba",
    "pixi",
    "hatch",
    "pdm",
    "rye",
)
"""Programs that choose an interpreter: with --python what follows `run` is taken, else they are refused."""
SHELLS: Final = ("sh", "bash", "zsh", "fish", "cmd", "powershell", "pwsh", "make", "docker", "podman", "ssh")
MULTI_NODE_LAUNCHERS: Final = ("srun", "sbatch", "mpirun", "mpiexec", "horovodrun", "pdsh")


def program_of(words: Sequence[str], python: Path | None = None) -> Program:
    """Read a command; UsageError where it cannot be run. `python` is the interpreter to take."""
    if not words:
        raise UsageError("no command given: trainlint dry-run -t TARGET -- python train.py ...")
    rest, variables = _unwrapped(list(words), python)
    if not rest:
        raise UsageError(f'"{" ".join(words)}" runs nothing: expected a Python program')
    command = _read(rest, python)
    return replace(
        command,
        words=tuple(words),
        environment={**variables, **command.environment},
        is_environment_named=python is not None,
    )


def _unwrapped(words: list[str], python: Path | None) -> tuple[list[str], dict[str, str]]:
    """Take variables and programs that only start another off the front."""
    variables: dict[str, str] = {}
    while words:
        first = base(words[0])
        if (match := VARIABLE.fullmatch(words[0])) and "/" not in match[1]:
            variables[match[1]] = match[2]
            words = words[1:]
        elif first in TRANSPARENT_PROGRAMS:
            words = words[1:]
        elif first == "env":
            words = _behind_options(words[1:], taking=("-u", "-C", "-S"))
        elif first in WITH_WORDS:
            words = _behind_options(words[1:], number=first in ("timeout", "taskset", "chrt"))
        elif first in ENVIRONMENTS:
            words = _of_environment(first, words, python)
        elif first in SHELLS:
            raise UsageError(
                f'"{first}" runs what a script says: name the Python command in it (python train.py ...)'
            )
        elif first in MULTI_NODE_LAUNCHERS:
            raise UsageError(f'"{first}" starts processes on other machines: name the Python command of each')
        else:
            break
    return words, variables


def _behind_options(words: list[str], *, taking: Sequence[str] = (), number: bool = False) -> list[str]:
    """Return what follows options, and the number that `timeout 60` and its kin take."""
    while words and words[0].startswith("-"):
        takes = words[0] in taking or (
            len(words) > 1 and re.fullmatch(r"-\d+|\d+|[oe]?[L0]", words[1]) is not None
        )
        words = words[2 if takes and "=" not in words[0] else 1 :]
    return words[1:] if number and words and not PYTHON.fullmatch(base(words[0])) else words


def _of_environment(name: str, words: list[str], python: Path | None) -> list[str]:
    if python is None:
        raise UsageError(
            f'"{name} run" chooses the interpreter: name it with --python, for example .venv/bin/python'
        )
    if "run" not in words:
        raise UsageError(f'"{" ".join(words)}" runs no program')
    rest = words[words.index("run") + 1 :]
    while rest and rest[0].startswith("-"):
        takes = rest[0] in ("-n", "--name", "-p", "--prefix", "--with", "--env", "-e", "--project", "--extra")
        rest = rest[2 if takes else 1 :]
    return rest


def _read(words: list[str], python: Path | None) -> Program:
    name = base(words[0])
    if PYTHON.fullmatch(name):
        return _python(words, python)
    if name in STARTERS:
        return started(name, words[1:], interpreter_beside(words[0], python))
    if name.endswith((".py", ".pyc", ".pyz")):
        return Program((), interpreter(python), tuple(words), words[0], position=1)
    script = console_script(words[0], python)
    return Program((), str(python or interpreter_of(script)), (script, *words[1:]), name, position=1)


def _python(words: list[str], python: Path | None) -> Program:
    """Read what follows python: its options, then a script, a module or code."""
    which = interpreter(python, words[0])
    position = 1
    while position < len(words) and words[position].startswith("-") and words[position] != "-":
        option = words[position]
        if option in ("-m", "-c") or (re.fullmatch(r"-[bBdEhiIOPqsSuvx]+[mc]", option) is not None):
            if position + 1 >= len(words):
                raise UsageError(f'"{" ".join(words)}" ends where a module or code is expected')
            named = words[position + 1]
            if option.endswith("m") and named in MODULES:
                return started(MODULES[named], words[position + 2 :], which)
            kind = f"python -m {named}" if option.endswith("m") else "python -c"
            return Program((), which, tuple(words[1:]), kind, position=position + 1)
        position += 2 if option in OPTIONS_WITH_WORD else 1
    if position >= len(words) or words[position] == "-":
        raise UsageError(f'"{" ".join(words)}" names no script: expected python SCRIPT ...')
    return Program((), which, tuple(words[1:]), words[position], position=position)
