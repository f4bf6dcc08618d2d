"""The script of a replay: a ledger's program with the libraries' flushes and workspaces written in."""

from __future__ import annotations

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


@lru_cache(maxsize=64)
def script(ledger: Ledger, libraries: Libraries, *, cudnn: bool, converted: bool = False) -> Script:
    """Write the libraries' flushes and workspaces into a ledger's program.

    cuDNN's only with `cudnn`, its conversions of half-precision tensors only with `converted`.
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
    workspaces += numbers
    return Script(
        _stretches(ledger, sorted(moments), len(handles)),
        tuple(workspaces),
        (*(block.stream for block in ledger.blocks), *(0 for _ in workspaces)),
        len(ledger.blocks) + needed,
    )


def _stretches(ledger: Ledger, moments: list[tuple[int, int]], handles: int) -> tuple[tuple[int, ...], ...]:
    """Cut the program at the flushes and write the workspaces in; those of the cuBLAS `handles` stay."""
    blocks = len(ledger.blocks)
    stretches: list[list[int]] = [[]]
    done = 0
    for at, what in moments:
        stretches[-1] += ledger.program[done:at]
        done = at
        if what == FLUSH:
            stretches.append([])
        elif what <= handles:
            stretches[-1] += (blocks + LT, ~(blocks + LT), blocks + what)
        else:
            stretches[-1] += (blocks + what, ~(blocks + what))
    stretches[-1] += ledger.program[done:]
    return _sound(stretches)


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
