# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether images that --data makes up may stand for what a program misses: never for another kind of file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from trainlint.dry_run.rehearsing.run_record import Died
from trainlint.dry_run.rehearsing.wanted_images import DATABASE, wanted_of
from trainlint.dry_run.starting.program import Program
from trainlint.expressions.patterns import later

NAMED: Final = later(r"""["']([^"'\n]{1,400})["']""")
"""What an error of the system's names."""
FILE_ENDING: Final = later(r"\.[A-Za-z][A-Za-z0-9]{0,11}$")
"""How a file's name ends: what follows the dot of a folder's is mostly a number."""


def offered_images(died: Died, program: Program) -> str:
    """Say how --data makes images up where a program misses them; "" where it misses something else."""
    named = NAMED.search(died.message)
    path = died.missing or (named[1] if named else "")
    if path and not died.opened and (path.endswith(DATABASE) or FILE_ENDING.search(path) is None):
        return f", or --data images:512x512:100:{path}"
    return ", or let --data make images up" if _is_wanted(path, program) else ""


def _is_wanted(path: str, program: Program) -> bool:
    """Return whether --data would make a path, or the folder that it is in; any where none is known."""
    wanted = [os.path.abspath(image.path) for image in wanted_of(program, Path())]
    if not path:
        return bool(wanted)
    missed = os.path.abspath(path)
    return any(missed == place or missed.startswith(f"{place}{os.sep}") for place in wanted)
