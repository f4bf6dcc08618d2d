# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A filter of system calls that refuses sockets to other machines, where there is no network namespace."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Sequence
from typing import Final

from trainlint.dry_run.enclosure.system_calls import NO_NEW_PRIVILEGES, control, libc
from trainlint.trace.own_code import process_limits
from trainlint.trace.own_code.process_limits import EQUAL, LOAD, RETURN, instruction

SOCKET: Final = {"x86_64": 41, "aarch64": 198}
IO_URING: Final = 425
"""io_uring_setup: by it sockets are opened that no filter sees."""
INTERNET: Final = (2, 10, 17)
"""AF_INET, AF_INET6 and AF_PACKET."""


def refuse_network() -> bool:
    """Have the kernel refuse sockets to other machines, to this process and its children."""
    machine, number = process_limits.MACHINES.get(platform.machine()), SOCKET.get(platform.machine())
    if machine is None or number is None or struct.calcsize("P") != 8 or not control(NO_NEW_PRIVILEGES):  # noqa: PLR2004 - a 32-bit program has other numbers
        return False
    program = _program(machine.audit, number)
    code = ctypes.create_string_buffer(b"".join(program), 8 * len(program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    whole = ctypes.create_string_buffer(head, len(head))
    return bool(libc().prctl(process_limits.SET_SECCOMP, process_limits.FILTER_MODE, whole, 0, 0) == 0)


def _program(audit: int, socket: int) -> Sequence[bytes]:
    """Write the filter: another architecture's calls and those named are refused, all others allowed."""
    refused = instruction(RETURN, process_limits.REFUSED)
    lines = [instruction(LOAD, process_limits.ARCHITECTURE_AT), instruction(EQUAL, audit, 1, 0), refused]
    lines += [
        instruction(LOAD, process_limits.NUMBER_AT),
        instruction(process_limits.ANY_BIT, process_limits.X32_BIT, 0, 1),
        refused,
    ]
    lines += [instruction(EQUAL, IO_URING, 0, 1), refused]
    lines += [instruction(EQUAL, socket, 1, 0), instruction(RETURN, process_limits.ALLOWED)]
    lines.append(instruction(LOAD, process_limits.ARGUMENTS_AT))
    for family in INTERNET:
        lines += [instruction(EQUAL, family, 0, 1), refused]
    return [*lines, instruction(RETURN, process_limits.ALLOWED)]
