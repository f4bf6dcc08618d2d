# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A blueprint as a small file: the header of a tape, then its tables as columns, compressed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from typing import Any, Final

from trainlint.tape import File, Network, Tape
from trainlint.tape.blueprints.blueprint import PARTS, Blueprint, OpRow
from trainlint.tape.blueprints.layer_loops import Even, Loop
from trainlint.tape.blueprints.layered_blocks import BlockRow
from trainlint.tape.blueprints.model_shape import has_kind, kind_of
from trainlint.tape.blueprints.shape_formulas import LAYERS, LENGTHS, TRAINED, WIDTHS, Formula
from trainlint.tape.blueprints.weight_counts import WeightCounts
from trainlint.tape.columns import DistinctValues
from trainlint.tape.encoding import unpacked, written
from trainlint.tape.events import LETTERS
from trainlint.tape.profile_header import LARGEST_NUMBER, damaged, header_of
from trainlint.tape.profile_inspection import STREAMS, numbers, texts

NAMES: Final = (*WIDTHS, *LENGTHS, LAYERS, TRAINED)
TEXTS: Final = ("kind", "owner", "key", "dtype")
FORMULAS: Final = ("size", "flops", "read", "written")
SIZES: Final = 4
"""Numbers that a blueprint has of each file's size."""


def encode_blueprint(made: Blueprint) -> bytes:
    """Return the file's bytes."""
    words = DistinctValues()
    tape = Tape(
        made.kind, made.step, (), (), made.marks, (), made.networks, made.files, batches=made.batches,
        made_with=made.made_with, notes=made.notes,
    )  # fmt: skip
    terms = [term for formula in made.formulas for term in formula.terms]
    body = {
        "order": made.order.decode(),
        "rows": list(made.rows),
        "turns": list(made.turns),
        "evens": _columns(Even, made.evens, words),
        "loops": _columns(Loop, made.loops, words),
        "blocks": _columns(BlockRow, made.blocks, words),
        "ops": _columns(OpRow, made.ops, words),
        "terms": [len(formula.terms) for formula in made.formulas],
        "above": [fraction.numerator for fraction, _ in terms],
        "below": [fraction.denominator for fraction, _ in terms],
        "factors": [len(product) for _, product in terms],
        "names": [NAMES.index(name) for _, product in terms for name in product],
        "marks": list(made.marks),
        "counts": {
            "all": _pairs(made.counts.all),
            "trained": _pairs(made.counts.trained),
            "files": [str(part) for file in made.counts.files for part in (int(file[0]), *file[1:])],
        },
        "words": list(words.numbers),
    }
    return written(header_of(tape), body)


def decode_blueprint(data: bytes, *, checked: bool = False) -> Blueprint:
    """Return the blueprint of a file's bytes; StaleError where they cannot be used; `checked`: see decode."""
    return unpacked(data, _blueprint, checked=checked)


def _columns(kind: Any, rows: Iterable[Any], words: DistinctValues) -> dict[str, list[int]]:
    rows = list(rows)
    columns: dict[str, list[int]] = {}
    for name, column in zip(kind._fields, zip(*rows, strict=True) if rows else repeat([]), strict=False):
        if name in FORMULAS:
            columns |= {f"{name} {part}": [row[part] for row in column] for part in range(PARTS)}
        else:
            columns[name] = list(map(words, column)) if name in TEXTS else list(column)
    return columns


def _rows(kind: Any, columns: Mapping[str, Any], formulas: int, words: Sequence[str]) -> list[Any]:
    made: list[Sequence[Any]] = []
    for name in kind._fields:
        if name in FORMULAS:
            parts = [numbers(columns[f"{name} {part}"], formulas - 1) for part in range(PARTS)]
            made.append(list(zip(*parts, strict=True)))
        elif name in TEXTS:
            made.append([words[number] for number in numbers(columns[name], len(words) - 1)])
        else:
            most = STREAMS - 1 if name in {"device", "stream"} else LARGEST_NUMBER
            made.append(list(numbers(columns[name], most, -most)))
    return [kind(*row) for row in zip(*made, strict=True)]


