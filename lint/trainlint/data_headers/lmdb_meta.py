# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many entries an LMDB's data.mdb has, by its two meta pages: the file is neither mapped nor followed.

Source: LMDB 0.9, libraries/liblmdb/mdb.c (MDB_page, MDB_meta, MDB_db, mdb_env_pick_meta), data version 1, as
64-bit machines write it.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final, NamedTuple

MAGIC: Final = 0xBEEFC0DE
VERSION: Final = 1
P_META: Final = 0x08
"""The flag of a meta page."""
PAGES: Final = frozenset(1 << power for power in range(8, 17))
"""Bytes that a page may have: 256 to 65,536 (MAX_PAGESIZE; smaller ones hold no meta page)."""

_HEADER: Final = "QHHI"
"""A page's number, padding, flags, and what else its kind needs."""
_DB: Final = "IHHQQQQQ"
"""A database's padding, flags, depth; its branch, leaf and overflow pages, entries, root."""
_META: Final = struct.Struct(f"<{_HEADER}IIQQ{_DB}{_DB}QQ")


class _Meta(NamedTuple):
    """What is asked of a meta page; the free pages' database has the size of a page for its padding."""

    page_size: int
    entries: int
    transaction: int


def entries_in(file: BinaryIO) -> int | None:
    """Return the entries of the unnamed database after its last transaction; None for any other file."""
    first = _read(file.read(_META.size), 0)
    if first is None:
        return None
    file.seek(first.page_size)
    second = _read(file.read(_META.size), 1)
    if second is None or second.page_size != first.page_size:
        return None
    return max(first, second, key=lambda meta: meta.transaction).entries


def _read(data: bytes, number: int) -> _Meta | None:
    if len(data) < _META.size:
        return None
    page, _, flags, _, magic, version, _, _, *rest = _META.unpack(data)
    free, main, (_, transaction) = rest[:8], rest[8:16], rest[16:]
    known = (page, flags, magic, version) == (number, P_META, MAGIC, VERSION) and free[0] in PAGES
    return _Meta(free[0], main[6], transaction) if known else None
