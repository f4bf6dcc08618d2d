# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""trainlint: reads a training config and says whether the run fits before the GPU is paid for."""

from __future__ import annotations

TYPE_CHECKING = False  # typing would be looked for before the path is clean (cli/starting/import_path.py)
if TYPE_CHECKING:
    from typing import Any

    from trainlint.api import check as check
    from trainlint.api import estimate as estimate

__version__ = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """Add the magic to IPython: `%load_ext trainlint`."""
    from trainlint.cli.notebook_magic import register  # noqa: PLC0415 - for IPython alone

    register(shell)


def __getattr__(name: str) -> Any:
    """Import what Python code may ask for; `import trainlint` alone stays quick."""
    if name == "check":
        from trainlint.api import check  # noqa: PLC0415 - `import trainlint` stays quick

        return check
    if name == "estimate":
        from importlib import import_module  # noqa: PLC0415 - `import trainlint` stays quick

        return import_module("trainlint.estimate")  # the room, which can be called
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
