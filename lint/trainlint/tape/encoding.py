# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A tape as a small file: one readable line of JSON, then the columns of its tables, compressed.

Step 2 repeats step 1 beyond zlib's window but within lzma's, a quarter of the size.
"""

from __future__ import annotations

import json
import lzma
from array import array
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, TypeVar

from trainlint.tape import Block, File, Network, Op, Size, Tape
from trainlint.tape.columns import DistinctValues, joined, pack, split, unpack
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import tables
from trainlint.tape.profile_header import StaleError, damaged, header_of, parsed, read_header
from trainlint.tape.profile_inspection import (
    check_blocks,
    check_events,
    check_ops,
    check_sizes,
    numbers,
    texts,
)
from trainlint.tape.step import key_of

Made = TypeVar("Made")

MOST_BODY_BYTES: Final = 16 * 2**20
"""Bytes a body may unpack to: a guard against a crafted file, 16 times the largest shipped one."""
UNPACKING_MEMORY: Final = 32 * 2**20
"""Bytes that unpacking may take: 9 MiB are what lzma's default preset needs."""
MOST_TABLES: Final = 10_000
"""Lists and objects in a body; a tape has 30, a few more brackets may be in its words. In memory an empty
list weighs 30 times what its text does, a number ten times."""
LZMA_FILTERS: Final = ({"id": lzma.FILTER_LZMA2, "preset": 6 | lzma.PRESET_EXTREME, "nice_len": 64, "pb": 0},)
"""How bodies are packed: text has no alignment (pb), which saves 2 % of the shipped ones' bytes."""
HEADER_DIGEST: Final = "header"
"""Key of the header's digest in the body: lzma's own checksum covers the body alone."""


def encode(tape: Tape) -> bytes:
    """Return the file's bytes: header line and compressed body."""
    return written(header_of(tape), _columns(tape))


def written(header: Mapping[str, Any], body: Mapping[str, Any]) -> bytes:
    """Return a file's bytes; the body, whose checksum is lzma's, vouches for the header."""
    line = json.dumps(header, default=str).encode()
    columns = json.dumps({**body, HEADER_DIGEST: _digest(line)}, separators=(",", ":")).encode()
    return line + b"\n" + lzma.compress(columns, filters=LZMA_FILTERS)


def decode(data: bytes, *, checked: bool = False) -> Tape:
    """Return the tape of a profile's bytes; StaleError where they cannot be used.

    `checked`: its tables were found right before, so only its digests are looked at.
    """
    return unpacked(data, _unchecked, checked=True) if checked else unpacked(data, _tape)


def unpacked(
    data: bytes,
    make: Callable[[dict[str, Any], Mapping[str, Any]], Made],
    read: Callable[[bytes], dict[str, Any]] = read_header,
    *,
    checked: bool = False,
) -> Made:
    """Return what `make` makes of a file's header, as `read` returns it, and its body.

    StaleError where they cannot be used. Where the file was found right before (`checked`), lists of numbers
    in the body may be columns.
    """
    line, _, packed = data.partition(b"\n")
    header = read(line)
    text = _decompressed(packed)
    body = (tables(text) if checked else None) or parsed(_bounded(text))
    if body.get(HEADER_DIGEST) != _digest(line):
        damaged("its header was changed")
    try:
        return make(header, body)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as error:
        raise StaleError(f"it is damaged ({type(error).__name__})") from error


def _decompressed(packed: bytes) -> bytes:
    """Return a body, of as many bytes as a real one may have."""
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=UNPACKING_MEMORY)
    try:
        body = unpacker.decompress(packed, MOST_BODY_BYTES)
    except lzma.LZMAError as error:
        raise StaleError("it is damaged (not packed by lzma)") from error
    if not unpacker.eof or unpacker.unused_data:
        damaged("cut short, or longer than a tape is")
    return body


def _bounded(body: bytes) -> bytes:
    """Return a body if it has as many brackets as a real one may have."""
    if body.count(b"[") + body.count(b"{") > MOST_TABLES:
        damaged("it has more tables than a tape has")
    return body


def _digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def _columns(tape: Tape) -> dict[str, Any]:
    """Return the body: tables by column, the events as a string of kinds and a list of numbers per kind."""
    sizes, words, blocks = DistinctValues(), DistinctValues(), DistinctValues()
    births = [blocks(block) for block in tape.blocks]
    return {
        "births": births,
        "blocks": pack(Block, blocks.numbers, sizes, words),
        "ops": pack(Op, tape.ops, sizes, words),
        "sizes": pack(Size, sizes.numbers, sizes, words),
        "words": list(words.numbers),
        "marks": list(tape.marks),
        **split(tape.events),
    }


def _tape(header: dict[str, Any], body: Mapping[str, Any]) -> Tape:
    words, devices = texts(body["words"]), header["devices"]
    count = check_sizes(body["sizes"], header["batches"])
    numbers(body["births"], check_blocks(body["blocks"], count, words, devices) - 1)
    check_events(body, len(body["births"]), check_ops(body["ops"], count, words, devices))
    if header["key"] != key_of(header["step"]):
        damaged("its key is not its step's")
    return _unchecked(header, body)


def _unchecked(header: dict[str, Any], body: Mapping[str, Any]) -> Tape:
    words = body["words"]
    sizes = unpack(Size, body["sizes"])
    blocks = unpack(Block, body["blocks"], sizes, words)
    ops = unpack(Op, body["ops"], sizes, words)
    born = Blocks(blocks, array("i", body["births"]))
    return tape_from(header, born, ops, body["marks"], joined(body))


def tape_from(
    header: Mapping[str, Any],
    blocks: Blocks,
    ops: Sequence[Op],
    marks: Sequence[str],
    events: Events,
) -> Tape:
    """Return a tape of its header and its tables."""
    return Tape(
        key=header["key"],
        step=header["step"],
        blocks=blocks,
        ops=tuple(ops),
        marks=tuple(marks),
        events=events,
        networks=tuple(Network(**network) for network in header["networks"]),
        files=tuple(File(name, size) for name, size in header["files"].items()),
        devices=header["devices"],
        affine=header["affine"],
        batches=tuple(header["batches"]),
        made_with=header["made_with"],
        notes=tuple(header["notes"]),
    )
