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
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
"""BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_JMP|BPF_JSET|BPF_K, BPF_RET|BPF_K."""
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 1
"""SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with EPERM."""
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data; an argument takes eight bytes, its low half first."""
WRITE_FLAGS: Final = 0o1 | 0o2
"""O_WRONLY and O_RDWR."""
X32_BIT: Final = 0x40000000
"""Bit of the numbers by which x86-64 programs reach another table."""


class Machine(NamedTuple):
    """An architecture's number, its calls that are refused, and those refused where they open for writing.

    `refused` are socket, socketpair, execve, those that make, remove, rename or link files or change their
    size, owner, mode or times, ptrace, process_vm_writev, kill and its kin, and io_uring. `opening` is
    call -> which argument has the flags.
    """

    audit: int
    refused: tuple[int, ...]
    opening: dict[int, int]


MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        (41, 53, 59, 322, 76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 132, 133, 235, 258, 259,
         260, 261, 263, 264, 265, 266, 268, 280, 316, 452, 101, 311, 62, 200, 234, 424, 425, 426, 427),
        {2: 1, 257: 2},
    ),
    "aarch64": Machine(
        0xC00000B7,
        (198, 199, 221, 281, 45, 46, 33, 34, 35, 36, 37, 38, 52, 53, 54, 55, 88, 276, 452, 117, 271, 129, 130,
         131, 424, 425, 426, 427),
        {56: 2},
    ),
}  # fmt: skip
OPENAT2: Final = 437
"""Has its flags in memory, where no filter looks: refused, and C libraries use openat."""


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
    lines = [
        instruction(LOAD, ARCHITECTURE_AT),
        instruction(EQUAL, machine.audit, 1, 0),
        instruction(RETURN, REFUSED),
    ]
    lines += [instruction(LOAD, NUMBER_AT), instruction(ANY_BIT, X32_BIT, 0, 1), instruction(RETURN, REFUSED)]
    for number in (*machine.refused, OPENAT2):
        lines += [instruction(EQUAL, number, 0, 1), instruction(RETURN, REFUSED)]
    for number, argument in machine.opening.items():
        lines += [
            instruction(EQUAL, number, 0, 4),
            instruction(LOAD, ARGUMENTS_AT + 8 * argument),
            instruction(ANY_BIT, WRITE_FLAGS, 0, 1),
            instruction(RETURN, REFUSED),
            instruction(RETURN, ALLOWED),
        ]
    return [*lines, instruction(RETURN, ALLOWED)]


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction of a filter, as struct sock_filter has it."""
    return struct.pack("HBBI", code, then, otherwise, value)
