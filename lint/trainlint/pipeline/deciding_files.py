# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which files around a config a verdict may depend on, by their names: they are watched for changes."""

from __future__ import annotations

from typing import Final

from trainlint.documents.file_format import MAKEFILES
from trainlint.pipeline.checkout_commands import PARTS, SUFFIXES

ENDINGS: Final = (
    *sorted(SUFFIXES), *PARTS, ".py", ".cfg", ".yaml", ".yml", ".toml", ".json", ".jsonc", ".csv", ".lock",
    ".tape", ".crops", ".sides", ".gitignore",
)  # fmt: skip
"""Sources, requirements, rules, schemas, tables, scripts, profiles."""
NAMES: Final = (*MAKEFILES, "Dockerfile")


def may_decide(name: str) -> bool:
    """Say whether a verdict may depend on a file of this name; a script need not have an ending."""
    return name.lower().endswith(ENDINGS) or "." not in name


def globs() -> tuple[str, ...]:
    """Return globs for these files, as an editor looks for them."""
    return *(f"**/*{ending}" for ending in ENDINGS), *(f"**/{name}" for name in NAMES)
