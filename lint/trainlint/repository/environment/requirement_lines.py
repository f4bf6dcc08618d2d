# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The lines of a file that ask for packages: not a project's own name, not a tool's list of modules."""

from __future__ import annotations

import re
from itertools import zip_longest

from trainlint.expressions.patterns import later

_COMMENT = later(r"(?m)(?:^|[ \t])#[^\n]*")
_HEADER = later(r"(?m)^[ \t]*\[{1,2}([^\[\]\n]+)\]{1,2}[ \t]*\r?$")
_OWN_NAME = later(r"(?m)(?:^|(?<=[\s(,]))[\"']?name[\"']?[ \t]*[:=][ \t]*[\"']?[\w.-]+[\"']?")
_OWN_PARTS = later(
    r"\b(?:ext_modules|include|keywords|package_data|package_dir|packages|py[-_]modules)[ \t]*="
    r"[ \t]*(?:\[[^\]]{0,4000}\]|\{[^}]{0,4000}\}|\"[^\"\n]*\"|'[^'\n]*')"
)
_EXTRAS = later(
    r"[\"'](?!install_requires|requires)[\w.-]+[\"'][ \t]*:[ \t]*\[(?:[^\[\]]|\[[\w,-]*\]){0,4000}\]"
)
"""What a setup.py lists for those who ask for it alone: {"npu": ["torch==2.1.0"]}."""
_LISTS = ("ext_modules", "include", "keywords", "package_", "packages", "py-modules", "py_modules")
"""What begins each of them."""
_MOVING = later(r"(?mi)^[ \t]*(?:ADD|CMD|COPY|ENTRYPOINT|ENV|LABEL|USER|VOLUME|WORKDIR)\b[^\n]*")
_ASKING = {
    "setup.cfg": later(r"options\b"),
    "pyproject.toml": later(
        r"(?:build-system|dependency-groups|project|tool\.(?:hatch|pdm|pixi|poetry|uv))\b"
    ),
}
"""Sections that hold requirements, of files whose other sections name modules for linters and sorters."""


def asking(file: str, text: str) -> str:
    """Return the text of a file with this name, blanks for comments and all that asks for no package."""
    text = _without(_COMMENT, "#", text)
    if file == "Dockerfile":
        return _MOVING.sub(_blank, text)
    if file in _ASKING:
        text = _sections(text, _ASKING[file])
    if file.endswith(".py"):
        text = _EXTRAS.sub(_blank, text)
    text = _without(_OWN_NAME, "name", text)
    return _OWN_PARTS.sub(_blank, text) if any(word in text for word in _LISTS) else text


def _without(pattern: re.Pattern[str], word: str, text: str) -> str:
    """Return a text with blanks for what a pattern of one line matches; `word` is in all that it matches."""
    return "\n".join(pattern.sub(_blank, line) if word in line else line for line in text.split("\n"))


def _sections(text: str, kept: re.Pattern[str]) -> str:
    headers = list(_HEADER.finditer(text))
    if not headers:
        return text
    parts = [text[: headers[0].start()]]
    for header, after in zip_longest(headers, headers[1:]):
        part = text[header.start() : after.start() if after else len(text)]
        parts.append(part if kept.match(header[1].strip()) else _blanks(part))
    return "".join(parts)


def _blank(match: re.Match[str]) -> str:
    return _blanks(match[0])


def _blanks(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
