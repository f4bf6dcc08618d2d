# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Variables that a command's words set for the program behind them: `env A=b python`, `docker run -e A=b`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from trainlint.commands.shell.shell_raw import Word
from trainlint.expressions.patterns import later

_ASSIGNMENT: Final = later(r"([A-Za-z_]\w*)=(.*)")
_SETTING: Final = frozenset(("env", "sudo", "doas"))
"""Programs whose own words may be assignments."""
_TAKES_OTHER: Final = frozenset(("-u", "-C", "-S", "-g", "-h", "-p", "-D", "-R", "-T"))
"""Options of theirs whose next word is none."""
_PASSING: Final = frozenset(
    ("docker", "podman", "singularity", "apptainer", "srun", "sbatch", "mpirun", "mpiexec", "horovodrun")
)
_TAKES: Final = frozenset(("-e", "--env", "-x", "--export"))
"""Options of these whose next word is an assignment, or has several between commas."""


def passed_variables(words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield the variables that the words before the program set, and their texts."""
    setting = passing = False
    for before, word in pairwise((Word("", 0, 0), *words)):
        text, name = word.text, word.text.rpartition("/")[2]
        if name.startswith("python"):
            return
        option, _, given = text.partition("=")
        if name in _SETTING:
            setting = True
        elif name in _PASSING:
            passing = True
        elif setting and not text.startswith("-") and before.text not in _TAKES_OTHER:
            setting = "=" in text
            yield from _assigned(text if setting else "")
        elif passing and before.text in _TAKES:
            yield from _assigned(text)
        elif passing and option in _TAKES:
            yield from _assigned(given)


def _assigned(text: str) -> Iterator[tuple[str, str]]:
    """Yield the assignments of `A=b` or `ALL,A=b,C=d`; one with commas in its value is a single one."""
    whole = _ASSIGNMENT.fullmatch(text)
    for part in (text,) if whole else text.split(","):
        if match := _ASSIGNMENT.fullmatch(part):
            yield match[1], match[2]
