"""A tape as a small file: one readable line of JSON, then the columns of its tables, compressed.

Step 2 repeats step 1 beyond zlib's window but within lzma's, a quarter of the size.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, TypeVar

from trainlint.estimate.columns import Table, joined, pack, split, unpack
from trainlint.tape import FORMAT, SEMANTICS, Block, File, Network, Op, Size, Tape

Made = TypeVar("Made")

MAGIC: Final = "trainlint tape"
"""First key of a profile's header."""
LIMIT: Final = 64 * 2**20
"""Bytes a body may unpack to: a guard against a crafted file, a thousand times a real one."""


class StaleError(Exception):
    """A profile that this trainlint must not use; the message says why."""


def encode(tape: Tape) -> bytes:
    """Return the file's bytes: header line and compressed body."""
    return written(header_of(tape), _columns(tape))


def header_of(tape: Tape) -> dict[str, Any]:
    """Return the header: what can be read without unpacking."""
    return {
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


def written(header: Mapping[str, Any], body: Mapping[str, Any]) -> bytes:
    """Return a file's bytes."""
    columns = json.dumps(body, separators=(",", ":")).encode()
    return json.dumps(header).encode() + b"\n" + lzma.compress(columns)


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
    return unpacked(data, _tape)


def unpacked(data: bytes, make: Callable[[dict[str, Any], dict[str, Any]], Made]) -> Made:
    """Return what `make` makes of a file's header and body; StaleError where they cannot be used."""
    header = read_header(data)
    _, _, packed = data.partition(b"\n")
    try:
        unpacker = lzma.LZMADecompressor()
        body = json.loads(unpacker.decompress(packed, LIMIT))
        if not unpacker.eof:
            raise StaleError("it is damaged (cut short)")
        return make(header, body)
    except (lzma.LZMAError, ValueError, KeyError, TypeError, IndexError, RuntimeError) as error:
        raise StaleError(f"it is damaged ({error})") from error


def _columns(tape: Tape) -> dict[str, Any]:
    """Return the body: tables by column, the events as a string of kinds and a list of numbers per kind."""
    sizes, words, blocks = Table(), Table(), Table()
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


def _tape(header: dict[str, Any], body: dict[str, Any]) -> Tape:
    words = body["words"]
    sizes = unpack(Size, body["sizes"])
    blocks = unpack(Block, body["blocks"], sizes, words)
    ops = unpack(Op, body["ops"], sizes, words)
    return tape_from(header, [blocks[birth] for birth in body["births"]], ops, body["marks"], joined(body))


def tape_from(
    header: Mapping[str, Any],
    blocks: Sequence[Block],
    ops: Sequence[Op],
    marks: Sequence[str],
    events: Sequence[tuple[int, int]],
) -> Tape:
    """Return a tape of its header and its tables."""
    return Tape(
        key=header["key"],
        step=header["step"],
        blocks=tuple(blocks),
        ops=tuple(ops),
        marks=tuple(marks),
        events=tuple(events),
        networks=tuple(Network(**network) for network in header["networks"]),
        files=tuple(File(name, size) for name, size in header["files"].items()),
        devices=header["devices"],
        affine=header["affine"],
        batches=tuple(header["batches"]),
        made_with=header["made_with"],
        notes=tuple(header["notes"]),
    )
