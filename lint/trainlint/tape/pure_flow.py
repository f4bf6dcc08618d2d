# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The loops over a tape's events, of which it has up to a million.

_flow.c does the same in C; this is what it is held to, and what runs where trainlint was installed
without a compiler. A program is a GPU's events: a block's number where it is allocated, ~number where it
is freed.
"""

from __future__ import annotations

from array import array
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, Final

from trainlint.tape.flow_codes import (
    CUBLASLT,
    FLUSH,
    GIVE,
    NO_EVENT,
    OF_BIAS,
    OF_DATA,
    OF_WEIGHT,
    PASS,
    RETURN,
    Column,
    Flow,
    Rounds,
)  # fmt: skip

OUT_OF_BOUNDS: Final = "a number of no row"


def tables(text: bytes) -> Mapping[str, Any] | None:  # noqa: ARG001 - as in C
    """Return the JSON of a tape's body with its lists of numbers as columns; None where that takes longer.

    In C it does not, for an object as encoding.py writes it: of texts, lists of texts, lists of whole numbers
    (lists too where one has more than 32 bits), and objects of these.
    """
    return None


def rounds(
    order: bytes, rows: Column, growing: tuple[Column, Column], spans: Column, bounds: tuple[int, int]
) -> Rounds:
    """Return the events of loops; IndexError where a span, a row or a layer is out of bounds.

    `spans` are (first event, last, round), one after the other; of each event `rows` says what it is of, and
    `growing` its number, a rank or a layer, and by how much that grows with each round. `bounds` are how many
    rows are born, and layers.
    """
    letters, made = bytearray(), Rounds(b"", *(array("i") for _ in range(4)))
    (firsts, growth), (width, layers) = growing, bounds
    for first, last, turn in zip(spans[::3], spans[1::3], spans[2::3], strict=True):
        if not 0 <= first <= last <= len(order):
            raise IndexError(OUT_OF_BOUNDS)
        letters += order[first:last]
        for event in range(first, last):
            letter, row, number = order[event], rows[event], firsts[event] + growth[event] * turn
            if letter == 65:  # noqa: PLR2004 - A
                if not (0 <= row < width and 0 <= number < layers):
                    raise IndexError(OUT_OF_BOUNDS)
                made.births.append(number * width + row)
            elif letter == 70:  # noqa: PLR2004 - F
                made.ranks.append(number)
            else:
                (made.work if letter == 79 else made.moments).append(row)  # noqa: PLR2004 - O
    return made._replace(order=bytes(letters))


def numbered(
    order: bytes, allocs: Sequence[int], ranks: Sequence[int], work: Sequence[int], moments: Sequence[int]
) -> Column | None:
    """Return the number of each event, as `columns.split` wrote them; None where one dies that does not live.

    `order` has a letter for each event, the others what is written of those of one kind.
    """
    births, deaths, ran, marked = (iter(column) for column in (allocs, ranks, work, moments))
    living: list[int] = []
    numbers = array("i")
    born, in_order = 0, not allocs
    happen, pop, live = numbers.append, living.pop, living.append
    for letter in order:
        if letter == 65:  # noqa: PLR2004 - A
            if in_order:
                index = born
                live(index)
            else:
                index = born + next(births)
                insort(living, index)
            born += 1
            happen(index)
        elif letter == 70:  # noqa: PLR2004 - F
            rank = next(deaths)
            if not 0 < rank <= len(living):
                return None
            happen(pop(-rank))
        else:
            happen(next(ran if letter == 79 else marked))  # noqa: PLR2004 - O
    return numbers


def course(flow: Flow, span: tuple[int, int], device: int, before: int) -> tuple[Column, Column, Column]:
    """Return what happens on a virtual GPU from the first event of `span` up to the last.

    That is its program, (position, row) of each operator, and (position, operators until then, number) of
    each mark. Positions count from as many events as come `before`.
    """
    order, numbers, homes, cards = flow
    program, works, marks = array("i"), array("i"), array("i")
    put = program.append
    for index in range(*span):
        number, letter = numbers[index], order[index]
        if letter == 65:  # noqa: PLR2004 - A
            if homes[number] == device:
                put(number)
        elif letter == 70:  # noqa: PLR2004 - F
            if homes[number] == device:
                put(~number)
        elif letter == 79:  # noqa: PLR2004 - O
            if cards[number] == device:
                works.extend((before + len(program), number))
        else:
            marks.extend((before + len(program), len(works) // 2, number))
    return program, works, marks


def living(program: Column) -> Column:
    """Return the blocks that are alive after a program, in the order of their birth."""
    alive: dict[int, None] = {}
    for event in program:
        if event >= 0:
            alive[event] = None
        else:
            alive.pop(~event, None)
    return array("i", alive)


def lives(program: Column, blocks: int) -> tuple[Column, Column]:
    """Return where in a program each of so many blocks is allocated and where it is freed; -1 for nowhere."""
    born, died = (array("i", [-1]) * blocks for _ in range(2))
    for position, event in enumerate(program):
        if event >= 0:
            born[event] = position
        else:
            died[~event] = position
    return born, died


def highest(program: Column, size_of: Column, sizes: Sequence[int], initial: int) -> tuple[int, int]:
    """Return after how many events of a program most bytes are alive, the first time, and how many.

    `initial` were alive before; `size_of` is each block's row in `sizes`.
    """
    changes = [*sizes, *(-size for size in reversed(sizes))]
    steps = (changes[size_of[event] if event >= 0 else ~size_of[~event]] for event in program)
    live = list(accumulate(steps, initial=initial))
    most = max(live)
    return live.index(most), most


def slotted(program: Column, kinds: Column) -> tuple[Column, Column]:
    """Return a program with blocks of one kind that live one after the other by one number, their slot.

    `kinds` are the blocks'; the second has that of each slot. A free of what is not alive becomes NO_EVENT.
    """
    vacant: list[list[int]] = [[] for _ in range(max(kinds, default=-1) + 1)]
    alive: dict[int, int] = {}
    slots, renamed = array("i"), array("i")
    for event in program:
        if event >= 0:
            kind = kinds[event]
            if vacant[kind]:
                slot = vacant[kind].pop()
            else:
                slot = len(slots)
                slots.append(kind)
            alive[event] = slot
        elif ~event in alive:
            slot = ~alive.pop(~event)
            vacant[kinds[~event]].append(~slot)
        else:
            slot = NO_EVENT
        renamed.append(slot)
    return renamed, slots


def paired(events: Column, slots: int) -> Column:
    """Write what is freed as soon as it is allocated as one event: its number above all `slots`."""
    pairs = array("i")
    for event in events:
        if event < 0 and pairs and pairs[-1] == ~event:
            pairs[-1] += slots
        elif event != NO_EVENT:
            pairs.append(event)
    return pairs


def spread(rows: Column, births: Column) -> Column:
    """Return each block's number from its row's."""
    return array("i", map(rows.__getitem__, births))


def distinct(rows: Column) -> Column:
    """Return the rows that are named, each once, in the order of their first use."""
    return array("i", dict.fromkeys(rows))


def places(rows: Column, asked: Iterable[int]) -> Column:
    """Return where the rows that are asked for are, in order."""
    wanted = frozenset(asked)
    return array("i", [place for place, row in enumerate(rows) if row in wanted])


def gradients_first(positions: Column, rows: Column, program: Column, roles: Column) -> Column:
    """Return operators' positions, those of an input's gradient before the memory of the weight's and bias'.

    `roles` say by row which of the three an operator computes: OF_DATA, OF_WEIGHT, OF_BIAS, 0 for any other.
    Where a weight's follows at the same position, what is allocated right before is that gradient's, and the
    bias'.
    """
    moved = positions[:]

    def follows(index: int, position: int, role: int) -> bool:
        return index < len(rows) and positions[index] == position and roles[rows[index]] == role

    for index, position in enumerate(positions):
        if roles[rows[index]] == OF_DATA and follows(index + 1, position, OF_WEIGHT):
            before = position - 1 - follows(index + 2, position, OF_BIAS)
            if before >= 0 and all(event >= 0 for event in program[before:position]):
                moved[index] = before
    return moved


def firsts(rows: Column, positions: Column, numbers: Column) -> Column:
    """Return where the first operator of each number is, in their order; numbers are by row, -1 for none."""
    first: dict[int, int] = {}
    for row, position in zip(rows, positions, strict=True):
        if numbers[row] >= 0:
            first.setdefault(numbers[row], position)
    return array("i", first.values())


def in_turn(moments: Column, uses: Sequence[tuple[Column, Column, Column]]) -> Column:
    """Return moments as `cut` takes them, in order, with those of workspaces that are given back at once.

    `uses` are the operators' rows, where each runs, and the workspace's number by row, -1 for none.
    """
    all_moments = list(zip(moments[::3], moments[1::3], moments[2::3], strict=True))
    for rows, where, numbers in uses:
        all_moments += [
            (position, PASS, numbers[row])
            for row, position in zip(rows, where, strict=True)
            if numbers[row] >= 0
        ]
    return array("i", chain.from_iterable(sorted(all_moments)))


def summed(program: Column, positions: Column, kinds: Column) -> Column:
    """Return a program in which the result of every sum at these positions is its first term.

    `kinds` are the blocks': a sum is in place where both are of one. The result is born just before the
    position and the term goes at it: both events become a free of the result, which lives nowhere.
    """
    rewritten = program[:]
    place: dict[int, int] = {}
    sums: dict[int, int] = {}
    for position in positions:
        if 0 < position < len(program):
            result, term = program[position - 1], ~program[position]
            if result >= 0 <= term and kinds[result] == kinds[term]:
                place[result] = place.get(term, term)
                sums[position] = result
    gone = {~result: ~term for result, term in place.items()}
    for index in [index for index, event in enumerate(program) if event in gone] if gone else ():
        rewritten[index] = gone[program[index]]
    for position, result in sums.items():  # last: a term that is a sum itself lives on
        rewritten[position - 1] = rewritten[position] = ~result
    return rewritten


def cut(program: Column, moments: Column, first: int, handles: int) -> list[Column]:
    """Cut a program at the flushes and write the workspaces in, numbered from `first` on.

    `moments` are before which event something happens, what, and with which workspace, in order. The first
    `handles` workspaces after LT are cuBLAS's, which take LT's once when they are taken.
    """
    stretches = [array("i")]
    done = 0
    for position, what, number in zip(moments[::3], moments[1::3], moments[2::3], strict=True):
        stretches[-1] += program[done:position]
        done = position
        if what == FLUSH:
            stretches.append(array("i"))
            continue
        if CUBLASLT < number <= handles:
            stretches[-1].extend((first + CUBLASLT, ~(first + CUBLASLT)))
        if what not in (GIVE, RETURN):
            stretches[-1].append(first + number)
        if what in (PASS, GIVE, RETURN):
            stretches[-1].append(~(first + number))
    stretches[-1] += program[done:]
    return stretches
