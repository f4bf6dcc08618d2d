# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A filter of system calls that refuses sockets to other machines: those a namespace leaves, or all.

Numbers are from Linux: include/uapi/linux/seccomp.h, bpf_common.h, audit.h and the tables of system calls.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Sequence
from typing import Final

from trainlint.dry_run.enclosure.system_calls import NO_NEW_PRIVILEGES, control, libc

SET_SECCOMP: Final = 22
FILTER_MODE: Final = 2
"""prctl's PR_SET_SECCOMP and SECCOMP_MODE_FILTER."""
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
"""BPF_LD|BPF_W|BPF_ABS; BPF_JEQ, BPF_JSET, each with BPF_JMP|BPF_K; BPF_RET|BPF_K."""
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | 1
"""SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with EPERM."""
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data; an argument takes eight bytes, its low half first."""
X32_BIT: Final = 0x40000000
"""Bit of the numbers by which x86-64 programs reach another table."""
AUDIT: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""An architecture's number."""
SOCKET: Final = {"x86_64": 41, "aarch64": 198}
IO_URING: Final = 425
"""io_uring_setup: by it sockets are opened that no filter sees."""
LOCAL: Final = (1, 16)
"""AF_UNIX and AF_NETLINK: what reaches this machine alone."""
IN_A_NAMESPACE: Final = (*LOCAL, 2, 10, 17)
"""AF_INET, AF_INET6 and AF_PACKET too: what a network namespace keeps to itself. AF_VSOCK, which leads to the
machine that this one runs on, is none of them."""


def refuse_sockets(families: Sequence[int]) -> bool:
    """Have the kernel refuse sockets of other families, to this process and its children."""
    audit, number = AUDIT.get(platform.machine()), SOCKET.get(platform.machine())
    if audit is None or number is None or struct.calcsize("P") != 8 or not control(NO_NEW_PRIVILEGES):  # noqa: PLR2004 - a 32-bit program has other numbers
        return False
    program = _program(audit, number, families)
    code = ctypes.create_string_buffer(b"".join(program), 8 * len(program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    whole = ctypes.create_string_buffer(head, len(head))
    return bool(libc().prctl(SET_SECCOMP, FILTER_MODE, whole, 0, 0) == 0)


def _program(audit: int, socket: int, families: Sequence[int]) -> Sequence[bytes]:
    """Write the filter: another architecture's calls and other families are refused, all else allowed."""
    refused = instruction(RETURN, REFUSED)
    allowed = instruction(RETURN, ALLOWED)
    lines = [instruction(LOAD, ARCHITECTURE_AT), instruction(EQUAL, audit, 1, 0), refused]
    lines += [
        instruction(LOAD, NUMBER_AT),
        instruction(ANY_BIT, X32_BIT, 0, 1),
        refused,
    ]
    lines += [instruction(EQUAL, IO_URING, 0, 1), refused]
    lines += [instruction(EQUAL, socket, 1, 0), allowed]
    lines.append(instruction(LOAD, ARGUMENTS_AT))
    for family in families:
        lines += [instruction(EQUAL, family, 0, 1), allowed]
    return [*lines, refused]


def instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction of a filter, as struct sock_filter has it."""
    return struct.pack("HBBI", code, then, otherwise, value)
