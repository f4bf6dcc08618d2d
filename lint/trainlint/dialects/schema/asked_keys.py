# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The keys of a document that a recognising expression asks for, and what it is without any of them."""

from __future__ import annotations

import re
from functools import cache

from trainlint.dialects.schema.dialect import Keyless
from trainlint.dialects.schema.document_expression import DocumentScope, evaluate
from trainlint.expressions.patterns import later

_KEY = later(r"""'([^'\\]*)' in flat\b(?!\s*[.\[])|\bflat\[\??'([^'\\]*)'\]|\bdoc\.(\w+)\b(?!\s*\()""")
"""How an expression asks for one key: `'a.b' in flat`, `flat['a.b']`, `flat[?'a.b']`, `doc.a`."""

_DOCUMENT = later(r"\b(?:flat|doc)\b")
_OF_ITS_FILE = r"\bfile\b(?!\.(?:format|script)\b)"
"""What an expression asks of a document's file, other than its format and a command's script."""


@cache
def keys_of(when: str) -> frozenset[str] | None:
    """Return the keys by which alone an expression sees the document; None where it looks at others too."""
    keys = frozenset(key for match in _KEY.findall(when) for key in match if key)
    return None if _DOCUMENT.search(_KEY.sub("", when)) else keys


@cache
def heads_of(when: str) -> frozenset[str]:
    """Return the outermost keys of those that an expression asks for."""
    return frozenset(key.partition(".")[0] for key in keys_of(when) or ())


def keyless(when: str, formats: tuple[str, ...]) -> Keyless | None:
    """Return what an expression is without the keys that it asks for, by format; None where it is not known.

    For a command that may hang on its script.
    """
    if keys_of(when) is None or re.search(_OF_ITS_FILE, when):
        return None
    known = (name for name in formats if name != "command" or "file" not in when)
    return Keyless(
        heads=heads_of(when),
        holds={
            name: evaluate(when, DocumentScope({}, {}, {"format": name, "script": "", "starter": ""})) is True
            for name in known
        },
    )
