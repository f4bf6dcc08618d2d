# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns for file names, matched in time that grows with name times pattern, whatever the stars.

A star takes as little as lets the next fixed part match, and never gives back what it took (atomic groups):
fixed parts have a fixed length, so the first match is as good as any later one. Regular expressions that try
every split instead need longer than anyone waits for `*a*a*a*a*a*a*b`.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from os.path import normcase
from pathlib import PurePath

from msgspec import Struct

from trainlint.expressions.patterns import later

MOST_PATTERN_CHARACTERS = 4_096
"""Characters of a pattern that can match: Linux' longest path (PATH_MAX) has no more."""

GLOB_EXAMPLE = 'a glob such as "old/*.yml", with a "]" for each "["'
"""What is expected where `is_glob` says no."""

KEPT_PATTERNS = 8_192
"""Patterns that are kept compiled: more than a schema has parts, or settings may hold."""

_TOKEN = later(r"\*+|\\.|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*+(\]|\Z)|.", re.DOTALL)
_MEMBER = later(r"\[:(\w+):\]|\\?([^-])", re.DOTALL)
_MAGIC = later(r"[*?\[\\]")
_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F",
}  # fmt: skip


class Pattern(Struct, frozen=True):
    """A line of a .gitignore: which paths below the file's folder it speaks of, and what it says."""

    ignores: bool
    folders_only: bool
    literal: str | None
    """The whole name or path where the line has no stars: most have none."""
    regex: re.Pattern[str] | None
    whole: bool
    """It is matched against the path, not the last name."""

    def matches(self, path: str, *, folder: bool) -> bool:
        """Say whether it speaks of a path (no slash at its end)."""
        if self.folders_only and not folder:
            return False
        text = path if self.whole else path.rpartition("/")[2]
        return text == self.literal if self.regex is None else self.regex.fullmatch(text) is not None


def pattern_of(line: str) -> Pattern | None:
    """Read a line of a .gitignore; None for a comment, a blank and what can match nothing."""
    text = _without_blanks(line.rstrip("\r\n"))
    if not text or text.startswith("#") or len(text) > MOST_PATTERN_CHARACTERS:
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    folders_only = text.endswith("/")
    text = text[:-1] if folders_only else text
    whole = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    if not _MAGIC.search(text):
        return Pattern(ignores, folders_only, text, None, whole)
    try:
        regex = re.compile(_path(text.split("/")) if whole else _name(text))
    except re.error:
        return None  # a range the wrong way round or a bracket left open matches nothing in git, too
    return Pattern(ignores, folders_only, None, regex, whole)


class Ending(Struct, frozen=True):
    """A glob that is matched from a path's end, part by part, as PurePath.match does.

    PurePath.match itself tries every split of a part with stars in Python 3.13.
    """

    parts: tuple[re.Pattern[str] | str, ...]
    absolute: bool

    def matches(self, path: PurePath) -> bool:
        """Say whether a path ends as this says."""
        names = path.parts
        if len(self.parts) > len(names) or (self.absolute and len(self.parts) != len(names)):
            return False
        return all(
            normcase(name) == part if isinstance(part, str) else part.match(normcase(name)) is not None
            for name, part in zip(reversed(names), reversed(self.parts), strict=False)
        )


def ending_of(pattern: str) -> Ending | None:
    """Read a glob for the end of a path; None for what can match nothing."""
    wanted = PurePath(pattern)
    if not wanted.parts or len(pattern) > MOST_PATTERN_CHARACTERS:
        return None
    parts = (_compiled(part) if _MAGIC.search(part) else normcase(part) for part in wanted.parts)
    return Ending(tuple(parts), wanted.is_absolute())


def is_glob(text: str) -> bool:
    """Say whether a text is a glob that somebody means: not empty, each bracket closed.

    To fnmatch a bracket that is left open is one of a file's name, which "[[]" writes on purpose.
    """
    return bool(text.strip()) and "[" not in text[text.rfind("]") + 1 :]


def matches_name(name: str, pattern: str) -> bool:
    """Say whether a glob matches a name or path as a whole, where a star represents slashes too."""
    return len(pattern) <= MOST_PATTERN_CHARACTERS and _compiled(pattern).match(normcase(name)) is not None


@lru_cache(KEPT_PATTERNS)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile one of fnmatch's patterns.

    It looks for the end of each bracket on its own, one after the other: those behind the last that could end
    one are escaped before.
    """
    end = pattern.rfind("]") + 1
    return re.compile(translate(normcase(pattern[:end] + pattern[end:].replace("[", "[[]"))))


def _without_blanks(text: str) -> str:
    """Drop the blanks at the end but for one behind a backslash."""
    bare = text.rstrip(" \t")
    return text[: len(bare) + 1] if bare.endswith("\\") and len(bare) < len(text) else bare


def _path(names: list[str]) -> str:
    """Translate a pattern with slashes; `**` represents any folders, at the end for all that is in one."""
    groups: list[list[str]] = [[]]
    for name in names:
        if name.startswith("**") and not name.strip("*"):
            groups.append([])
        else:
            groups[-1].append(_name(name))
    first, *later = groups
    if not later:
        return "/".join(first)
    *middle, last = later
    expression = "".join(f"{name}/" for name in first)
    for group in filter(None, middle):
        expression += f"(?>(?:[^/]+/)*?{'/'.join(group)}/)"
    return expression + (f"(?:[^/]+/)*{'/'.join(last)}" if last else ".+")


def _name(text: str) -> str:
    """Translate one part of a path."""
    first, *rest = _split(text)
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>[^/]*?{part})" for part in middle if part) + f"[^/]*{last}(?![^/])"


def _split(text: str) -> list[str]:
    """Return the translated parts between stars; re.error for a bracket left open."""
    parts = [""]
    for match in _TOKEN.finditer(text):
        if match[1] == "":
            raise re.error("a bracket is left open", text)
        if match.group().startswith("*"):
            parts.append("")
        else:
            parts[-1] += _one_character(match.group())
    return parts


def _one_character(sign: str) -> str:
    """Translate what represents one character."""
    if sign == "?":
        return "[^/]"
    if sign.startswith("[") and len(sign) > 1:
        negated = sign[1] in "!^"
        body = _MEMBER.sub(_member, sign[1 + negated : -1])
        return f"(?!/)[{'^' * negated}{body}]"
    return re.escape(sign[-1])


def _member(match: re.Match[str]) -> str:
    name, character = match.groups()
    return _CLASSES.get(name, "") if name else re.escape(character)
