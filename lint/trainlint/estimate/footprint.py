"""The footprint of a tape on one GPU: live bytes, segments and workspaces, whatever the card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trainlint.estimate.allocator import CachingAllocator, Chunk, OutOfMemory, rounded
from trainlint.estimate.expandable import ExpandableAllocator
from trainlint.estimate.ledger import Ledger, Moment, Samples
from trainlint.estimate.workspace import (
    CUBLASLT,
    Convolutions,
    Libraries,
    convolutions,
    first_matmuls,
    flushes,
)

FLUSH: Final = 0
"""Stands among the numbers of cuBLAS handles for an emptied cache."""
ATTEMPTS: Final = 8
"""Replays after which `least` is taken as found; each raises the capacity to what the last one missed."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one GPU needs, in bytes without its context.

    `live` is the peak of live tensors; `segments` the smallest capacity on which the allocator's replay still
    succeeds; `reserved` what it reserves when nothing limits it; `convolutions` cuDNN's share on top.
    """

    live: Moment
    segments: int
    reserved: int
    convolutions: Convolutions


@dataclass(frozen=True)
class Script:
    """What the replay does: stretches of the ledger's program with an emptied cache after each but the last.

    Indices past the ledger's blocks are the workspaces of `sizes`.
    """

    stretches: tuple[tuple[int, ...], ...]
    workspaces: tuple[int, ...]
    streams: tuple[int, ...]


@lru_cache(maxsize=64)
def script(ledger: Ledger, libraries: Libraries) -> Script:
    """Write the libraries' workspaces and flushes into a ledger's program."""
    blocks = len(ledger.blocks)
    handles = first_matmuls(ledger)
    moments = [(at, number) for number, at in enumerate(handles, start=1)]
    moments += [(at, FLUSH) for at in flushes(ledger) if libraries.benchmark]
    stretches: list[list[int]] = [[]]
    done = 0
    for at, what in sorted(moments):
        stretches[-1] += ledger.program[done:at]
        done = at
        if what == FLUSH:
            stretches.append([])
        else:
            stretches[-1] += (blocks, ~blocks, blocks + what)
    stretches[-1] += ledger.program[done:]
    workspaces = (CUBLASLT, *(libraries.cublas for _ in handles))
    streams = (*(block.stream for block in ledger.blocks), *(0 for _ in workspaces))
    return Script(tuple(map(tuple, stretches)), workspaces, streams)


def allocator(libraries: Libraries) -> type[CachingAllocator]:
    """Return the kind of allocator that a run has."""
    return ExpandableAllocator if libraries.expandable else CachingAllocator


def replay(script: Script, sizes: list[int], to: CachingAllocator) -> None:
    """Drive an allocator through the script; raises OutOfMemory where its capacity does not do."""
    malloc, free = to.malloc, to.free
    sizes = [*sizes, *map(rounded, script.workspaces)]
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


def smallest_capacity(
    script: Script, sizes: list[int], floor: int, kind: type[CachingAllocator] = CachingAllocator
) -> int:
    """Return the smallest capacity found on which the replay succeeds, starting from `floor`.

    A first pass grows the capacity where it must; since more room changes what is flushed, the result is
    replayed at that fixed capacity, and raised to what was missing, until it holds.
    """
    growing = kind(floor, grow=True)
    replay(script, sizes, growing)
    capacity = growing.capacity or floor
    for _ in range(ATTEMPTS if capacity > floor else 0):
        try:
            replay(script, sizes, kind(capacity))
        except OutOfMemory as error:
            capacity = error.needed
        else:
            break
    return capacity


@lru_cache(maxsize=4096)
def reserved(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return the most bytes of segments that the allocator reserves when nothing limits it."""
    free_running = allocator(libraries)()
    replay(script(ledger, libraries), ledger.bytes(samples), free_running)
    return free_running.peak_reserved


@lru_cache(maxsize=4096)
def segments(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return the smallest capacity for a ledger's tensors and workspaces, flushing at need."""
    lines, sizes, floor = script(ledger, libraries), ledger.bytes(samples), ledger.peak(samples).allocated
    enough = reserved(ledger, samples, libraries)  # with that much room nothing is ever flushed
    return min(enough, smallest_capacity(lines, sizes, floor, allocator(libraries)))


@lru_cache(maxsize=4096)
def fits(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> bool:
    """Tell whether the replay gets through with `capacity` bytes: one pass, cheaper than `segments`."""
    try:
        replay(script(ledger, libraries), ledger.bytes(samples), allocator(libraries)(capacity))
    except OutOfMemory:
        return False
    return True


@lru_cache(maxsize=1024)
def footprint(ledger: Ledger, samples: Samples, libraries: Libraries) -> Footprint:
    """Work out what one GPU of the tape needs for this many samples."""
    return Footprint(
        live=ledger.peak(samples),
        segments=segments(ledger, samples, libraries),
        reserved=reserved(ledger, samples, libraries),
        convolutions=convolutions(ledger, samples),
    )
