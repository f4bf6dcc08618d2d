"""A tape as a small file: one readable line of JSON, then the columns of its tables, compressed.

Blocks and operators repeat, so each distinct one is stored once and named by number. The backward pass frees
in the opposite order, so a free is stored as the block's rank among the living, youngest first: mostly small
numbers that recur. Step 2 repeats step 1 beyond zlib's window but within lzma's, a quarter of the size.
"""

from __future__ import annotations

import json
import lzma
from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from trainlint.tape import FORMAT, SEMANTICS, Block, Event, File, Network, Op, Size, Tape

MAGIC: Final = "trainlint tape"
"""First key of a profile's header."""
LETTERS: Final = "AFOM"
"""The kinds of events, in the order of Event."""
LIMIT: Final = 64 * 2**20
"""Bytes a body may unpack to: a guard against a crafted file, a thousand times a real one."""


class StaleError(Exception):
    """A profile that this trainlint must not use; the message says why."""


def encode(tape: Tape) -> bytes:
    """Return the file's bytes: header line and compressed body."""
    header = {
        MAGIC: FORMAT,
        "semantics": SEMANTICS,
        "key": tape.key,
        "batches": list(tape.batches),
        "made_with": dict(tape.made_with),
        "networks": [asdict(network) for network in tape.networks],
        "files": {file.name: file.size for file in tape.files},
        "devices": tape.devices,
        "affine": tape.affine,
        "notes": list(tape.notes),
        "step": dict(tape.step),
    }
    body = json.dumps(_columns(tape), separators=(",", ":")).encode()
    return json.dumps(header).encode() + b"\n" + lzma.compress(body)


def read_header(data: bytes) -> dict[str, Any]:
    """Return the header of a profile's bytes; StaleError where it is none or of another version."""
    line, _, _ = data.partition(b"\n")
    try:
        header = json.loads(line)
        version, semantics = header[MAGIC], header["semantics"]
    except (ValueError, KeyError, TypeError) as error:
        raise StaleError("it is not a trainlint tape") from error
    if version != FORMAT:
        raise StaleError(f"its format is {version}, this trainlint reads {FORMAT}")
    if semantics != SEMANTICS:
        raise StaleError(f"it was traced by rules {semantics}, this trainlint's are {SEMANTICS}")
    assert isinstance(header, dict)  # noqa: S101 - indexing by name worked
    return header


def decode(data: bytes) -> Tape:
    """Return the tape of a profile's bytes; StaleError where they cannot be used."""
    header = read_header(data)
    _, _, packed = data.partition(b"\n")
    try:
        unpacker = lzma.LZMADecompressor()
        body = json.loads(unpacker.decompress(packed, LIMIT))
        if not unpacker.eof:
            raise StaleError("it is damaged (cut short)")
        return _tape(header, body)
    except (lzma.LZMAError, ValueError, KeyError, TypeError, IndexError, RuntimeError) as error:
        raise StaleError(f"it is damaged ({error})") from error


class _Table:
    """Distinct values in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


def _columns(tape: Tape) -> dict[str, Any]:
    """Return the body: tables by column, the events as a string of kinds and a list of numbers per kind."""
    sizes, words, blocks = _Table(), _Table(), _Table()
    births = [blocks(block) for block in tape.blocks]
    return {
        "births": births,
        "blocks": _pack(Block, blocks.numbers, sizes, words),
        "ops": _pack(Op, tape.ops, sizes, words),
        "sizes": _pack(Size, sizes.numbers, sizes, words),
        "words": list(words.numbers),
        "marks": list(tape.marks),
        **_events(tape.events),
    }


def _pack(kind: type[Any], rows: Iterable[Any], sizes: _Table, words: _Table) -> dict[str, list[int]]:
    """Return a column of numbers per field; sizes and words are numbers of their tables."""
    tables: dict[Any, Any] = {"Size": sizes, "str": words, "int": int}
    rows = list(rows)
    return {
        field.name: [tables[field.type](getattr(row, field.name)) for row in rows] for field in fields(kind)
    }


def _unpack(
    kind: type[Any], columns: Mapping[str, Any], sizes: Sequence[Size] = (), words: Sequence[str] = ()
) -> list[Any]:
    """Undo _pack."""
    tables: dict[Any, Any] = {"Size": sizes.__getitem__, "str": words.__getitem__, "int": int}
    ordered = [map(tables[field.type], columns[field.name]) for field in fields(kind)]
    return [kind(*row) for row in zip(*ordered, strict=True)]


def _events(events: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Split the events by kind: births relative to the next number, deaths as ranks, the rest as they are."""
    numbers: dict[int, list[int]] = {kind: [] for kind in Event}
    living: list[int] = []
    born = 0
    for kind, index in events:
        number = index
        if kind == Event.ALLOC:
            number = index - born
            born += 1
            insort(living, index)
        elif kind == Event.FREE:
            at = bisect_left(living, index)
            number = len(living) - at
            del living[at]
        numbers[kind].append(number)
    return {
        "order": "".join(LETTERS[kind] for kind, _ in events),
        "allocs": numbers[Event.ALLOC] if any(numbers[Event.ALLOC]) else [],
        "ranks": numbers[Event.FREE],
        "work": numbers[Event.OP],
        "moments": numbers[Event.MARK],
    }


def _join(body: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Undo _events."""
    allocs, ranks, work, moments = (iter(body[name]) for name in ("allocs", "ranks", "work", "moments"))
    living: list[int] = []
    events: list[tuple[int, int]] = []
    born, in_order = 0, not body["allocs"]
    for letter in body["order"]:
        if letter == "A":
            if in_order:
                index = born
                living.append(index)
            else:
                index = born + next(allocs)
                insort(living, index)
            born += 1
            events.append((0, index))
        elif letter == "F":
            events.append((1, living.pop(-next(ranks))))
        elif letter == "O":
            events.append((2, next(work)))
        else:
            events.append((3, next(moments)))
    return events


def _tape(header: Mapping[str, Any], body: Mapping[str, Any]) -> Tape:
    words = body["words"]
    sizes = _unpack(Size, body["sizes"])
    blocks = _unpack(Block, body["blocks"], sizes, words)
    ops = _unpack(Op, body["ops"], sizes, words)
    return Tape(
        key=header["key"],
        step=header["step"],
        blocks=tuple(blocks[birth] for birth in body["births"]),
        ops=tuple(ops),
        marks=tuple(body["marks"]),
        events=tuple(_join(body)),
        networks=tuple(Network(**network) for network in header["networks"]),
        files=tuple(File(name, size) for name, size in header["files"].items()),
        devices=header["devices"],
        affine=header["affine"],
        batches=tuple(header["batches"]),
        made_with=header["made_with"],
        notes=tuple(header["notes"]),
    )
