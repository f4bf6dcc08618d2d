# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether torch and the tracer, which needs it, can be imported; why not, where they cannot."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from trainlint.errors import CannotTraceError
from trainlint.trace.collection import uncollected

MOST_REASON_CHARACTERS = 300
"""Characters of an import's own words that a reason repeats: NumPy's fill a page."""


def check_torch(missing: str) -> None:
    """Import torch and the tracer; CannotTraceError, which is `missing` where torch is not installed."""
    if find_spec("torch") is None:
        raise CannotTraceError(missing)
    if (why := _why_not()) is not None:
        raise CannotTraceError(f'"torch" is installed and cannot be imported: {why}')


@cache
def _why_not() -> str | None:
    """Return why torch cannot be imported: a second attempt would complain of what the first one left."""
    try:
        with uncollected(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module("trainlint.trace.building.torch_imports")
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        words = " ".join(str(error).split())
        more = "…" if len(words) > MOST_REASON_CHARACTERS else ""
        return f"{type(error).__name__}: {words[:MOST_REASON_CHARACTERS]}{more}"
    return None
