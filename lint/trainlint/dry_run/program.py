# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command runs: which interpreter, with which words and variables, as rank 0 of how many processes.

Starters (torchrun, accelerate launch, deepspeed ...) are not run: the first process is started as they would start
it. A word is taken for what it is; a shell's own language is the shell's, and a script of it is refused.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from trainlint.errors import UsageError
from trainlint.lean import dataclass, replace

PYTHON: Final = re.compile(r"(python|pypy|ipython)\d*(\.\d+)*w?(\.exe)?|py(\.exe)?", re.IGNORECASE)
VARIABLE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
TAKING: Final = ("-W", "-X", "--check-hash-based-pycs")
"""Options of Python that take the next word."""
PLAIN: Final = ("nohup", "time", "setsid", "exec", "command", "caffeinate")
"""Programs before a command that change nothing about it, and take no words of their own."""
WITH_WORDS: Final = ("nice", "ionice", "stdbuf", "chrt", "numactl", "taskset", "timeout")
"""The same, with options before the command."""
ENVIRONMENTS: Final = ("uv", "poetry", "pipenv", "conda", "mamba", "micromamba", "pixi", "hatch", "pdm", "rye")
"""Programs that choose an interpreter: with --python what follows `run` is taken, else they are refused."""
SHELLS: Final = ("sh", "bash", "zsh", "fish", "cmd", "powershell", "pwsh", "make", "docker", "podman", "ssh")
SPREADERS: Final = ("srun", "sbatch", "mpirun", "mpiexec", "horovodrun", "pdsh")


@dataclass(frozen=True)
class Program:
    """A Python program: `arguments` follow the interpreter, `script` is the file, module or command that it is.

    `processes` are those that a starter makes of it, None where none does; 0: one for each GPU. `starter` is its
    name. `words` are the command as it was given.
    """

    words: tuple[str, ...]
    interpreter: str
    arguments: tuple[str, ...]
    script: str
    environment: Mapping[str, str] = field(default_factory=dict)
    starter: str | None = None
    processes: int | None = None
    nodes: int = 1
    position: int = 0
    """Where in `arguments` the program's own words begin."""

    @property
    def name(self) -> str:
        """What reports call it: the script, or the command of a package."""
        return self.script

    @property
    def own_words(self) -> tuple[str, ...]:
        """The words that the program itself is given."""
        return self.arguments[self.position :]

    def with_own_words(self, words: Sequence[str]) -> Program:
        """Return the same program with other words of its own."""
        return replace(self, arguments=(*self.arguments[: self.position], *words))


def program_of(words: Sequence[str], python: Path | None = None) -> Program:
    """Read a command; UsageError where it is none that can be rehearsed. `python` is the interpreter to take."""
    if not words:
        raise UsageError("no command given: trainlint dry-run -t TARGET -- python train.py ...")
    rest, variables = _unwrapped(list(words), python)
    if not rest:
        raise UsageError(f'"{" ".join(words)}" runs nothing: expected a Python program')
    found = _read(rest, python)
    return replace(found, words=tuple(words), environment={**variables, **found.environment})


def _unwrapped(words: list[str], python: Path | None) -> tuple[list[str], dict[str, str]]:
    """Take variables and programs that only start another off the front."""
    variables: dict[str, str] = {}
    while words:
        first = base(words[0])
        if (found := VARIABLE.fullmatch(words[0])) and "/" not in found[1]:
            variables[found[1]] = found[2]
            words = words[1:]
        elif first in PLAIN:
            words = words[1:]
        elif first == "env":
            words = _behind_options(words[1:], taking=("-u", "-C", "-S"))
        elif first in WITH_WORDS:
            words = _behind_options(words[1:], number=first in ("timeout", "taskset", "chrt"))
        elif first in ENVIRONMENTS:
            words = _of_environment(first, words, python)
        elif first in SHELLS:
            raise UsageError(
                f'"{first}" runs what a script says: name the Python command in it (python train.py ..., torchrun ...)'
            )
        elif first in SPREADERS:
            raise UsageError(
                f'"{first}" starts processes on other machines: name the Python command that each of them runs'
            )
        else:
            break
    return words, variables


