# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Definitions that other code of the repository replaces: `SRModel.test = mine`, `setattr(SRModel, ...)`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from trainlint.repository.survey.module_scope import Scopes


def patched(scopes: Scopes, names: Collection[str], stop: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, "path:line") for classes and functions that an assignment somewhere changes.

    `stop` are attributes that may be changed: they do not matter.
    """
    if not names:
        return
    alternatives = "|".join(map(re.escape, sorted(names)))
    pattern = re.compile(
        rf"\bsetattr\([ \t]*(?:\w+\.)*(?P<set>{alternatives})[ \t]*,"
        rf"|\b(?P<class>{alternatives})\.(?P<attribute>\w+)[ \t]*=(?!=)"
        rf"|^[ \t]*(?P<module>\w+)(?:\.\w+)*\.(?P<function>{alternatives})[ \t]*=(?!=)",
        re.MULTILINE,
    )
    for path, text in scopes.files.texts.items():
        for match in pattern.finditer(text):
            name = match["set"] or match["class"] or match["function"]
            if match["attribute"] in stop or (
                match["module"] and not _is_module(scopes, path, match["module"])
            ):
                continue
            yield name, f"{path}:{text.count(chr(10), 0, match.start()) + 1}"


def _is_module(scopes: Scopes, path: str, name: str) -> bool:
    return name not in ("self", "cls") and scopes.find(path, name).kind in ("module", "outside")
