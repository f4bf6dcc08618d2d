# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values that a command sets in its option file: those that cannot be set, and where the others are from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from trainlint.model.document import COMMAND, Document
from trainlint.model.job import Problem
from trainlint.model.start import Override, Start

RULE = "forced-key"


def not_forced(start: Start, lost: Iterable[Override]) -> Iterator[Problem]:
    """Yield what --force_yml of a start stops at: words without one "=", keys whose parents are not there."""
    for word in start.misread:
        yield Problem(RULE, f'--force_yml takes KEY:SUBKEY=VALUE, "{word}" is none ({start.place})', ())
    for override in lost:
        parent = ":".join(str(key) for key in override.path[:-1])
        message = (
            f'--force_yml {override.text}: the option file has no "{parent}" to set it in ({start.place})'
        )
        yield Problem(RULE, message, ())


def placed(problems: Iterable[Problem], document: Document) -> Iterator[Problem]:
    """Say of a wrong value where it is set, if that is the command that names the document."""
    borrowed = document.meta.get("borrowed", {}) if document.format != COMMAND else {}
    for problem in problems:
        where = f" ({borrowed[problem.path]})" if problem.path in borrowed else ""
        said = problem.message.endswith(where)
        yield problem if said else replace(problem, message=f"{problem.message}{where}")
