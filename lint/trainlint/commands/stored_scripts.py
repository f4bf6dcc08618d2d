# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Scripts of the project's stored dry runs: who stored one says that it trains, whatever its name is."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextvars import ContextVar

stored_scripts: ContextVar[Callable[[], AbstractSet[str]]] = ContextVar("stored_scripts", default=frozenset)
"""Returns those of the run that is judged now, which only a text with commands asks for."""
