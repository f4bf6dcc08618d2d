# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where modules and shared libraries are looked for: never in the working folder, which may be a linted tree.

`PYTHONPATH=./`, as some trainers' READMEs have it, puts the tree's yaml.py before the installed one, and the
colon at the end of `LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH` its libnvidia-ml.so.1.
"""

# ruff: noqa: PTH100, PTH117 - pathlib would be looked for on the very path

from __future__ import annotations

import os
import sys

from trainlint.files.given_search_paths import remember

LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
"""Where the loaders of Linux and macOS look for shared libraries; an empty entry is the working folder."""


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
    remember("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(kept)


def drop_relative_libraries() -> None:
    """Take the entries away that the loader of shared libraries would look up in the working folder.

    It keeps the list that this process began with, so the process begins again.
    """
    changed = False
    for name in LIBRARY_PATHS:
        named = os.environ.get(name, "")
        entries = named.replace(";", ":").split(":") if named else []
        kept = [entry for entry in entries if os.path.isabs(entry) or entry.startswith("$ORIGIN")]
        if len(kept) < len(entries):
            changed = True
            remember(name)
            os.environ[name] = ":".join(kept)
    if changed and os.name == "posix" and sys.executable:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - ourselves, once
