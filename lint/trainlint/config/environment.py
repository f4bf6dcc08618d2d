# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of environment variables, `export NAME="value"` a line, as a shell that sources them sets these."""

from __future__ import annotations

from typing import Final

from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import MOST_VALUES_READ, VARIABLE_LENGTH
from trainlint.model.document import ENVIRONMENT, Document, Path, Source

_LINE: Final = later(
    r"(?m)^[ \t]*+(?:export[ \t]++)?([A-Za-z_]\w*+)(\+?)=((?:\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[^\s\"'])*)"
)
_PART: Final = later(r"\"((?:\\.|[^\"\\])*)\"|'([^']*)'|([^\"']+)")
_VARIABLE: Final = later(r"\$(?:\{(\w+)\}|(\w+))")
_TRUTHS: Final = {"true": True, "false": False}
_WHOLE: Final = later(r"[+-]?\d{1,18}")
_NUMBER: Final = later(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
SHELL_SIGNS: Final = ("$", "`")
"""What a shell replaces: a text that still has one is not known here."""

Value = bool | int | float | str


def parse_environment(source: Source) -> tuple[Document, ...]:
    """Read a file's variables; one set to what only a shell knows is `unknown` in the document's `meta`."""
    texts: dict[str, str] = {}
    offsets: dict[Path, Offsets] = {(): (0, len(source.text), NO_KEY, NO_KEY)}
    for match in _LINE.finditer(source.text):
        name, is_added, raw = match.groups()
        before = texts.get(name, "")
        text = _filled(raw, {name: "", **texts})
        texts[name] = f"{before} {text}".strip() if is_added else text
        offsets[(name,)] = (*match.span(3), *match.span(1))
        _check(texts, name)
    if not texts:
        raise UnreadableError('sets no variable: expected lines such as export NAME="value"', 1, 1)
    value = {name: typed(text) for name, text in texts.items()}
    unknown = {(name,): text for name, text in texts.items() if is_unknown(text)}
    meta = {"unknown": unknown} if unknown else {}
    return (Document(source, value, Places(offsets), ENVIRONMENT, meta=meta),)


def _check(texts: dict[str, str], name: str) -> None:
    if len(texts) > MOST_VALUES_READ:
        raise TooLargeError(f"sets more than {MOST_VALUES_READ:,} variables, which no training config does")
    if len(texts[name]) > VARIABLE_LENGTH:  # A=$A$A, sixty times
        raise TooLargeError(f"{name} is longer than {VARIABLE_LENGTH:,} characters, which no option is")


def _filled(raw: str, texts: dict[str, str]) -> str:
    """Return what a shell makes of a word: without its quotes, variables of the file in their places."""
    return "".join(
        single or _VARIABLE.sub(lambda match: texts.get(match[1] or match[2], match[0]), double or bare)
        for double, single, bare in _PART.findall(raw)
    )


def is_unknown(text: str) -> bool:
    """Return whether a text has a part that only a shell knows."""
    return any(sign in text for sign in SHELL_SIGNS)


def typed(text: str) -> Value:
    """Return the number or truth that a text is as a command's argument, or itself."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return _TRUTHS.get(text.lower(), text)
