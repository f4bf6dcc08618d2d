# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns as Python's `re` compiled them, kept: compiling them is a twentieth of a small file's time.

Kept is what `re` hands to its engine, under the pattern's text and flags, for this very Python. The engine
looks at such code before it takes it; what is not kept, damaged, or of another form is compiled.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]  # typeshed lacks it
import atexit
import re
import sys
from array import array
from collections.abc import Mapping
from functools import cache
from typing import Final

Written = tuple[str, int]
"""A pattern's text and flags, as they were asked for."""
Handed = tuple[int, bytes, int, dict[str, int]]
"""What the engine is given besides the text: all flags, the code, the number of groups and their names."""

KEPT: Final = "shipped-patterns"
MOST: Final = 1000
"""Patterns that are kept; trainlint has 400, and a schema that somebody brings has its own."""
_WORD: Final = "I"
"""An array's type for the engine's words, which have four bytes (`_sre.CODESIZE`)."""
_COMPILE: Final = re.compile

_missed: dict[Written, re.Pattern[str]] = {}


def compiled(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern, as it was kept where it was; raises re.error as `re.compile` does."""
    handed = _known().get((text, int(flags)))
    if handed is not None:
        try:
            return _given(text, *handed)
        except (IndexError, OverflowError, RuntimeError, TypeError, ValueError):
            pass  # no code of this engine's
    pattern = _COMPILE(text, flags)
    if not _missed:
        atexit.register(_keep)
    _missed[text, int(flags)] = pattern
    return pattern


def _given(text: str, flags: int, code: bytes, groups: int, names: dict[str, int]) -> re.Pattern[str]:
    """Have the engine take a pattern's code, as the last line of `re._compiler.compile` does."""
    named: list[str | None] = [None] * (groups + 1)
    for name, index in names.items():
        named[index] = name
    words = array(_WORD, code).tolist()
    pattern: re.Pattern[str] = _sre.compile(text, flags, words, groups, names, tuple(named))
    return pattern


def _handed(written: Written, pattern: re.Pattern[str]) -> Handed:
    """Return what the engine was given for a pattern."""
    from re import _compiler, _parser  # type: ignore[attr-defined]  # noqa: PLC0415 - nothing public has it

    code: list[int] = _compiler._code(_parser.parse(*written), written[1])  # noqa: SLF001 - as above
    return pattern.flags, array(_WORD, code).tobytes(), pattern.groups, dict(pattern.groupindex)


def _state() -> str:
    return f"{sys.hexversion:x} {_sre.MAGIC} {_sre.CODESIZE} {sys.byteorder}"


def _read() -> Mapping[Written, Handed]:
    from trainlint.shipped import kept_value  # noqa: PLC0415 - it imports what has patterns

    found = kept_value(KEPT, _state())
    return found if isinstance(found, dict) and array(_WORD).itemsize == _sre.CODESIZE else {}


_known: Final = cache(_read)


def _keep() -> None:
    """Keep the patterns that were compiled with those that are kept by now, by this process or another."""
    from trainlint.shipped import keep_value  # noqa: PLC0415 - as above

    if sys.dont_write_bytecode or array(_WORD).itemsize != _sre.CODESIZE:
        return
    try:
        new = {written: _handed(written, pattern) for written, pattern in _missed.items()}
    except (AttributeError, ImportError, TypeError):  # another Python's `re`, made another way
        return
    whole = {**_read(), **new}
    keep_value(KEPT, _state(), dict(list(whole.items())[-MOST:]))
