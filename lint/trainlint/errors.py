# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every error that a user can cause: one root, one clear message, never a traceback; names nearly meant."""

from __future__ import annotations

from collections.abc import Collection


class TrainlintError(Exception):
    """Something the user can act on; the command line prints the message alone."""


class UsageError(TrainlintError):
    """Wrong use of trainlint itself: an unknown target, a bad setting, no such path (exit 2)."""


class UnreadableError(TrainlintError):
    """A file that cannot be read as what it claims to be (outcome "unreadable").

    `line` and `column` are 1-based; both are None where the whole file is meant.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class CannotTraceError(TrainlintError):
    """A fact that cannot be worked out, with the reason ("unknown network FooNet"): a skip, not a verdict."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


ARCH = "networks.generator.arch"
"""The field that holds a name which the user's own module does not have."""


class BadArgumentsError(CannotTraceError):
    """What a constructor, or a network's forward, refuses of the config: the run would crash there.

    `about` is the spec's field that holds what is refused; in a list of entries with roles, "field:role".
    """

    def __init__(self, reason: str, about: str = "networks.generator.args") -> None:
        super().__init__(reason)
        self.about = about


class RuleError(TrainlintError):
    """A rule that cannot be loaded or evaluated: loud, never a pass (exit 3 when it happens at run time)."""


class PlacedError(RuleError):
    """A slip in a data file, with the keys and indices that lead to it; who reads the file adds its line."""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path


class EncodingError(UnreadableError):
    """A file whose text is not UTF-8; `text` is what it may say, to tell whose it is."""

    def __init__(self, message: str, text: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message, line, column)
        self.text = text


class BinaryFileError(UnreadableError):
    """A file that holds no text: a config only by the ending of its name."""


class LinkedOutError(UnreadableError):
    """A link that leads out of its repository to a file that is called differently."""


class TemplateError(UnreadableError):
    """An option template with `%name%` holes: no syntax error of the user's, so a skip with this note."""


class TooLargeError(UnreadableError):
    """A file past the reader's limits (bytes, values): a data file rather than a config.

    Named on the command line it is unreadable; met in a folder it need only be counted.
    """


NEAR_RATIO = 0.65
"""difflib's ratio from which on a word may be what was meant: "vea" for "vae", not "nope" for "ignore"."""
CLOSE_RATIO = 0.8
"""That from which on two words are alike."""


LONGEST_WORD = 255
"""Characters of the longest word that is compared: a file's name may have as many (NAME_MAX).

Two words of 100,000 letters are compared for minutes.
"""


def most_alike(word: str, known: Collection[str], ratio: float = NEAR_RATIO) -> str | None:
    """Return the one of some words that is most like another, None where none is like it."""
    return next(iter(words_alike(word, known, 1, ratio)), None)


def words_alike(word: str, known: Collection[str], count: int, ratio: float = NEAR_RATIO) -> list[str]:
    """Return at most `count` of some words that are like another, the likest first."""
    known = [name for name in known if len(name) <= LONGEST_WORD]
    if not known or not count or len(word) > LONGEST_WORD:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - of what is wrong alone

    return get_close_matches(word, known, count, ratio)
