# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What each storage of a tape is for, in words that a user knows.

The recorder's label says most; the rest follows from when a storage lives: what is born in a backward pass
and is no parameter's gradient is a temporary of it, what no backward pass sees was never kept for one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import Final

from trainlint.estimate.replay.gpu_ledger import Ledger, Peak, Samples, kept
from trainlint.estimate.tensors.tensor_maker import lives_of, makers
from trainlint.expressions.patterns import later
from trainlint.tape import Block, Op, Size
from trainlint.tape.flow import places, spread

PARAMETERS: Final = "parameters"
GRADIENTS: Final = "gradients"
BUFFERS: Final = "buffers"
OPTIMIZER: Final = "optimizer"
UPDATE: Final = "optimizer_temporaries"
ACTIVATIONS: Final = "activations"
KEPT_RESULTS: Final = "kept_results"
FORWARD: Final = "forward_temporaries"
BACKWARD: Final = "backward_temporaries"
CASTS: Final = "autocast_copies"
OTHER: Final = "other"
"""The recorder's label of what is born in a backward pass, and of the few constants that a recipe makes."""
MADE_BACKWARD: Final = (GRADIENTS, OTHER)
"""The recorder's labels of what autograd makes in a backward pass."""

UNKNOWN_OPERATOR: Final = Op("", Size(0), Size(0), Size(0))
"""Represents the operator of a block that none is known to have made."""
WHOLE_STEP: Final = "the step"
"""Whose tensors they are that no network owns: inputs, losses' values, the queue."""
AVERAGE_ENDING: Final = " (EMA)"
"""What the role of a network's average ends with (a recipe's): a kind of memory, no network of its own."""
OWN_PARTS: Final = frozenset({"optimizer", "ema", "queue", "inputs"})
"""Kinds that are parts of the memory by themselves, whichever network they serve."""
WEIGHTS: Final = (PARAMETERS, "losses", "ema")
HALF_DTYPES: Final = ("float16", "bfloat16")
OF_WEIGHT: Final = "backward-weight"
"""What the key of an operator that makes a weight's gradient begins with (trace/recording/operator_cost.py).

A tape of one batch does not distinguish a gradient from an activation of the same size; such an operator can.
"""

SEPARATOR: Final = later(r"[.:]")
"""What follows a module's name in that of a part of it."""


def belonging(block: Block) -> str:
    """Say what a block belongs to: a network's role, or a part of the step that has a name of its own."""
    return block.kind if block.kind in OWN_PARTS else role_of(block.owner)


def role_of(owner: str) -> str:
    """Return the role of the network that an owner is in; SHARED for none."""
    return owner.partition(":")[0].removesuffix(AVERAGE_ENDING) or WHOLE_STEP


class Kinds:
    """The lives of one ledger's blocks, and what follows from them; blocks are named by their index."""

    def __init__(self, book: Ledger) -> None:
        self.book = book
        self.born, self._died = lives_of(book)
        self._modules: dict[Size, frozenset[str]] = {}  # with a weight of that size

    def of(self, index: int) -> str:
        """Return the kind of a block of this ledger's GPU."""
        label = self.book.blocks[index].kind
        if label == OPTIMIZER:
            return UPDATE if self._within_a_step(index) else OPTIMIZER
        if label == ACTIVATIONS:
            return self._of_forward(index)
        return self._of_backward(index) if label == OTHER else label

    def parts(self, samples: Samples, moment: Peak) -> Mapping[str, int]:
        """Return the live bytes at `moment` by kind, largest first."""
        return self.book.parts_by_index(samples, moment, self.of)

    @cached_property
    def _weights(self) -> Mapping[Size, set[str]]:
        """Names of the networks' weights by their size."""
        owners: dict[Size, set[str]] = defaultdict(set)
        blocks = self.book.blocks
        for row in blocks.having(lambda kind, _: kind in WEIGHTS):
            owners[blocks.row(row).size].add(blocks.row(row).owner)
        return owners

    @cached_property
    def _backward(self) -> Sequence[int]:
        """Where blocks are made in a backward pass."""
        blocks = self.book.blocks
        loose = blocks.having(_may_be_constant)
        gradients = places(blocks.births, blocks.having(lambda kind, _: kind in MADE_BACKWARD) - loose)
        loosely = places(blocks.births, loose)
        gradients.extend(compress(loosely, map((-1).__lt__, spread(self._died, loosely))))
        born = sorted(spread(self.born, gradients))
        return array("i", born[bisect_left(born, 0) :])

    def _died_at(self, index: int) -> int | None:
        died = self._died[index]
        return died if died >= 0 else None

    def _is_constant(self, index: int) -> bool:
        """Say whether it is a constant of a recipe: no module has it, and it stays."""
        return not self.book.blocks[index].owner and self._died[index] < 0

    def _within_a_step(self, index: int) -> bool:
        died = self._died_at(index)
        return died is not None and not self.born[index] < self.book.start < died

    def _of_forward(self, index: int) -> str:
        born, died = self.born[index], self._died_at(index)
        if born < self.book.settled and (died is None or died >= self.book.settled):
            return BUFFERS if died is None and index not in self.book.recent else KEPT_RESULTS
        if self._is_cast(index):
            return CASTS
        if died is None:
            return FORWARD if self.book.validation else ACTIVATIONS
        after = bisect_right(self._backward, born)
        seen = after < len(self._backward) and self._backward[after] < died
        return ACTIVATIONS if seen else FORWARD

    def _of_backward(self, index: int) -> str:
        if self._is_constant(index):
            return BUFFERS
        block = self.book.blocks[index]
        certain = not self.book.batches or self._made_by(index).key.startswith(OF_WEIGHT)
        return GRADIENTS if certain and self._owns(block.owner, block.size) else BACKWARD

    def _is_cast(self, index: int) -> bool:
        """Return whether a tensor is a copy in half precision of one of its own module's weights."""
        block = self.book.blocks[index]
        if block.size.batch or block.size.total or block.size.pool or not self._casts:
            return False
        if not self._owns(block.owner, Size(2 * block.size.const)):
            return False
        return _is_cast(self._made_by(index))

    @cached_property
    def _casts(self) -> bool:
        """Whether anything is copied in half precision."""
        return any(map(_is_cast, self.book.ops.distinct.values()))

    def _made_by(self, index: int) -> Op:
        return makers(self.book).get(index) or UNKNOWN_OPERATOR

    def _owns(self, owner: str, size: Size) -> bool:
        """Return whether a module has a weight of this size, in itself or below."""
        if size not in self._modules:
            names = self._weights.get(size, ())
            self._modules[size] = frozenset(chain.from_iterable(map(_modules, names)))
        return (owner if owner.endswith(":") else f"{owner}.") in self._modules[size]


def _is_cast(op: Op) -> bool:
    return op.kind == "copy" and op.dtype in HALF_DTYPES


def _modules(name: str) -> Iterator[str]:
    """Yield the modules that a name is in, each with the separator that follows it."""
    return (name[: match.end()] for match in SEPARATOR.finditer(name))


def _may_be_constant(kind: str, owner: str) -> bool:
    """Say whether what stays of a block's row is a constant of a recipe, which no module has."""
    return kind == OTHER and not owner


@kept
def kinds(book: Ledger) -> Kinds:
    """Return what knows the kinds of a ledger's blocks, made once."""
    return Kinds(book)
