# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks and recipes are modules of this process: one that leaves it would take the report with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from trainlint.errors import CannotTraceError


@contextmanager
def staying() -> Iterator[None]:
    """Turn a `sys.exit` of what runs inside into CannotTraceError with its file and line."""
    try:
        yield
    except SystemExit as error:
        frame, line = list(walk_tb(error.__traceback__))[-1]
        raise CannotTraceError(
            f"{frame.f_code.co_filename}:{line} ends the process (SystemExit: {error.code}), "
            "which a network or a recipe may not do"
        ) from error
