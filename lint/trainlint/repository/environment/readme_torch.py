# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The torch that a README says the code was written with: a line that is `pytorch 1.11.0`, and no more.

Or one that installs it: `pip install torch==2.0.1 torchvision==0.15.2`, `conda install pytorch=1.8`, or a
file of conda that it names: `conda env create -f my_env.yaml`.

It binds nobody, so only a warning about another torch asks for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.model.document import Release

READMES: Final = ("README.md", "readme.md", "Readme.md", "INSTALL.md", "docs/INSTALL.md")

_STATED: Final = later(
    r"^[ \t]*(?:[*+>-][ \t]+)?[\[`*]*(?:py)?torch[ \t]*(?:={1,2}|:)?[ \t]*"
    r"v?(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?[\]`*]*"
    r"(?:\([^()\s]*\))?(?:[ \t]*[+(,]?[ \t]*cu(?:da)?[ \t]*[\d.]+\)?)?[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)


_INSTALLED: Final = later(
    r"\b(?:pip3?|conda)[ \t]+install\b[^\n`]{0,300}?[ \t\"'](?:py)?torch==?(\d{1,3})\.(\d{1,3})",
    re.IGNORECASE,
)

_LISTED: Final = later(r"^[ \t]*-[ \t]+pytorch=+(\d{1,3})\.(\d{1,3})", re.MULTILINE)
"""A line of a file that conda installs."""

_CONDA_FILE: Final = later(
    r"\bconda[ \t]+env[ \t]+create\b[^\n`]{0,100}?(?:-f|--file)[ =]+([\w.-]{1,80}\.ya?ml)\b"
)


@lru_cache(maxsize=16)
def stated_versions(text: str) -> tuple[Release, ...]:
    """Return each exact version that a line states; kept, as every file of a checkout asks its README."""
    return tuple(
        (int(match[1]), int(match[2]))
        for pattern in ((_STATED, _INSTALLED, _LISTED) if "torch" in text.lower() else ())
        for match in pattern.finditer(text)
    )


def conda_files(text: str) -> list[str]:
    """Return the files that a README says an environment is made of, by their names."""
    return list(dict.fromkeys(_CONDA_FILE.findall(text)))
