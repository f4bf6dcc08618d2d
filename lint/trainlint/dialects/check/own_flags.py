# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Flags that the parser of a command's own script does not take, where its dialect takes any.

A script of many names (train.py -opt FILE) has other flags in every repository; its own parser says which,
where all that is added to it is in plain sight.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from trainlint.dialects.check.own_parser import parsers_around
from trainlint.dialects.schema.dialect import Dialect
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.model.document import COMMAND, Document
from trainlint.model.job import Problem
from trainlint.model.start import FINE_TUNING

RULE = "unknown-key"
SHORT = 2
"""Characters of a flag that its value may follow at once: -b32."""


def foreign_flags(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Yield the flags of a command that its script does not take, wherever it may be run."""
    taken = flags_taken(document, dialect)
    if taken is None:
        return
    for name, written in document.meta.get("flags", {}).items():
        if written and all(not _takes(names, written) for names in taken):
            near = most_alike(written, sorted(taken[0]), CLOSE_RATIO)
            meant = f'; did you mean "{near}"?' if near else ""
            message = f"unrecognized arguments: {written}{meant}"
            yield Problem(RULE, message, (name,), on_key=True, suggestion=near)


def flags_taken(document: Document, dialect: Dialect) -> list[Collection[str]] | None:
    """Return the flags of a command's script, for each folder that it may be run in; None where not all."""
    if document.format != COMMAND or dialect.unknown != "ignore" or dialect.id == FINE_TUNING:
        return None
    if document.meta.get("called") or document.meta.get("partial"):
        return None
    parsers = list(parsers_around(document))
    if not parsers or not all(parser is not None and parser["whole"] for parser in parsers):
        return None
    return [{name for flag in parser["flags"] for name in flag["names"]} for parser in parsers if parser]


def _takes(names: Collection[str], written: str) -> bool:
    """Return whether argparse finds a flag: by its name, its beginning, or with its value right behind."""
    flag = written.partition("=")[0]
    return any(name.startswith(flag) or (len(name) == SHORT and flag.startswith(name)) for name in names)
