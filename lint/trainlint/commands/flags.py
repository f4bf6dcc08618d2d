# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Words of a command line as flags and positional words, before any parser's knowledge of them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from trainlint.commands.shell.shell_raw import Word
from trainlint.expressions.patterns import later

_FLAG = later(r"--?([A-Za-z_][\w.-]*)(=)?")


class Argument(Struct, frozen=True):
    """One flag (named as argparse's dest), or one positional word (no name); start and end are the flag's."""

    name: str | None
    start: int
    end: int
    words: tuple[Word, ...] = ()
    flag: str = ""
    """The flag as the program gets it, without quotes and variables; empty where only the shell knows it."""


def arguments_of(words: Iterable[Word]) -> tuple[Argument, ...]:
    """Group words as flags with all that follows them; `--name=value` takes its own value alone."""
    arguments: list[tuple[str | None, int, int, list[Word], str]] = []
    closed, options = True, True
    for word in words:
        match = _FLAG.match(word.text) if options else None
        if word.text == "--" and options:
            closed, options = True, False
        elif match and match.group(2):
            equals = min(word.start + match.end() - 1, word.end)
            value = Word(word.text[match.end() :], min(equals + 1, word.end), word.end, word.resolved)
            flag = word.text[: match.end() - 1]
            arguments.append((dest(match.group(1)), word.start, equals, [value], flag))
            closed = True
        elif match and match.end() == len(word.text):
            flag = word.text if word.resolved else ""
            arguments.append((dest(match.group(1)), word.start, word.end, [], flag))
            closed = False
        elif closed:
            arguments.append((None, word.start, word.end, [word], ""))
        else:
            arguments[-1][3].append(word)
    return tuple(
        Argument(name, start, end, tuple(taken), flag) for name, start, end, taken, flag in arguments
    )


def dest(flag: str) -> str:
    """Return the name under which argparse keeps a flag (given without its leading dashes)."""
    return flag.replace("-", "_")
