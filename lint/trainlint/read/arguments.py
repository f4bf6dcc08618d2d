# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Words of a command line as flags and positional words, before any parser's knowledge of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from trainlint.read.shell import Word

_FLAG = re.compile(r"--?([A-Za-z_][\w.-]*)(=)?")


@dataclass(frozen=True)
class Argument:
    """One flag (named as argparse's dest), or one positional word (no name); start and end are the flag's."""

    name: str | None
    start: int
    end: int
    words: tuple[Word, ...] = ()


def arguments_of(words: Iterable[Word]) -> tuple[Argument, ...]:
    """Group words as flags with all that follows them; `--name=value` takes its own value alone."""
    found: list[Argument] = []
    closed, options = True, True
    for word in words:
        match = _FLAG.match(word.text) if options else None
        if word.text == "--" and options:
            closed, options = True, False
        elif match and match.group(2):
            found.append(_with_value(word, match))
            closed = True
        elif match and match.end() == len(word.text):
            found.append(Argument(dest(match.group(1)), word.start, word.end))
            closed = False
        elif closed:
            found.append(Argument(None, word.start, word.end, (word,)))
        else:
            found[-1] = replace(found[-1], words=(*found[-1].words, word))
    return tuple(found)


def _with_value(word: Word, match: re.Match[str]) -> Argument:
    at = min(word.start + match.end() - 1, word.end)
    value = Word(word.text[match.end() :], min(at + 1, word.end), word.end, word.resolved)
    return Argument(dest(match.group(1)), word.start, at, (value,))


def dest(flag: str) -> str:
    """Return the name under which argparse keeps a flag (given without its leading dashes)."""
    return flag.replace("-", "_")
