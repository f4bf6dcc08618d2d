# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Colour, when the reader is a terminal; plain text otherwise."""

from __future__ import annotations

import re

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.model.finding import Outcome
from trainlint.shipped.resource_paths import resource

ANSI_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "1;31",
    "green": "32",
    "yellow": "33",
    "blue": "1;34",
    "cyan": "36",
}
"""SGR parameters (ECMA-48) that every terminal knows. How they look is up to its palette: in xterm's,
yellow is hard to read on white and blue on black."""

SHADE_CODES = {
    **ANSI_CODES,
    "red": "1;38;5;196",
    "green": "1;38;5;28",
    "yellow": "1;38;5;100",
    "blue": "1;38;5;32",
    "cyan": "38;5;31",
}
"""The same from xterm's 256 colours, which no palette changes: at least 3.8:1 on white and on black."""

OUTCOMES = {
    Outcome.FAIL: "red",
    Outcome.UNREADABLE: "red",
    Outcome.WARN: "yellow",
    Outcome.SKIPPED: "cyan",
    Outcome.PASS: "green",
}

_DRAWN_AS_NOTHING = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<![\u203c\u2049\u2100-\u33ff\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)
_CONTROL = later(_DRAWN_AS_NOTHING)
"""Controls, halves of surrogates, line and paragraph separators, and what is drawn as nothing or turns the
direction of its line (Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode 16). The choice
between text and emoji is left alone after a symbol, where configs' comments have it."""

_ANYWHERE = later(r"##(?=[A-Za-z]*\[)")
"""How a command to a CI's runner begins that is obeyed wherever it is in a line: `##[add-mask]` on GitHub
(ActionCommand.TryParse of actions/runner), `##vso[...]` on Azure, `##teamcity[...]`."""

PAGES_URL = "https://trainlint.github.io/trainlint/"
"""The project's address: pyproject.toml and mkdocs.yml have it too."""
RULE_PAGES_URL = f"{PAGES_URL}rules/"
"""Where the rules' pages are; a page is called as its rule."""

_PAINT = "\x1b\\[(?:0|" + "|".join({*ANSI_CODES.values(), *SHADE_CODES.values()}) + ")m"
_LINK = f"\x1b\\]8;;(?:{re.escape(RULE_PAGES_URL)}[a-z0-9-]+/)?\x1b\\\\"
"""The beginning or end of a hyperlink (OSC 8) to a rule's page, and to nothing else."""
_MARKUP = later(f"{_PAINT}|{_LINK}")
_STRAY = later(f"({_PAINT}|{_LINK})|{_DRAWN_AS_NOTHING}")
_AT_START = later(rf"^((?:[^\S\n]|{_PAINT})*)::((?:error|warning|notice) file=)?", re.MULTILINE)
"""GitHub's runner drops white space before it looks for `::` (ActionCommand.TryParseV2)."""


def as_shown(line: str) -> str:
    """Return a finished line without what a terminal does not show of it."""
    return _MARKUP.sub("", line) if "\x1b" in line else line


class Style(Struct, frozen=True):
    """Paints text, or leaves it alone when `colour` is off; `width` is the reader's line.

    `verbose` readers get all of what memory is made of, others what decides. On a `terminal` lines are broken
    at its width and memory is drawn; `links` says that it knows hyperlinks, `shades` 256 colours. In an
    `overview` of many files each has one line.
    """

    colour: bool = False
    width: int = 100
    verbose: bool = False
    terminal: bool = False
    links: bool = False
    shades: bool = False
    overview: bool = False

    def paint(self, name: str, text: str) -> str:
        """Return `text` in the colour `name` (a key of CODES)."""
        code = (SHADE_CODES if self.shades else ANSI_CODES)[name]
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def rule(self, name: str) -> str:
        """Return a rule's name as it follows a message, linked to its page where there is one."""
        page = page_of(name) if self.links else ""
        return f"[\x1b]8;;{page}\x1b\\{name}\x1b]8;;\x1b\\]" if page else f"[{printable(name)}]"

    def outcome(self, outcome: Outcome, text: str) -> str:
        """Return `text` in the colour of a verdict."""
        return self.paint(OUTCOMES[outcome], text)


def page_of(rule: str) -> str:
    """Return the address of a rule's page; "" for a rule that is not ours."""
    return f"{RULE_PAGES_URL}{rule}/" if (resource("rules") / f"{rule}.yaml").is_file() else ""


def printable(text: str) -> str:
    r"""Replace what a linted file could do to a terminal, a log or the CI that reads it.

    For a value inside a line of ours. A line end is written as `\n`: what follows it in a config's own value
    could pass for a line of ours. Letters of any script stay.
    """
    if _is_plain(text):
        return text
    return _ANYWHERE.sub("## ", _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\n", "\\n")))


def _is_plain(text: str) -> bool:
    """Say that a text is of printable ASCII without what Azure's runner looks for, as most are."""
    return text.isascii() and text.isprintable() and "##" not in text


def harmless(text: str, *, annotations: bool = False) -> str:
    """Return finished output in which only our colours and, where asked, annotations are more than text.

    The second lock: `printable` has cleaned each value, and this finds what was forgotten, as well as values
    that begin a line.
    """
    if _is_plain(text.replace("\n", "")) and "::" not in text:
        return text
    text = _STRAY.sub(lambda match: match[1] or "\N{REPLACEMENT CHARACTER}", text)
    return _AT_START.sub(
        lambda match: match[0] if annotations and match[2] else f"{match[1]}: :{match[2] or ''}",
        _ANYWHERE.sub("## ", text),
    )
