# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A user's own namespaces, in which every file system is seen through a private layer (Linux, overlayfs)."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import struct
from collections.abc import Iterator
from typing import Final

from trainlint.dry_run.enclosure.instructions import Plan
from trainlint.dry_run.enclosure.system_calls import (
    BIND,
    DROPS_FOREVER,
    NEW_IPC,
    NEW_MOUNTS,
    NEW_NETWORK,
    NEW_PROCESSES,
    NEW_USER,
    NO_DEVICES,
    NO_SUID,
    PRIVATE,
    READ_ONLY,
    RECURSIVE,
    REMOUNT,
    change_root,
    control,
    mount,
    unmount,
    unshare,
)

LOCKABLE: Final = 0x8 | 0x400 | 0x800
"""ST_NOEXEC, ST_NOATIME and ST_NODIRATIME, whose bits mount(2) has too: what was set outside stays set."""
ON_DISK: Final = frozenset(
    ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "overlay", "nfs", "nfs4", "cifs", "9p",
     "virtiofs", "vfat", "exfat", "ntfs3", "fuseblk", "squashfs", "erofs", "iso9660", "lustre", "gpfs",
     "ceph", "bcachefs", "ramfs")
)  # fmt: skip
"""File systems that hold files, as the kernel calls them; "fuse.*" too."""
DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
"""What a program finds in /dev: no disk, and no GPU, which the real run alone needs."""
KEPT_CAPABILITIES: Final = frozenset((0, 1, 2, 3, 4, 5, 6, 7, 10))
"""Capabilities that a program of root's keeps inside, so that it reads and writes as it does outside: those
of files, of its own processes and of low ports."""
LAST_CAPABILITY: Final = 40
LOOPBACK: Final = struct.pack("16sH14x", b"lo", 0x1 | 0x40)
"""An interface's request: its name, IFF_UP and IFF_RUNNING."""
SET_FLAGS: Final = 0x8914
"""SIOCSIFFLAGS."""


def leave(plan: Plan) -> None:
    """Leave the namespaces for new ones, in which a child may make its own view. OSError: it may not."""
    user, group = os.geteuid(), os.getegid()
    unshare(NEW_USER | NEW_MOUNTS | NEW_PROCESSES | NEW_IPC | (0 if plan.network else NEW_NETWORK))
    _map(user, group)


def _map(user: int, group: int) -> None:
    """Keep our own user and group; root keeps all of them, where the system allows it."""
    for whole in (True, False) if user == 0 else (False,):
        try:
            if not whole:
                with contextlib.suppress(OSError):
                    _write("setgroups", "deny")
            _write("uid_map", "0 0 4294967295" if whole else f"{user} {user} 1")
            _write("gid_map", "0 0 4294967295" if whole else f"{group} {group} 1")
        except OSError:
            if not whole:
                raise
        else:
            return


