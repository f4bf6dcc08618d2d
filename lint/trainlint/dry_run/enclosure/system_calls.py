# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The few system calls of Linux that Python's library lacks, by name and with its errors.

Numbers are from include/uapi/linux: sched.h, mount.h, prctl.h, landlock.h, capability.h, and the tables of
calls.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from typing import Any, Final

NEW_USER, NEW_MOUNTS, NEW_PROCESSES, NEW_NETWORK, NEW_IPC = (
    0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000,
)  # fmt: skip
"""CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET and CLONE_NEWIPC."""
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
"""MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC and MS_PRIVATE."""
DETACH: Final = 2
"""MNT_DETACH."""
DIES_WITH_PARENT, NO_NEW_PRIVILEGES, ADOPTS, DROPS_FOREVER = 1, 38, 36, 24
"""PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER and PR_CAPBSET_DROP."""
PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
LANDLOCK: Final = (444, 445, 446)
"""landlock_create_ruleset, landlock_add_rule, landlock_restrict_self: on every architecture."""


def libc() -> Any:
    """Return the C library, whose calls set errno."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """Return a call's result; OSError with its errno where it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(what: int) -> None:
    """Leave namespaces for new ones."""
    checked(libc().unshare(what), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Put a file system, or a part of one, at another place."""
    words = (os.fsencode(source), os.fsencode(target), kind.encode() or None)
    checked(libc().mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None), f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount away, once it is no longer used."""
    checked(libc().umount2(os.fsencode(target), DETACH), f"umount {target}")


def change_root(folder: str) -> None:
    """Make a mounted folder the root, and let go of the old one."""
    number = PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(f"pivot_root is not known on {platform.machine()}")
    os.chdir(folder)
    checked(libc().syscall(number, b".", b"."), "pivot_root")
    unmount(".")
    os.chdir("/")


def control(option: int, value: int = 1) -> bool:
    """Set something of this process by one number; False where the system refuses it, or is another."""
    if sys.platform != "linux":
        return False
    rest = (ctypes.c_ulong(0),) * 3
    return bool(libc().prctl(option, ctypes.c_ulong(value), *rest) == 0)