def base(word: str) -> str:
    """Return a program's name without its folder."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _behind_options(words: list[str], *, taking: Sequence[str] = (), number: bool = False) -> list[str]:
    """Return what follows options, and the number that `timeout 60` and its kin take."""
    while words and words[0].startswith("-"):
        takes = words[0] in taking or (len(words) > 1 and re.fullmatch(r"-\d+|\d+|[oe]?[L0]", words[1]) is not None)
        words = words[2 if takes and "=" not in words[0] else 1 :]
    return words[1:] if number and words and not PYTHON.fullmatch(base(words[0])) else words


def _of_environment(name: str, words: list[str], python: Path | None) -> list[str]:
    if python is None:
        raise UsageError(f'"{name} run" chooses the interpreter: name it with --python, for example .venv/bin/python')
    if "run" not in words:
        raise UsageError(f'"{" ".join(words)}" runs no program')
    rest = words[words.index("run") + 1 :]
    while rest and rest[0].startswith("-"):
        takes = rest[0] in ("-n", "--name", "-p", "--prefix", "--with", "--env", "-e", "--project", "--extra")
        rest = rest[2 if takes else 1 :]
    return rest


def _read(words: list[str], python: Path | None) -> Program:
    from trainlint.dry_run.starter import STARTERS, started  # noqa: PLC0415 - it reads programs itself

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
    from trainlint.dry_run.starter import MODULES, started  # noqa: PLC0415 - it reads programs itself

    which = interpreter(python, words[0])
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        option = words[at]
        if option in ("-m", "-c") or (re.fullmatch(r"-[bBdEhiIOPqsSuvx]+[mc]", option) is not None):
            if at + 1 >= len(words):
                raise UsageError(f'"{" ".join(words)}" ends where a module or code is expected')
            named = words[at + 1]
            if option.endswith("m") and named in MODULES:
                return started(MODULES[named], words[at + 2 :], which)
            kind = f"python -m {named}" if option.endswith("m") else "python -c"
            return Program((), which, tuple(words[1:]), kind, position=at + 1)
        at += 2 if option in TAKING else 1
    if at >= len(words) or words[at] == "-":
        raise UsageError(f'"{" ".join(words)}" names no script: expected python SCRIPT ...')
    return Program((), which, tuple(words[1:]), words[at], position=at)


def interpreter(python: Path | None, word: str = "python") -> str:
    """Return the interpreter: the one named by the user, else the command's; UsageError where there is none."""
    wanted = str(python) if python is not None else word
    found = shutil.which(wanted) or (shutil.which("python3") if wanted == "python" else None)
    if found is None:
        raise UsageError(f'"{wanted}" is no Python interpreter that can be run')
    return os.path.abspath(found)  # noqa: PTH100 - a link to it is another environment


def interpreter_beside(word: str, python: Path | None) -> str:
    """Return the interpreter of a program of Python's, such as torchrun."""
    return interpreter(python) if python is not None else interpreter_of(console_script(word, None))


def console_script(word: str, python: Path | None) -> str:
    """Return the file of a package's command; UsageError where there is none."""
    beside = python.absolute().parent / base(word) if python is not None else None
    found = str(beside) if beside is not None and beside.exists() else shutil.which(word)
    if found is None:
        where = f" beside {python}" if python is not None else ""
        raise UsageError(f'"{word}" is no program that is installed here{where}: name its interpreter with --python')
    return os.path.abspath(found)  # noqa: PTH100 - as above


def interpreter_of(script: str) -> str:
    """Return the interpreter that the first lines of a package's command name."""
    with open(script, "rb") as file:  # noqa: PTH123 - a few bytes
        head = file.read(2048).decode("utf-8", "replace")
    first, _, rest = head.partition("\n")
    found = re.match(r"#!\s*(\S*python[\d.]*)\s*(?:-\S+\s*)*$", first)
    if found is None and first.startswith("#!") and base(first.split()[0]) == "sh":
        found = re.match(r"'''exec'?\s+\"?(\S*python[\d.]*)\"?", rest)  # as pip writes it for a long path
    if found is None and re.match(r"#!\s*\S*/env(\s+-S)?\s+python", first):
        return interpreter(None, first.split()[-1])
    if found is None:
        raise UsageError(f'"{script}" is no Python program: name the Python command that it runs')
    return found[1]
