"""The script of a replay: a ledger's program with the libraries' flushes and workspaces written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trainlint.estimate.allocator import CachingAllocator, Chunk
from trainlint.estimate.conversions import conversions
from trainlint.estimate.ledger import Ledger, Samples
from trainlint.estimate.workspace import CUBLASLT, Libraries, first_matmuls, flushes, layouts, products
from trainlint.tape import Size

FLUSH: Final = -1
"""Stands among the numbers of workspaces for an emptied cache."""
LT: Final = 0
"""The number of cuBLASLt's workspace; the cuBLAS handles' follow it, then those given back at once."""


@dataclass(frozen=True)
class Script:
    """What the replay does: stretches of the ledger's program with an emptied cache after each but the last.

    Indices past the ledger's blocks are the `workspaces`; from `optional` on they are cuDNN's conversions,
    which may be left out.
    """

    stretches: tuple[tuple[int, ...], ...]
    workspaces: tuple[Size, ...]
    streams: tuple[int, ...]
    optional: int

    def sizes(self, ledger: Ledger, samples: Samples) -> list[int]:
        """Return the rounded bytes of the ledger's blocks and of the workspaces."""
        return [*ledger.bytes(samples), *map(samples.bytes, self.workspaces)]


@dataclass(frozen=True)
class Plan:
    """What the libraries add to a program: `moments` are (position before which, number of a workspace).

    FLUSH among the numbers empties the cache; the first `handles` after LT are cuBLAS's, which stay. Those
    from `optional` on are conversions.
    """

    moments: tuple[tuple[int, int], ...]
    handles: int
    workspaces: tuple[Size, ...]
    optional: int

    def cut(self, program: Sequence[int], first: int) -> list[list[int]]:
        """Cut a program at the flushes and write the workspaces in, numbered from `first` on."""
        stretches: list[list[int]] = [[]]
        done = 0
        for at, what in self.moments:
            stretches[-1] += program[done:at]
            done = at
            if what == FLUSH:
                stretches.append([])
            elif what <= self.handles:
                stretches[-1] += (first + LT, ~(first + LT), first + what)
            else:
                stretches[-1] += (first + what, ~(first + what))
        stretches[-1] += program[done:]
        return stretches


def plan(ledger: Ledger, libraries: Libraries, *, cudnn: bool, converted: bool = False) -> Plan:
    """Plan the libraries' flushes and workspaces.

    cuDNN's only with `cudnn`, numbered after the others; its conversions of half-precision tensors only with
    `converted`.
    """
    handles = first_matmuls(ledger)
    workspaces = [Size(CUBLASLT), *(Size(libraries.cublas) for _ in handles)]
    moments = [(at, number) for number, at in enumerate(handles, start=1)]
    moments += [(at, FLUSH) for at in flushes(ledger) if libraries.benchmark]
    numbers: dict[Size, int] = {}
    for at, size in (*products(ledger), *(layouts(ledger, libraries.layouts) if cudnn else ())):
        moments.append((at, numbers.setdefault(size, len(workspaces) + len(numbers))))
    workspaces += numbers
    needed = len(workspaces)
    numbers = {}
    for at, size in conversions(ledger) if converted else ():
        moments.append((at, numbers.setdefault(size, needed + len(numbers))))
    return Plan(tuple(sorted(moments)), len(handles), (*workspaces, *numbers), needed)


@lru_cache(maxsize=64)
def script(ledger: Ledger, libraries: Libraries, *, cudnn: bool, converted: bool = False) -> Script:
    """Write the libraries' flushes and workspaces into a ledger's program, as `plan` has them."""
    made = plan(ledger, libraries, cudnn=cudnn, converted=converted)
    first = len(ledger.blocks)
    streams = (*(block.stream for block in ledger.blocks), *(0 for _ in made.workspaces))
    return Script(_sound(made.cut(ledger.program, first)), made.workspaces, streams, first + made.optional)


def _sound(stretches: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Leave out frees of what is not alive."""
    alive: set[int] = set()

    def happens(event: int) -> bool:
        if event >= 0:
            alive.add(event)
            return True
        if ~event not in alive:
            return False
        alive.remove(~event)
        return True

    return tuple(tuple(filter(happens, events)) for events in stretches)


def replay(script: Script, sizes: list[int], to: CachingAllocator) -> None:
    """Drive an allocator through the script; raises OutOfMemory where its capacity does not do."""
    malloc, free = to.malloc, to.free
    pools = list(map(to.pool, sizes, script.streams))
    live: dict[int, Chunk] = {}
    for number, stretch in enumerate(script.stretches):
        if number:
            to.empty_cache()
        for event in stretch:
            if event < 0:
                chunk = live.pop(~event, None)
                if chunk is not None:
                    free(chunk)
            elif sizes[event]:
                live[event] = malloc(sizes[event], pools[event])
