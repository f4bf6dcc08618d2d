# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Commands that a page shows over several lines without a continuation mark, to be typed in one.

Where one of the lines has such a mark the others lack theirs, and it is half a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.commands.shell.shell_raw import RawCommand, RawWord
from trainlint.expressions.patterns import later

LEFT_OUT: Final = r"\.{3,}|…"
"""What a page writes for lines, or words, that it leaves out."""
_MARK: Final = later(r"[\\^`][ \t]*\r?(?:\n|\Z)")


def unwrapped(commands: Iterable[RawCommand], text: str) -> Iterator[RawCommand]:
    """Yield commands, each with the lines of options that follow it."""
    whole: RawCommand | None = None
    plain = False
    for command in commands:
        if whole is not None and plain and _continues(whole, command, text):
            whole.words += command.words
            whole.written += command.written
            whole.document = command.document or whole.document
            whole.broken, whole.separator = command.broken, command.separator
            plain = command.broken is None
            continue
        if whole is not None:
            yield whole
        whole, plain = command, _is_plain(command, text)
    if whole is not None:
        yield whole


def goes_on(text: str, end: int, first: RawWord) -> bool:
    """Return whether the next line after a command's `end` goes on with an option."""
    between = text[end : first.start]
    return first.literal.startswith("--") and between.count("\n") == 1 and not between.strip()


def _is_plain(command: RawCommand, text: str) -> bool:
    """Return whether a command runs a script and none of its lines says that it continues."""
    return command.broken is None and command.runs_script and not _is_marked(command, text)


def _continues(command: RawCommand, following: RawCommand, text: str) -> bool:
    return (
        bool(following.words)
        and goes_on(text, command.words[-1].end, following.words[0])
        and not _is_marked(following, text)
    )


def _is_marked(command: RawCommand, text: str) -> bool:
    start, end = command.words[0].start, command.words[-1].end
    return _MARK.search(text, start, min(len(text), end + len(" \\\r\n"))) is not None
