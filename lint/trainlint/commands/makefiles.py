# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Makefiles: the commands of their recipes, as a script that sets the file's own variables first.

A recipe sees the last value of a variable wherever that is set. One that is set twice, under a condition, for
some targets alone, by a function, or before a file is included is unknown, and so is each in such a file.
Each line of a recipe is run by a shell of its own.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from trainlint.commands.scripts import commands_of, numbered
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.config.extracted_text import Excerpt
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Source

_RECIPE = later(r"^\t[ \t@+-]*((?:[^\\\n]++|\\(?:\r?\n|[^\n]|\Z))*+)", re.MULTILINE)
_SET = later(r"^(?:export[ ]+|override[ ]+)*([A-Za-z_]\w*)[ ]*([:?+!]{0,3})=[ \t]*([^\n#]*)", re.MULTILINE)
_SET_FOR = later(r"^[^\s#=][^\n#=:]*:[ \t]*(?:export[ ]+)?([A-Za-z_]\w*)[ \t]*[:?+]*=", re.MULTILINE)
_CONDITION = later(r"^[ ]*(?:(ifn?eq|ifn?def)|(endif))\b", re.MULTILINE)
_INCLUDE = later(r"^[ ]*[-s]?include[ \t]+([^\n#]*)", re.MULTILINE)
_PATTERN = later(r"[$*?\[~\\]")
_VALUE = later(r"(?:[^\"'`$\\\n]|\$\(\w+\)|\$\{\w+\})*")
_DOLLAR = later(r"\$(?:\((\w+)\)|([$@<^*?+%|]))")


def parse_make(source: Source) -> tuple[Document, ...]:
    """Read a makefile: one document for each training command of its recipes."""
    return _recipes(source, [part for setting in _settings(source.text) for part in setting])


def parse_included(source: Source) -> tuple[Document, ...]:
    """Read a makefile that another includes: that one may set each of its variables again."""
    return _recipes(source, [])


def included(text: str) -> Iterator[str]:
    """Yield the names of the files that a makefile includes, as far as they are written out."""
    for line in _INCLUDE.finditer(text):
        yield from (name for name in line[1].split() if not _PATTERN.search(name))


def _recipes(source: Source, parts: list[tuple[str, int]]) -> tuple[Document, ...]:
    for recipe in _RECIPE.finditer(source.text):
        parts += [("(\n", recipe.start(1)), *_shell(source.text, *recipe.span(1)), ("\n)\n", recipe.end(1))]
    offsets = [offset for text, start in parts for offset in _offsets(source.text, text, start)]
    excerpt = Excerpt(source, "".join(text for text, _ in parts), [*offsets, len(source.text)])
    return numbered(commands_of(excerpt, Shell(POSIX)))


def _offsets(source: str, text: str, start: int) -> Iterator[int]:
    """Yield where each character is from; what was added is from one place."""
    same = source.startswith(text, start)
    yield from (start + n if same else min(start + n, start + 1) for n in range(len(text)))


def _settings(text: str) -> Iterator[list[tuple[str, int]]]:
    """Yield the variables with one value as the shell sets them: pieces of text, and where each is from."""
    settings = list(_SET.finditer(text))
    times = Counter(
        [*(setting[1] for setting in settings), *(setting[1] for setting in _SET_FOR.finditer(text))]
    )
    includes = max((line.end() for line in _INCLUDE.finditer(text)), default=0)
    marks = list(_CONDITION.finditer(text))
    depths = [0, *accumulate(1 if mark[1] else -1 for mark in marks)]
    starts = [mark.start() for mark in marks]
    for setting in settings:
        value = setting[3].rstrip()
        plain = setting[2] in ("", ":", "::", "?") and _VALUE.fullmatch(value)
        last = setting.start() >= includes and (not includes or "?" not in setting[2])
        always = times[setting[1]] == 1 and last and depths[bisect(starts, setting.start())] <= 0
        if plain and always:
            end = setting.start(3) + len(value)
            inner = _shell(text, setting.start(3), end)
            yield [(setting[1], setting.start(1)), ('="', setting.start(3)), *inner, ('"\n', end)]


def _shell(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield make's text as the shell would write it: ${NAME} for $(NAME), $ for $$, an unknown for $@."""
    for match in _DOLLAR.finditer(text, start, end):
        yield text[start : match.start()], start
        name = f"${{{match[1]}}}" if match[1] else "$" if match[2] == "$" else "$1"
        yield name, match.start()
        start = match.end()
    yield text[start:end], start
