# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a program answers itself where a file is not there: `try: torch.load(...) except OSError: ...`."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final

from trainlint.trace.dry_run.program_place import Place, tree_of

MISSING_FILE: Final = frozenset(kind.__name__ for kind in FileNotFoundError.__mro__[:-1]) | {
    "IOError",
    "EnvironmentError",
}
"""Names of the errors that a missing file is."""
CALLS: Final = 2
"""Functions that are looked at, the one that loads and its caller: a `try` around it all is no answer."""


def handles_missing_file(places: tuple[Place, ...]) -> bool:
    """Return whether a place, or its caller, is in a `try` that catches FileNotFoundError."""
    return any(low <= place.line <= high for place in places[:CALLS] for low, high in _guarded(place.file))


@lru_cache(maxsize=64)
def _guarded(file: str) -> tuple[tuple[int, int], ...]:
    """Return the lines, first and last, that a file guards; none where it is no Python that can be read."""
    return tuple(
        (node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno)
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Try) and any(map(_catches, node.handlers))
    )


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id if isinstance(kind, ast.Name) else getattr(kind, "attr", "") for kind in kinds}
    return not names.isdisjoint(MISSING_FILE)
