# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Landlock: a process and its children write below a few folders alone (Linux 5.13 and later)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Final

from trainlint.dry_run.enclosure.system_calls import LANDLOCK, NO_NEW_PRIVILEGES, checked, control, libc

WRITE_FILE, REMOVE_DIR, REMOVE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 4, 1 << 5, 1 << 14, 1 << 13
MAKE_ACCESSES: Final = sum(1 << bit for bit in range(6, 13))
"""LANDLOCK_ACCESS_FS_MAKE_CHAR ... MAKE_SYM."""
OF_FILES: Final = WRITE_FILE | TRUNCATE
"""What may be allowed of a file that is not a folder."""
PATH_BENEATH: Final = 1
"""LANDLOCK_RULE_PATH_BENEATH."""


def version() -> int:
    """Return the kernel's version of Landlock; 0 where it has none, or has it switched off."""
    return max(0, int(libc().syscall(LANDLOCK[0], None, 0, 1)))


def write_only_below(folders: Iterable[str]) -> None:
    """Let this process and its children change what is below `folders` alone. OSError: it cannot."""
    known = version()
    if known < 1:
        raise OSError("this kernel has no Landlock")
    handled = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ACCESSES
    handled |= (REFER if known >= 2 else 0) | (TRUNCATE if known >= 3 else 0)  # noqa: PLR2004 - of Landlock
    rules = struct.pack("Q", handled)
    ruleset = checked(libc().syscall(LANDLOCK[0], rules, len(rules), 0), "landlock_create_ruleset")
    for folder in folders:
        if os.path.lexists(folder):
            _allow(ruleset, folder, handled)
    control(NO_NEW_PRIVILEGES)
    checked(libc().syscall(LANDLOCK[2], ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _allow(ruleset: int, path: str, handled: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = handled if os.path.isdir(path) else handled & OF_FILES
        rule = struct.pack("=Qi", rights, place)
        checked(libc().syscall(LANDLOCK[1], ruleset, PATH_BENEATH, rule, 0), f"landlock_add_rule {path}")
    finally:
        os.close(place)