def _pairs(fractions: Sequence[Fraction]) -> list[int]:
    return [part for fraction in fractions for part in (fraction.numerator, fraction.denominator)]


def _fractions(column: Any) -> tuple[Fraction, ...]:
    parts = numbers(column, LARGEST_NUMBER)
    return tuple(map(Fraction, parts[::2], parts[1::2]))


def _formulas(body: Mapping[str, Any]) -> list[Formula]:
    names = iter([NAMES[number] for number in numbers(body["names"], len(NAMES) - 1)])
    rows = zip(
        numbers(body["above"], LARGEST_NUMBER, -LARGEST_NUMBER),
        numbers(body["below"], LARGEST_NUMBER, 1),
        numbers(body["factors"], len(NAMES)),
        strict=True,
    )
    terms = iter(
        [(Fraction(above, below), tuple(next(names) for _ in range(count))) for above, below, count in rows]
    )
    return [Formula(tuple(next(terms) for _ in range(count))) for count in numbers(body["terms"], len(NAMES))]


def _blueprint(header: dict[str, Any], body: Mapping[str, Any]) -> Blueprint:
    words, formulas, marks = texts(body["words"]), _formulas(body), texts(body["marks"])
    blocks = _rows(BlockRow, body["blocks"], len(formulas), words)
    ops = _rows(OpRow, body["ops"], len(formulas), words)
    evens = _rows(Even, body["evens"], 0, words)
    loops = _rows(Loop, body["loops"], 0, words)
    order = body["order"].encode("ascii")
    rows = numbers(body["rows"], max(len(blocks), len(ops), len(marks)) - 1, -1)
    turns = numbers(body["turns"], len(evens) - 1)
    _check_events(order, rows, turns, dict(zip(LETTERS, (len(blocks), 0, len(ops), len(marks)), strict=True)))
    _check_loops(loops, len(order))
    if not has_kind(header["step"]) or header["key"] != kind_of(header["step"], *header["batches"]):
        damaged("its key is not its step's")
    counts = WeightCounts(
        _fractions(body["counts"]["all"]),
        _fractions(body["counts"]["trained"]),
        _sizes(body["counts"]["files"], len(header["files"])),
    )
    return Blueprint(
        header["key"], header["step"], order, rows, turns, evens, loops, blocks, ops, formulas, tuple(marks),
        tuple(Network(**network) for network in header["networks"]),
        tuple(File(name, size) for name, size in header["files"].items()),
        counts, tuple(header["batches"]), header["made_with"], tuple(header["notes"]),
    )  # fmt: skip


def _sizes(column: Any, files: int) -> tuple[tuple[bool, float, float, float], ...]:
    """Read the bytes a weight, a tensor and a word's weight; files of before have no word's."""
    parts = [float(part) for part in texts(column)]
    if len(parts) == SIZES * files:
        return tuple(zip(map(bool, parts[::4]), parts[1::4], parts[2::4], parts[3::4], strict=True))
    return tuple(zip(map(bool, parts[::3]), parts[1::3], parts[2::3], parts[1::3], strict=True))


def _check_events(order: bytes, rows: Sequence[int], turns: Sequence[int], counts: Mapping[str, int]) -> None:
    if len(rows) != len(order) or len(turns) != len(order):
        damaged("it has more or fewer events than its tables")
    for code, row in set(zip(order, rows, strict=True)):
        letter = chr(code)
        if letter not in counts or not (row == -1 if letter == LETTERS[1] else 0 <= row < counts[letter]):
            damaged("an event is of no row")


def _check_loops(loops: Sequence[Loop], events: int) -> None:
    ends = [loop.end for loop in loops]
    if ends != sorted(ends) or any(not 0 < loop.period <= loop.end <= events for loop in loops):
        damaged("its loops are invalid")
