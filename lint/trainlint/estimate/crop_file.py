"""A step's tapes at several crops as one small file: what they have in common once, their sizes for each."""

from __future__ import annotations

from typing import Any

from trainlint.estimate.columns import Table, joined, pack, split, unpack
from trainlint.estimate.crops import Crops
from trainlint.estimate.encoding import header_of, tape_from, unpacked, written
from trainlint.estimate.step import key_of
from trainlint.tape import Block, Op, Size


def encode_crops(crops: Crops, key: str) -> bytes:
    """Return the file's bytes; `key` is the one that these crops are looked for by."""
    header = {**header_of(crops.tape), "key": key, "sides": list(crops.sides), "period": crops.period}
    sizes, words = Table(), Table()
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


def _crops(header: dict[str, Any], body: dict[str, Any]) -> tuple[str, Crops]:
    words, sizes = body["words"], unpack(Size, body["sizes"])
    blocks = [unpack(Block, column["blocks"], sizes, words) for column in body["columns"]]
    ops = [unpack(Op, column["ops"], sizes, words) for column in body["columns"]]
    own = {**header, "key": key_of(header["step"])}  # the header's is that of all sides
    born = [blocks[0][birth] for birth in body["births"]]
    tape = tape_from(own, born, ops[0], body["marks"], joined(body))
    rows = tuple(zip(*blocks, strict=True)), tuple(zip(*ops, strict=True))
    return header["key"], Crops(tuple(header["sides"]), header["period"], tape, tuple(body["births"]), *rows)
