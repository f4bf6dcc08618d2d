# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A filter of system calls that refuses sockets to other machines: those a namespace leaves, or all."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Sequence
from typing import Final

from trainlint.dry_run.enclosure.system_calls import NO_NEW_PRIVILEGES, control, libc
from trainlint.trace.own_code import process_limits
from trainlint.trace.own_code.process_limits import ARGUMENTS_AT, EQUAL, LOAD, RETURN, instruction

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
    machine, number = process_limits.MACHINES.get(platform.machine()), SOCKET.get(platform.machine())
    if machine is None or number is None or struct.calcsize("P") != 8 or not control(NO_NEW_PRIVILEGES):  # noqa: PLR2004 - a 32-bit program has other numbers
        return False
    program = _program(machine.audit, number, families)
    code = ctypes.create_string_buffer(b"".join(program), 8 * len(program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    whole = ctypes.create_string_buffer(head, len(head))
    return bool(libc().prctl(process_limits.SET_SECCOMP, process_limits.FILTER_MODE, whole, 0, 0) == 0)


def _program(audit: int, socket: int, families: Sequence[int]) -> Sequence[bytes]:
    """Write the filter: another architecture's calls and other families are refused, all else allowed."""
    refused = instruction(RETURN, process_limits.REFUSED)
    allowed = instruction(RETURN, process_limits.ALLOWED)
    lines = [instruction(LOAD, process_limits.ARCHITECTURE_AT), instruction(EQUAL, audit, 1, 0), refused]
    lines += [
        instruction(LOAD, process_limits.NUMBER_AT),
        instruction(process_limits.ANY_BIT, process_limits.X32_BIT, 0, 1),
        refused,
    ]
    lines += [instruction(EQUAL, IO_URING, 0, 1), refused]
    lines += [instruction(EQUAL, socket, 1, 0), allowed]
    lines.append(instruction(LOAD, ARGUMENTS_AT))
    for family in families:
        lines += [instruction(EQUAL, family, 0, 1), allowed]
    return [*lines, refused]
