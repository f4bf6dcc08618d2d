# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Crops as a small file next to a tape of one of their sides: what its sizes are at the other sides.

Storages that are alike on the tape and differ at another side are variants of one row; most rows have one. So
the file has a tenth of the tape's bytes, where crop_file.py's has as many.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate, chain, repeat
from operator import add
from typing import Any, Final, TypeVar

from trainlint.expressions.patterns import later
from trainlint.tape import SEMANTICS, Size, Tape
from trainlint.tape.columns import DistinctValues
from trainlint.tape.crops.crop_side import at_side, family_key, side_of
from trainlint.tape.crops.crop_tapes import OP, Crops
from trainlint.tape.crops.side_rows import BlockRows, OpRows, in_threes, numbered
from trainlint.tape.encoding import decode, unpacked, written
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import Column, spread
from trainlint.tape.profile_header import StaleError, damaged, parsed
from trainlint.tape.step import key_of

MAGIC: Final = "trainlint sides"
"""First key of the file's header."""
FORMAT: Final = 1
TAPE_NAME: Final = later(r"[0-9a-f]{24}\.tape")
"""Names of tapes that hold for every batch."""
FIGURE_FIELDS: Final = ("flops", "read", "written")
"""Fields of an operator that are sizes."""

Row = TypeVar("Row", bound=Hashable)
Table = Mapping[str, Any]


def encode_sides(crops: Crops, name: str, data: bytes) -> bytes:
    """Return the file's bytes: what `crops` add to a tape at a side between theirs, of this name and bytes.

    NotPolynomialError where that tape is none of theirs.
    """
    own = decode(data)
    side = side_of(own.step)
    whole = crops.joined(own)
    position = whole.sides.index(side)
    born, blocks = _varied(whole.births, whole.blocks, position)
    ran, ops = _varied([number for kind, number in whole.tape.events if kind == OP], whole.ops, position)
    sizes = [tuple(block.size for block in row) for row in blocks]
    sizes += [tuple(getattr(op, name) for op in row) for row in ops for name in FIGURE_FIELDS]
    (distinct, uses), (texts, used) = numbered(sizes), numbered(tuple(op.key for op in row) for row in ops)
    sized, sizes = _varied(uses, distinct, position)
    keyed, keys = _varied(used, texts, position)
    others = [number for number in range(len(whole.sides)) if number != position]
    body = {
        "born": born,
        "ran": ran,
        "sized": sized,
        "keyed": keyed,
        "sizes": [list(zip(*(row[other] for row in sizes), strict=True)) for other in others],
        "keys": [[row[other] for row in keys] for other in others],
    }
    header = {
        MAGIC: FORMAT, "semantics": SEMANTICS, "key": family_key(own.step, crops.period), "tape": name,
        "digest": _digest(data), "sides": list(whole.sides), "period": crops.period,
    }  # fmt: skip
    return written(header, body)


def decode_sides(data: bytes, tape: Callable[[str], bytes], *, checked: bool = False) -> tuple[str, Crops]:
    """Return the key and the crops of a file's bytes; StaleError where they cannot be used.

    `tape` returns the bytes of the file of a name next to it, and `checked` is what `decode` takes.
    """

    def make(header: dict[str, Any], body: Mapping[str, Any]) -> tuple[str, Crops]:
        if not TAPE_NAME.fullmatch(header["tape"]):
            damaged("its tape is invalid")
        stored = tape(header["tape"])
        if _digest(stored) != header["digest"]:
            damaged("the tape next to it is a different one")
        return header["key"], _crops(header, body, decode(stored, checked=checked))

    return unpacked(data, make, _header)


def _header(line: bytes) -> dict[str, Any]:
    header = parsed(line)
    if (header.get(MAGIC), header.get("semantics")) != (FORMAT, SEMANTICS):
        raise StaleError("it is of another trainlint")
    return header


def _crops(header: Table, body: Table, own: Tape) -> Crops:
    sides, period = tuple(header["sides"]), header["period"]
    position = sides.index(side_of(own.step))
    if header["key"] != family_key(own.step, period):
        damaged("its key is not its step's")
    born, works = Blocks.of(own.blocks), Events.of(own.events).of_kind(OP)
    births, blocks = _rows(born.distinct, born.births, body["born"])
    ran, ops = _rows(own.ops, array("i", works), body["ran"])
    present = [block.size for block in blocks] + [getattr(op, name) for op in ops for name in FIGURE_FIELDS]
    others = [map(Size._make, zip(*columns, strict=True)) for columns in body["sizes"]]
    numbers, sizes = _table(present, body["sized"], others, position)
    keyed, keys = _table([op.key for op in ops], body["keyed"], body["keys"], position)
    whole = BlockRows.beginning(blocks, numbers[: len(blocks)], sizes)
    work = OpRows.beginning(ops, in_threes(numbers[len(blocks) :]), sizes, keyed, keys)
    step = at_side(own.step, sides[0])
    tape = replace(
        own,
        key=key_of(step),
        step=step,
        blocks=Blocks(whole.first, births),
        ops=tuple(work.first),
        events=_with_rows(Events.of(own.events), ran),
    )
    return Crops(sides, period, tape, tuple(births), whole, work)


def _table(
    present: Sequence[Row], stored: Table, others: Iterable[Iterable[Row]], position: int
) -> tuple[Column, list[tuple[Row, ...]]]:
    """Return each use's number, and the rows, of a value for each side: `present` has the tape's own."""
    numbers, own = _rows(present, array("i", range(len(present))), stored)
    columns = [*others]
    return numbers, [*zip(*columns[:position], own, *columns[position:], strict=True)]


def _varied(
    uses: Iterable[int], table: Sequence[tuple[Row, ...]], position: int
) -> tuple[Table, list[tuple[Row, ...]]]:
    """Return which variant each use is, how many each row of the tape has, and the variants in order."""
    rows = DistinctValues()
    variants: list[dict[int, int]] = []
    chosen = []
    for use in uses:
        row = rows(table[use][position])
        if row == len(variants):
            variants.append({})
        chosen.append(variants[row].setdefault(use, len(variants[row])))
    counts = list(map(len, variants))
    stored = {"variant": chosen if any(chosen) else [], "count": counts if any(chosen) else []}
    return stored, [table[use] for use in chain.from_iterable(variants)]


def _rows(values: Sequence[Row], uses: Column, stored: Table) -> tuple[Column, list[Row]]:
    """Undo `_varied`: return the number of each use of a value, and the tape's own row for each number."""
    rows = DistinctValues()
    number_of = array("i", [-1]) * len(values)
    for use in dict.fromkeys(uses):
        number_of[use] = rows(values[use])
    numbers = spread(number_of, uses)
    distinct: list[Any] = list(rows.numbers)
    if not stored["variant"]:
        return numbers, distinct
    counts = stored["count"]
    first = array("i", [0, *accumulate(counts)])
    repeated = chain.from_iterable(map(repeat, distinct, counts))
    variants = array("i", stored["variant"])
    if len(variants) != len(numbers):
        damaged("its variants are not as many as their uses")
    return array("i", map(add, spread(first, numbers), variants)), list(repeated)


def _with_rows(events: Events, rows: array[int]) -> Events:
    """Return the events, whose operators are these rows."""
    numbers = array("i", events.numbers)
    for place, row in zip(events.places(OP), rows, strict=True):
        numbers[place] = row
    return Events(events.order, numbers)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
