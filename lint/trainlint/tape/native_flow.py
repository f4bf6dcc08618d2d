# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The loops of pure_flow.py in C (_flow.c), which are there where trainlint was installed with a compiler."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from trainlint.tape import _flow
from trainlint.tape.flow_codes import Column, Flow, Rounds

_source = Path(__file__).with_name("_flow.c")
if _source.exists() and crc32(_source.read_bytes()) != _flow.SOURCE:  # the checkout has moved on since
    raise ImportError(f"{_source.name} is not what was compiled")


def tables(text: bytes) -> Mapping[str, Any] | None:
    """Do as pure_flow.tables."""
    body = _flow.tables(text)
    return None if body is None else _with_columns(body)


def _with_columns(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: _column(value) for name, value in table.items()}


def _column(value: Any) -> Any:
    if isinstance(value, dict):
        return _with_columns(value)
    return array("i", value) if isinstance(value, bytes) else value


def rounds(
    order: bytes, rows: Column, growing: tuple[Column, Column], spans: Column, bounds: tuple[int, int]
) -> Rounds:
    """Do as pure_flow.rounds."""
    whole, *columns = _flow.rounds(order, rows, *growing, spans, bounds)
    return Rounds(whole, *(array("i", column) for column in columns))


def numbered(
    order: bytes, allocs: Sequence[int], ranks: Sequence[int], work: Sequence[int], moments: Sequence[int]
) -> Column | None:
    """Do as pure_flow.numbered."""
    columns = (array("i", column) for column in (allocs, ranks, work, moments))
    numbers = _flow.numbered(order, *columns)
    return None if numbers is None else array("i", numbers)


def course(flow: Flow, span: tuple[int, int], device: int, before: int) -> tuple[Column, Column, Column]:
    """Do as pure_flow.course."""
    program, works, marks = _flow.course(*flow, *span, device, before)
    return array("i", program), array("i", works), array("i", marks)


def living(program: Column) -> Column:
    """Do as pure_flow.living."""
    return array("i", _flow.living(program))


def lives(program: Column, blocks: int) -> tuple[Column, Column]:
    """Do as pure_flow.lives."""
    born, died = _flow.lives(program, blocks)
    return array("i", born), array("i", died)


def highest(program: Column, size_of: Column, sizes: Sequence[int], initial: int) -> tuple[int, int]:
    """Do as pure_flow.highest, which alone sums any number of bytes."""
    try:
        return _flow.highest(program, size_of, array("q", sizes), initial)
    except OverflowError:
        from trainlint.tape import pure_flow  # noqa: PLC0415 - of sums above 64 bits alone

        return pure_flow.highest(program, size_of, sizes, initial)


def slotted(program: Column, kinds: Column) -> tuple[Column, Column]:
    """Do as pure_flow.slotted."""
    renamed, slots = _flow.slotted(program, kinds)
    return array("i", renamed), array("i", slots)


def paired(events: Column, slots: int) -> Column:
    """Do as pure_flow.paired."""
    return array("i", _flow.paired(events, slots))


def spread(rows: Column, births: Column) -> Column:
    """Do as pure_flow.spread."""
    return array("i", _flow.spread(rows, births))


def distinct(rows: Column) -> Column:
    """Do as pure_flow.distinct."""
    return array("i", _flow.distinct(rows))


def places(rows: Column, asked: Iterable[int]) -> Column:
    """Do as pure_flow.places."""
    return array("i", _flow.places(rows, array("i", asked)))


def gradients_first(positions: Column, rows: Column, program: Column, roles: Column) -> Column:
    """Do as pure_flow.gradients_first."""
    return array("i", _flow.gradients_first(positions, rows, program, roles))


def firsts(rows: Column, positions: Column, numbers: Column) -> Column:
    """Do as pure_flow.firsts."""
    return array("i", _flow.firsts(rows, positions, numbers))


def in_turn(moments: Column, uses: Sequence[tuple[Column, Column, Column]]) -> Column:
    """Do as pure_flow.in_turn."""
    passing = b"".join(_flow.passing(*use) for use in uses)
    return array("i", _flow.in_turn(moments.tobytes() + passing))


def summed(program: Column, positions: Column, kinds: Column) -> Column:
    """Do as pure_flow.summed."""
    return array("i", _flow.summed(program, positions, kinds))


def cut(program: Column, moments: Column, first: int, handles: int) -> list[Column]:
    """Do as pure_flow.cut."""
    return [array("i", part) for part in _flow.cut(program, moments, first, handles)]
