# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Code cells: `!python ...`, `%run`, `%%bash` and `%%writefile`, with the variables that earlier cells set.

The Python around them is not parsed: a cell may be any language, or half written. Only lines of the form
`NAME = literal` are looked at, because `!train.py --batch {NAME}` uses them.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from trainlint.commands.scripts import commands_of
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import NOTEBOOK
from trainlint.commands.shell.working_folder import WorkingFolder
from trainlint.config.extracted_text import Excerpt
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import Budget
from trainlint.model.document import Document

_CELL_MAGIC = later(r"\s*%%(\S+)[ \t]*([^\n]*)\n?")
_TRANSPARENT = frozenset(("capture", "time", "timeit", "prun", "skip"))
_SHELL = frozenset(("bash", "sh", "shell", "system", "sx", "!", "cmd"))
_LINE = later(r"[ \t]*(?:[A-Za-z_][\w, ]*=[ \t]*)?(?:!{1,2}|%(?:sx|system)[ \t]+|%(?=run[ \t]))")
_ENV = later(r"[ \t]*%(?:set_)?env[ \t]+([A-Za-z_]\w*)(?:[ \t]*+=|[ \t])[ \t]*+(\S[^\n]*)")
_ENVIRON = later(r"[ \t]*os\.environ\[([\"'])(\w+)\1\][ \t]*=[ \t]*([\"'])(.*?)\3")
_CHANGED = later(r"[ \t]*(?:%cd[ \t]+([^\n#]+)|os\.chdir\(([\"'])(.*?)\2\))")
_LITERAL = later(r"([A-Za-z_]\w*)[ \t]*=[ \t]*([^=\n#][^\n]*)")
_CONTINUED = later(r"\\[ \t]*(?:#[^\n]*)?\r?\n?$")
_LONGEST_LITERAL = 300

Fragment = Callable[[Excerpt, str], Iterator[Document]]
"""Reads the text that `%%writefile` writes, given its suffix."""


class Cells:
    """The cells of one notebook in order: they share variables and environment."""

    def __init__(self, fragment: Fragment | None = None, budget: Budget | None = None) -> None:
        self._shell = Shell(NOTEBOOK, budget)
        self._fragment = fragment
        self._folder = WorkingFolder()

    def know(self, before: Iterable[str], variables: Iterable[tuple[str, str]]) -> None:
        """Take in what cells before these have set, and then the values that their kernel has."""
        for text in before:
            for line in text.splitlines():
                self._note(line)
        for name, value in variables:
            self._shell.variables.assign(name, value)

    def documents(self, excerpt: Excerpt, **changes: Any) -> Iterator[Document]:
        """Yield the training commands (and written configs) of a cell; `changes` are fields of theirs."""
        start = 0
        while (magic := _CELL_MAGIC.match(excerpt.text, start)) and magic.group(1) in _TRANSPARENT:
            start = magic.end()
        rest = excerpt.part(magic.end() if magic else start, len(excerpt.text))
        if magic is None:
            yield from self._python(rest, **changes)
            return
        name, argument = magic.groups()
        if name in _SHELL or (name == "script" and argument.split()[:1] in (["bash"], ["sh"])):
            yield from self._commands(rest, **changes)
        elif name in ("writefile", "file") and self._fragment:
            suffix = argument.strip().rpartition(".")[2].strip("\"'").lower()
            yield from (replace(document, **changes) for document in self._fragment(rest, suffix))

    def _python(self, excerpt: Excerpt, **changes: Any) -> Iterator[Document]:
        start = 0
        lines = deque(excerpt.text.splitlines(keepends=True))
        while lines:
            parts = [lines.popleft()]
            mark = _LINE.match(parts[0])
            while mark and lines and _CONTINUED.search(parts[-1]):
                parts.append(lines.popleft())
            text = "".join(parts)
            if mark:
                skip = mark.end() + (
                    len("run") if text.startswith("run", mark.end()) and text[mark.end() - 1] == "%" else 0
                )
                yield from self._commands(excerpt.part(start + skip, start + len(text)), **changes)
            else:
                self._note(text)
            start += len(text)

    def _commands(self, excerpt: Excerpt, **changes: Any) -> Iterator[Document]:
        """Yield the commands of a shell of its own, which starts where the kernel is."""
        self._shell.folder = WorkingFolder(self._folder.here)
        yield from commands_of(excerpt, self._shell, **changes)

    def _note(self, line: str) -> None:
        """Take in a line that sets a variable or the environment, or changes the kernel's folder."""
        if match := _CHANGED.match(line):
            target = (match.group(1) or match.group(3)).strip().strip("\"'")
            self._folder.enter(None if set(target) & set("{}$") else target)
        elif match := _ENV.match(line):
            self._shell.variables.export(match.group(1), match.group(2).strip())
        elif match := _ENVIRON.match(line):
            self._shell.variables.export(match.group(2), match.group(4))
        elif (match := _LITERAL.match(line)) and len(line) < _LONGEST_LITERAL:
            self._shell.variables.assign(match.group(1), _literal(match.group(2)))


def _literal(text: str) -> str | None:
    """Return the text that a Python literal has in a command line; None for anything else."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return str(value) if isinstance(value, str | int | float | bool) else None
