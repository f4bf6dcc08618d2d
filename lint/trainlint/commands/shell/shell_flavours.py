# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How the families of shells write escapes, comments and variables."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.expressions.patterns import later


class Flavour(Struct, frozen=True):
    """How one shell family writes things."""

    name: str
    escape: str
    """Escapes the next character; at a line's end it continues the line."""
    comment: re.Pattern[str]
    """Matches a comment where a word could start."""
    variable: re.Pattern[str]
    """Matches a use of a variable; its name or expression is the first group that took part."""
    comment_starts_command: bool = False
    """A comment is only where a command could (`rem`)."""
    single_quotes: bool = True
    windows_paths: bool = False
    """A backslash inside a word such as C:\\data or .\\data is a path separator."""
    of_pages: bool = False
    """Written for people to read: words in brackets are theirs to fill in."""
    unix_ends: bool = False
    """A line ends in LF alone: an escaped CR is a word."""


_POSIX_VARIABLE = r"\$(?:\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|([A-Za-z_]\w*|[0-9@*#?!$-]))"
POSIX: Final = Flavour("posix", "\\", later(r"#[^\n]*"), later(_POSIX_VARIABLE))
SCRIPT: Final = replace(POSIX, unix_ends=True)
PAGE_SHELL: Final = Flavour("posix", "\\", POSIX.comment, POSIX.variable, windows_paths=True, of_pages=True)
NOTEBOOK: Final = Flavour("posix", "\\", POSIX.comment, later(_POSIX_VARIABLE + r"|\{([A-Za-z_]\w*)\}"))
BATCH: Final = Flavour(
    "batch",
    "^",
    later(r"(?:rem\b|::)[^\n]*", re.IGNORECASE),
    later(r"%([A-Za-z_]\w*)%|!([A-Za-z_]\w*)!|%(\*|~[A-Za-z]*\d|\d)|%%~?(\w)"),
    comment_starts_command=True,
    single_quotes=False,
)
POWERSHELL: Final = Flavour(
    "powershell",
    "`",
    later(r"<#.*?#>|#[^\n]*", re.DOTALL),
    later(r"\$(?:\{([^{}]*)\}|((?:[A-Za-z]+:)?[A-Za-z_]\w*|[0-9$?]))"),
)
