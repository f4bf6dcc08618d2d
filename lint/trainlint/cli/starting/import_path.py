# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where modules are looked for: nowhere that depends on the working folder, which may be a linted tree.

`PYTHONPATH=./`, as some trainers' READMEs have it, puts the tree's yaml.py before the installed one.
"""

# ruff: noqa: PTH100, PTH117 - pathlib would be looked for on the very path

from __future__ import annotations

import os
import sys


def drop_relative_entries() -> None:
    """Take the relative and empty entries of PYTHONPATH off the path, here and for the processes started."""
    named = os.environ.get("PYTHONPATH")
    if not named or sys.flags.ignore_environment:
        return
    entries = named.split(os.pathsep)
    kept = [entry for entry in entries if os.path.isabs(entry)]
    if len(kept) == len(entries):
        return
    gone = {os.path.abspath(entry) for entry in entries if not os.path.isabs(entry)} - set(kept)
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) not in gone]
    sys.path_importer_cache.clear()
    os.environ["PYTHONPATH"] = os.pathsep.join(kept)
