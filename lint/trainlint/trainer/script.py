# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer around the script that a command runs: its option file may lie anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.read.folders import folders_of_script

if TYPE_CHECKING:
    from trainlint.trainer.identity import Trainer


def of_script(
    script: str, config: str, found_in: Callable[[Sequence[Path]], Trainer | None]
) -> Trainer | None:
    """Return the trainer around a script, as `found_in` knows one in folders; None where none is its own.

    A marker may be seen from the package too (utils/options.py): the repository is the outermost folder from
    which the same file is one.
    """
    folders = tuple(folders_of_script(script, config))
    trainer = found_in(folders)
    if trainer is None or trainer.root is None or not _is_of(trainer, trainer.root, os.path.realpath(script)):
        return None
    for folder in folders[folders.index(trainer.root) + 1 :] if trainer.source is not None else ():
        wider = found_in((folder,))
        if wider is None or wider.path != trainer.path:
            break
        trainer = wider
    return replace(trainer, within=os.path.relpath(str(trainer.root)))


def _is_of(trainer: Trainer, root: Path, script: str) -> bool:
    """Return whether a trainer is known by this script, or by what another one of the folder would import."""
    if trainer.source is None:
        return os.path.realpath(str(trainer.path)) == script
    folder = Path(script).parent
    return not trainer.package or folder == root or folder.is_relative_to(root / trainer.package)
