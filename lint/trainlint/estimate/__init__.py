# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run needs on a target: arithmetic over a spec and its tape, without torch."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """The room under the name that users call: `trainlint.estimate(...)` is that of the API."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Estimate the training of a network (trainlint.api.estimate)."""
        from importlib import import_module  # noqa: PLC0415 - the API is made of this room, not the other way

        return import_module("trainlint.api").estimate(*args, **options)


sys.modules[__name__].__class__ = _Callable
