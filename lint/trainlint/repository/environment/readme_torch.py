# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The torch that a README says the code was written with: a line that is `pytorch 1.11.0`, and no more.

Or one that installs it: `pip install torch==2.0.1 torchvision==0.15.2`.

It binds nobody, so only a warning about another torch asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.model.document import Release

READMES: Final = ("README.md", "readme.md", "Readme.md")

_STATED: Final = later(
    r"^[ \t]*(?:[*+>-][ \t]+)?[\[`*]*(?:py)?torch[ \t]*(?:={1,2}|:)?[ \t]*"
    r"v?(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?[\]`*]*"
    r"(?:\([^()\s]*\))?(?:[ \t]*[+(,]?[ \t]*cu(?:da)?[ \t]*[\d.]+\)?)?[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)


_INSTALLED: Final = later(
    r"\bpip3?[ \t]+install\b[^\n`]{0,300}?[ \t\"']torch==(\d{1,3})\.(\d{1,3})", re.IGNORECASE
)


def stated_versions(text: str) -> Iterator[Release]:
    """Yield each exact version that a line states."""
    for pattern in (_STATED, _INSTALLED) if "torch" in text.lower() else ():
        for match in pattern.finditer(text):
            yield int(match[1]), int(match[2])
