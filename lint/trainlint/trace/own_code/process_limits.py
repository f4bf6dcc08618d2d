# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a process that runs a repository's code is kept from, as far as the operating system lets it.

No sandbox: what it may still read, and the kernel below, are not guarded. On Linux a filter of system calls
refuses connections, other programs, and whatever changes files; elsewhere there are only limits of size.
Numbers are from Linux: include/uapi/linux/seccomp.h, bpf_common.h, audit.h and the tables of system calls.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

MOST_MEMORY: Final = 32 << 30
"""Bytes of data that it may have: on a machine of less it is the machine that says no."""
CPU_S: Final = 900
"""Seconds of CPU time: three times what one trace may take on the clock."""

NO_NEW_PRIVILEGES: Final = 38
SET_SECCOMP: Final = 22
FILTER_MODE: Final = 2
"""prctl's PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP and SECCOMP_MODE_FILTER."""
LOAD, EQUAL, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
"""BPF_LD|BPF_W|BPF_ABS; BPF_JEQ, BPF_JSET, each with BPF_JMP|BPF_K; BPF_ALU|BPF_AND|BPF_K; BPF_RET|BPF_K."""
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 1
"""SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with EPERM."""
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data; an argument takes eight bytes, its low half first."""
CHANGING_FLAGS: Final = 0o1 | 0o2 | 0o100 | 0o1000
"""O_WRONLY, O_RDWR, O_CREAT and O_TRUNC: the last two make and empty a file that is opened to be read."""
X32_BIT: Final = 0x40000000
"""Bit of the numbers by which x86-64 programs reach another table."""


class Machine(NamedTuple):
    """An architecture's number, its calls that are refused, and those refused for what they are given.

    `refused` are socket, socketpair, execve; those that make, remove, rename or link files or change their
    size, owner, mode, times or extended attributes; ptrace, process_vm_writev, kill and its kin; and what
    root alone may do: mounts, modules, the clock, the machine's name. `opening` is call -> which argument
    has the flags. `limits` is prlimit64, `control` ioctl.
    """

    audit: int
    refused: tuple[int, ...]
    opening: dict[int, int]
    limits: int
    control: int


MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        (41, 53, 59, 322, 76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 132, 133, 235, 258, 259,
         260, 261, 263, 264, 265, 266, 268, 280, 316, 188, 189, 190, 197, 198, 199, 240, 241, 304,
         101, 311, 62, 200, 234, 129, 297,
         155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 227, 246, 305,
         313, 320, 321),
        {2: 1, 257: 2}, 302, 16,
    ),
    "aarch64": Machine(
        0xC00000B7,
        (198, 199, 221, 281, 45, 46, 33, 34, 35, 36, 37, 38, 52, 53, 54, 55, 88, 276, 5, 6, 7, 14, 15, 16,
         180, 181, 265, 117, 271, 129, 130, 131, 138, 240,
         39, 40, 41, 51, 60, 89, 104, 105, 106, 112, 142, 161, 162, 170, 171, 224, 225, 266, 273, 280, 294),
        {56: 2}, 261, 29,
    ),
}  # fmt: skip
REFUSED_EVERYWHERE: Final = (
    424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 437, 438, 442, 443, 452, 463, 466, 467, 469,
)  # fmt: skip
"""Newer calls, whose numbers are the same on every machine: pidfd_send_signal, io_uring, mounts, openat2
(which has its flags in memory, where no filter looks; C libraries use openat), pidfd_getfd, fchmodat2,
setxattrat and file_setattr."""
TYPE_MASK, FILE_TYPES = 0xFF00, (0x6600, 0x7600, 0x5800, 0x9400)
"""Where an ioctl has the kind of thing it is for: flags of files, their versions, freezing, and btrfs, all of
which change what was opened to be read."""
TERMINAL_REQUESTS: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type into a terminal."""


def limit() -> str | None:
    """Limit this process for good; returns what it was not kept from, None where nothing is missing."""
    sized = _sizes()
    if sys.platform == "linux" and _filtered():
        return None
    missing = "may open connections and start programs" + ("" if sized else ", and write files")
    return f"this system sets no limits of the kind that trainlint knows: the code {missing}"


def _sizes() -> bool:
    """Let it write no byte to a file, and take so much memory and CPU time."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return False
    for name, most in (
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_DATA", MOST_MEMORY),
        ("RLIMIT_CPU", CPU_S),
    ):
        what = getattr(resource, name, None)
        if what is None:
            continue
        soft, hard = resource.getrlimit(what)
        least = min(bound for bound in (most, soft, hard) if bound != resource.RLIM_INFINITY)
        resource.setrlimit(what, (least, hard))
    return True


def _filtered() -> bool:
    """Have the kernel refuse calls by a filter; False where it has none, or for another architecture."""
    machine = MACHINES.get(platform.machine())
    if machine is None or struct.calcsize("P") != 8:  # noqa: PLR2004 - a 32-bit program has other numbers
        return False
    program = _program(machine)
    code = ctypes.create_string_buffer(b"".join(program), 8 * len(program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    libc: Any = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(SET_SECCOMP, FILTER_MODE, ctypes.create_string_buffer(head, len(head)), 0, 0) == 0)


def _program(machine: Machine) -> Sequence[bytes]:
    """Write the filter: another architecture's calls and those listed are refused, all others allowed."""
    refused, allowed = instruction(RETURN, REFUSED), instruction(RETURN, ALLOWED)
    lines = [instruction(LOAD, ARCHITECTURE_AT), instruction(EQUAL, machine.audit, 1, 0), refused]
    lines += [instruction(LOAD, NUMBER_AT), instruction(ANY_BIT, X32_BIT, 0, 1), refused]
    for number in (*machine.refused, *REFUSED_EVERYWHERE):
        lines += [instruction(EQUAL, number, 0, 1), refused]
    for number, argument in machine.opening.items():
        flags = instruction(LOAD, ARGUMENTS_AT + 8 * argument)
        lines += [instruction(EQUAL, number, 0, 4), flags]
        lines += [instruction(ANY_BIT, CHANGING_FLAGS, 0, 1), refused, allowed]
    lines += [instruction(EQUAL, machine.limits, 0, 4), instruction(LOAD, ARGUMENTS_AT)]
    lines += [instruction(EQUAL, 0, 1, 0), refused, allowed]
    lines += [instruction(EQUAL, machine.control, 1, 0), allowed]
    request = instruction(LOAD, ARGUMENTS_AT + 8)
    lines.append(request)
    for number in TERMINAL_REQUESTS:
        lines += [instruction(EQUAL, number, 0, 1), refused]
    lines.append(instruction(AND, TYPE_MASK))
    for kind in FILE_TYPES:
        lines += [instruction(EQUAL, kind, 0, 1), refused]
    return [*lines, allowed]


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction of a filter, as struct sock_filter has it."""
    return struct.pack("HBBI", code, then, otherwise, value)
