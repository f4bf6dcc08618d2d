# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tables and events of a profile, checked before a tape is made of them.

What is replayed is trusted: every index has its row, every storage is born once and dies at most once, on a
GPU that there is, and takes no less memory the more samples there are.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trainlint.expressions.patterns import later
from trainlint.tape import EMPTIED, EVERY_BATCH, GRADIENT_SUM, HELD, IN_TILES, SECOND_STEP, VALIDATION
from trainlint.tape.events import LETTERS
from trainlint.tape.profile_header import LARGEST_NUMBER, damaged, word

STREAMS: Final = 8
"""Allocator pools on a tape; a recipe uses two."""
MOST_EVENTS: Final = 2**20
"""Events of a tape: three times what the largest of the shipped ones has (370,552, NAFSSR-L)."""
MOST_PASSED: Final = 2**30
"""Living storages that the births and deaths of a tape pass in the list of all: 18 times the most of a
shipped one (59,221,417). A million events could pass 10^11, which takes 8 s in C."""
STORAGE_KINDS: Final = frozenset(
    "parameters buffers gradients optimizer ema activations inputs queue losses workspace other".split()  # noqa: SIM905  # words in one text read better
)
"""What the recorder labels storages with (tape.Block)."""
OPERATOR_KINDS: Final = frozenset(
    "attention conv conv-grouped conv-depthwise copy elementwise matmul norm reduction sampling "  # noqa: SIM905  # words in one text read better
    "softmax".split()
)
"""Kinds of operators (trace/recording/operator_cost.py)."""
DTYPE_PATTERN: Final = later(r"[a-z][a-z0-9_]{0,30}")
_NUMBER: Final = r"[0-9]{1,12}"
_SIDES: Final = rf"{_NUMBER}(?:x{_NUMBER}){{0,2}}"
_STEPS: Final = r"[1-9][0-9]{0,8}(?:x[1-9][0-9]{0,8}){0,2}"
CONVOLUTION_KEY: Final = later(
    rf"(?:forward|backward-data|backward-weight) (?:transposed )?k(?P<kernel>{_SIDES}) {_NUMBER}o"
    rf" {_NUMBER}(?P<sides>(?:x{_NUMBER}){{1,3}}) s(?P<stride>{_STEPS}) p(?P<padding>{_SIDES})"
    rf" d(?P<dilation>{_STEPS}) g[1-9][0-9]{{0,11}}(?: nhwc)?"
)
"""The key of a convolution (trace/recording/operator_cost.py, _shape_key)."""

Columns = Mapping[str, Any]


def numbers(column: Any, most: int, least: int = 0) -> Sequence[int]:
    """Return a column of whole numbers in these bounds; StaleError for anything else."""
    whole = isinstance(column, array) or (isinstance(column, list) and not set(map(type, column)) - {int})
    if not whole or len(column) > MOST_EVENTS:
        damaged("a column of its tables is not a list of whole numbers")
    if column and not (least <= min(column) and max(column) <= most):
        damaged("a number of its tables is out of bounds")
    checked: Sequence[int] = column
    return checked


def texts(column: Any) -> Sequence[str]:
    """Return a list of words."""
    if not isinstance(column, list) or len(column) > MOST_EVENTS or not all(map(word, column)):
        damaged("its words are not a list of texts")
    return column


def check_sizes(sizes: Columns, batches: Sequence[int]) -> int:
    """Check a table of sizes and return its length: none is below 0, or grows smaller with more samples."""
    const, batch, total, pool = (
        numbers(sizes[name], LARGEST_NUMBER, -LARGEST_NUMBER) for name in ("const", "batch", "total", "pool")
    )
    least = batches[0] if batches else EVERY_BATCH
    for row in zip(const, batch, total, pool, strict=True):
        slope = row[1] + row[2]
        if min(slope, row[2], row[3], row[0] + slope * least) < 0:
            damaged("a size is below 0")
    return len(const)


def check_blocks(blocks: Columns, sizes: int, words: Sequence[str], devices: int) -> int:
    """Check a table of storages and return its length."""
    kinds = {words[number] for number in set(numbers(blocks["kind"], len(words) - 1))}
    if not kinds <= STORAGE_KINDS:
        damaged("a storage is of an unknown kind")
    numbers(blocks["size"], sizes - 1)
    numbers(blocks["owner"], len(words) - 1)
    numbers(blocks["device"], devices - 1)
    return len(numbers(blocks["stream"], STREAMS - 1))


def check_ops(ops: Columns, sizes: int, words: Sequence[str], devices: int) -> int:
    """Check a table of operators and return its length."""
    for name in ("flops", "read", "written"):
        numbers(ops[name], sizes - 1)
    numbers(ops["device"], devices - 1)
    columns = (numbers(ops[name], len(words) - 1) for name in ("kind", "key", "dtype"))
    rows = list(zip(*columns, strict=True))
    for kind, key, dtype in set(rows):
        if words[kind] not in OPERATOR_KINDS or not DTYPE_PATTERN.fullmatch(words[dtype]):
            damaged("an operator is of an unknown kind or type")
        if not is_key(words[key], words[kind]):
            damaged("an operator's key is invalid")
    return len(rows)


def is_key(key: str, kind: str) -> bool:
    """Return whether an operator of this kind may have this key."""
    if not kind.startswith("conv"):
        return key in ("", HELD, GRADIENT_SUM, EMPTIED, *IN_TILES.values())
    match = CONVOLUTION_KEY.fullmatch(key)
    if match is None:
        return False
    sides = match["sides"].count("x")
    counts = {name: match[name].count("x") + 1 for name in ("kernel", "stride", "padding", "dilation")}
    return counts["kernel"] == sides and all(count in (1, sides) for count in counts.values())


def check_events(body: Columns, births: int, ops: int) -> None:
    """Check the order of events, and that each finds what it names; `columns.joined` sees to the dying."""
    order, marks = body["order"], texts(body["marks"])
    if not isinstance(order, str) or len(order) > MOST_EVENTS or set(order) - set(LETTERS):
        damaged("the order of its events is invalid")
    moments = numbers(body["moments"], len(marks) - 1)
    ranks, work = numbers(body["ranks"], births, 1), numbers(body["work"], ops - 1)
    allocs = numbers(body["allocs"], births, -births)
    if sum(ranks) + sum(map(abs, allocs)) > MOST_PASSED:
        damaged("its storages are born or die in an order that no step has")
    counts = tuple(map(order.count, LETTERS))
    listed = (births, len(ranks), len(work), len(moments))
    if counts != listed or len(allocs) not in (0, births) or not births:
        damaged("it has more or fewer events than its tables")
    if allocs and {birth + number for birth, number in enumerate(allocs)} != set(range(births)):
        damaged("a storage is not born just once")
    _check_marks([marks[number] for number in moments])


def _check_marks(names: Sequence[str]) -> None:
    first = [names.index(name) for name in ("step 1", SECOND_STEP) if name in names]
    if len(first) < 2 or first != sorted(first):  # noqa: PLR2004 - the two steps
        damaged("it has no two steps")
    if VALIDATION in names and names.index(VALIDATION) < first[1]:
        damaged("its validation comes before its steps")
