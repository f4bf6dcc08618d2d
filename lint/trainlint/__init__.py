# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""trainlint: reads a training config and says whether the run fits before the GPU is paid for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainlint.api import check as check

__version__ = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """Add the magic to IPython: `%load_ext trainlint`."""
    from trainlint.cli.notebook import register  # noqa: PLC0415 - for IPython alone

    register(shell)


def __getattr__(name: str) -> Any:
    """Import what Python code may ask for; `import trainlint` alone stays quick."""
    if name == "check":
        from trainlint.api import check  # noqa: PLC0415 - `import trainlint` stays quick

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