def _write(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
        file.write(text)


def layer(plan: Plan) -> list[str]:
    """Put a private layer over every file system, with devices and processes of its own; say what has none.

    For the first process of the new namespace. OSError where the root cannot be layered.
    """
    mount("none", "/", flags=RECURSIVE | PRIVATE)
    work = os.path.join(plan.private, "layers")
    os.mkdir(work)
    mount("trainlint", work, "tmpfs", NO_SUID | NO_DEVICES, f"size={plan.room},mode=700")
    root = os.path.join(work, "root")
    os.mkdir(root, 0o755)
    mount(root, root, flags=BIND)
    view = _View(work, _mounted())
    view.show("/", root)
    mount("trainlint", f"{root}/dev", "tmpfs", NO_SUID, "mode=755,size=64k")
    _devices(f"{root}/dev")
    mount("proc", f"{root}/proc", "proc", NO_SUID | NO_DEVICES)
    with contextlib.suppress(OSError):
        _read_only("/sys", f"{root}/sys")
    os.makedirs(root + plan.out, exist_ok=True)
    mount(plan.out, root + plan.out, flags=BIND)
    change_root(root)
    return view.without


class _View:
    """The folders of this machine below another root, each with a private layer; `without` have none.

    No layer can be put over a folder with mounts below: such a folder is made anew, with a layer over each of
    its parts that has none.
    """

    def __init__(self, work: str, mounted: dict[str, str]) -> None:
        self.work = work
        self.mounted = mounted
        self.parents = {parent for place in mounted for parent in _parents(place)}
        self.without: list[str] = []
        self.layers = 0

    def show(self, path: str, target: str) -> None:
        """Show a folder at a target that is there."""
        kind = self.mounted.get(path)
        if kind is not None and not _has_files(kind):
            return
        if path not in self.parents and not self.work.startswith(f"{path}/"):
            self._layer(path, target)
            return
        try:
            entries = sorted(os.scandir(path), key=lambda item: item.name)
        except OSError:
            return
        for entry in entries:
            if entry.path != self.work:
                with contextlib.suppress(OSError):
                    self._part(entry, f"{target}/{entry.name}")

    def _part(self, entry: os.DirEntry[str], target: str) -> None:
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), target)
        elif entry.is_dir():
            os.mkdir(target)
            shutil.copymode(entry.path, target)
            self.show(entry.path, target)
        elif entry.is_file():
            with open(target, "w", encoding="ascii"):
                pass
            _read_only(entry.path, target)

    def _layer(self, path: str, target: str) -> None:
        self.layers += 1
        try:
            _overlay(path, target, os.path.join(self.work, str(self.layers)))
        except OSError:
            self.without.append(path)
            with contextlib.suppress(OSError):
                _read_only(path, target)


def _has_files(kind: str) -> bool:
    return kind in ON_DISK or kind.startswith("fuse.")


def _parents(place: str) -> Iterator[str]:
    """Yield the folders above a place, the root last."""
    while place != "/":
        place = os.path.dirname(place)
        yield place


def _mounted() -> dict[str, str]:
    """Return where something is mounted, and of which kind it is; what lies on top counts."""
    mounted: dict[str, str] = {}
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            place = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split(" ")[4])
            mounted[place] = after.split(" ", 1)[0]
    return mounted


def _overlay(lower: str, target: str, work: str) -> None:
    for name in ("", "upper", "work"):
        os.mkdir(os.path.join(work, name), 0o755)
    shutil.copymode(lower, os.path.join(work, "upper"))
    places = {"lowerdir": lower, "upperdir": f"{work}/upper", "workdir": f"{work}/work"}
    parts = [
        (name, path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:"))
        for name, path in places.items()
    ]
    options = ",".join(f"{name}={path}" for name, path in parts)
    mount("overlay", target, "overlay", NO_SUID | NO_DEVICES, f"{options},userxattr")


def _read_only(place: str, target: str) -> None:
    """Show a file system as it is, to be read; nothing of it where that cannot be had."""
    mount(place, target, flags=BIND | RECURSIVE)
    locked = os.statvfs(target).f_flag & LOCKABLE  # a namespace may not drop what was set outside
    try:
        mount("none", target, flags=BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES | locked)
    except OSError:
        unmount(target)
        raise


def _devices(folder: str) -> None:
    for name in DEVICES:
        with contextlib.suppress(OSError):
            with open(f"{folder}/{name}", "w", encoding="ascii"):
                pass
            mount(f"/dev/{name}", f"{folder}/{name}", flags=BIND)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(target, f"{folder}/{name}")
    os.mkdir(f"{folder}/shm")
    mount("trainlint", f"{folder}/shm", "tmpfs", NO_SUID | NO_DEVICES, "mode=1777")


def up() -> None:
    """Switch the loopback device of a new network on: programs talk to their own processes by it."""
    import fcntl  # noqa: PLC0415 - not on Windows

    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        fcntl.ioctl(channel, SET_FLAGS, LOOPBACK)


def give_up_rights() -> None:
    """Let go of what making the view took: it is not to be undone inside."""
    for number in range(LAST_CAPABILITY + 1):
        if number not in KEPT_CAPABILITIES:
            control(DROPS_FOREVER, number)
