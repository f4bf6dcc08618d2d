# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's tapes at several crops as one small file: what they have in common once, their sizes for each."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, Final

from trainlint.tape import Block, Op, Size
from trainlint.tape.columns import DistinctValues, joined, pack, split, unpack
from trainlint.tape.crops.crop_side import SIDE_FIELDS, NotPolynomialError, crops_of, family_key, side_of
from trainlint.tape.crops.crop_tapes import Crops, check_rows
from trainlint.tape.encoding import tape_from, unpacked, written
from trainlint.tape.events import Blocks
from trainlint.tape.profile_header import StaleError, damaged, header_of, whole
from trainlint.tape.profile_inspection import (
    check_blocks,
    check_events,
    check_ops,
    check_sizes,
    numbers,
    texts,
)
from trainlint.tape.step import key_of

LARGEST_SIDE: Final = 2**16
"""Pixels of a side; the sides of a family reach twice a config's own."""


def encode_crops(crops: Crops, key: str) -> bytes:
    """Return the file's bytes; `key` is the one that these crops are looked for by."""
    header = {**header_of(crops.tape), "key": key, "sides": list(crops.sides), "period": crops.period}
    sizes, words = DistinctValues(), DistinctValues()
    columns = [
        {"blocks": pack(Block, blocks, sizes, words), "ops": pack(Op, ops, sizes, words)}
        for blocks, ops in zip(zip(*crops.blocks, strict=True), zip(*crops.ops, strict=True), strict=True)
    ]
    body = {
        "births": list(crops.births),
        "columns": columns,
        "sizes": pack(Size, sizes.numbers, sizes, words),
        "words": list(words.numbers),
        "marks": list(crops.tape.marks),
        **split(crops.tape.events),
    }
    return written(header, body)


def decode_crops(data: bytes) -> tuple[str, Crops]:
    """Return the key and the crops of a file's bytes; StaleError where they cannot be used."""
    return unpacked(data, _crops)


def _crops(header: dict[str, Any], body: Mapping[str, Any]) -> tuple[str, Crops]:
    words, columns = texts(body["words"]), body["columns"]
    sides, period = _sides(header, len(columns))
    count = check_sizes(body["sizes"], header["batches"])
    rows = {check_blocks(column["blocks"], count, words, header["devices"]) for column in columns}
    ran = {check_ops(column["ops"], count, words, header["devices"]) for column in columns}
    numbers(body["births"], min(rows) - 1)
    check_events(body, len(body["births"]), min(ran))
    sizes = unpack(Size, body["sizes"])
    blocks = [unpack(Block, column["blocks"], sizes, words) for column in columns]
    ops = [unpack(Op, column["ops"], sizes, words) for column in columns]
    own = {**header, "key": key_of(header["step"])}  # the header's is that of all sides
    born = Blocks(blocks[0], array("i", body["births"]))
    tape = tape_from(own, born, ops[0], body["marks"], joined(body))
    grid = tuple(zip(*blocks, strict=True)), tuple(zip(*ops, strict=True))
    crops = Crops(sides, period, tape, tuple(body["births"]), *grid)
    try:
        check_rows(crops)
    except NotPolynomialError as error:
        raise StaleError("it is damaged (its sides are not alike)") from error
    return header["key"], crops


def _sides(header: dict[str, Any], count: int) -> tuple[tuple[int, ...], int]:
    """Return the sides and the period of a header, which are those of its step and its key."""
    sides, period, step = header["sides"], header["period"], header["step"]
    if not whole(period, 1, LARGEST_SIDE) or not all(whole(side, 1, LARGEST_SIDE) for side in sides):
        damaged("its sides are no sides of crops")
    fields = [step[name] for name in SIDE_FIELDS if name in step]
    if not all(whole(crop, 1, LARGEST_SIDE) for crop in fields) or side_of(step) != sides[0]:
        damaged("its sides are not its step's")
    if any(crop > LARGEST_SIDE for crop in crops_of(step)):
        damaged("its sides are not its step's")
    if (
        count != len(sides)
        or sides != sorted(set(sides))
        or any((side - sides[0]) % period for side in sides)
    ):
        damaged("its sides are not alike")
    if header["key"] != family_key(step, period):
        damaged("its key is not its step's")
    return tuple(sides), period
