"""Where the bytes of a GPU's peak are: by network and kind, and the largest tensors with what made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from trainlint.estimate.ledger import Samples, ledger
from trainlint.tape import Block, Tape

LARGEST = 10
"""Tensors that are named."""

SHARED = "the step"
"""Whose tensors they are that no network owns: inputs, losses' values, the queue."""

OWN_PARTS = frozenset({"optimizer", "ema", "queue", "inputs"})
"""Kinds that are parts of the memory by themselves, whichever network they serve."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor alive at the peak: rounded bytes, what it is for, the module that made it, and when."""

    size: int
    kind: str
    owner: str
    phase: str


@dataclass(frozen=True)
class Breakdown:
    """One GPU's peak: live bytes, the phase of the step it falls in, and what they are."""

    allocated: int
    phase: str
    by_network: Mapping[str, Mapping[str, int]]
    """Network's role -> kind -> bytes; both largest first."""
    largest: tuple[Tensor, ...]


def belonging(block: Block) -> str:
    """Say what a block belongs to: a network's role, or a part of the step that has a name of its own."""
    return block.kind if block.kind in OWN_PARTS else block.owner.partition(":")[0] or SHARED


def breakdown(tape: Tape, samples: Samples, device: int = 0) -> Breakdown:
    """Take the peak of the second step apart."""
    book = ledger(tape, device)
    moment = book.peak(samples)
    born = {event: at for at, event in enumerate(book.program[: moment.position]) if event >= 0}
    alive = [(samples.bytes(book.blocks[index].size), index) for index in book.live(moment.position)]
    largest = sorted(alive, key=lambda pair: (-pair[0], pair[1]))[:LARGEST]
    return Breakdown(
        allocated=moment.allocated,
        phase=book.phase(moment.position),
        by_network=_by_network([(size, book.blocks[index]) for size, index in alive]),
        largest=tuple(_tensor(size, book.blocks[index], book.phase(born[index])) for size, index in largest),
    )


def _tensor(size: int, block: Block, phase: str) -> Tensor:
    return Tensor(size, block.kind, block.owner, phase)


def _by_network(alive: list[tuple[int, Block]]) -> Mapping[str, Mapping[str, int]]:
    grid: dict[str, Counter[str]] = {}
    for size, block in alive:
        grid.setdefault(block.owner.partition(":")[0] or SHARED, Counter())[block.kind] += size
    ranked = sorted(grid.items(), key=lambda item: -item[1].total())
    return {network: dict(kinds.most_common()) for network, kinds in ranked}
