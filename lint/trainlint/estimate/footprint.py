"""The footprint of a tape on one GPU: live bytes, segments and workspaces, whatever the card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from trainlint.estimate.allocator import CachingAllocator, Chunk, OutOfMemory
from trainlint.estimate.expandable import ExpandableAllocator
from trainlint.estimate.ledger import Ledger, Moment, Samples
from trainlint.estimate.track import Track
from trainlint.estimate.workspace import (
    CUBLASLT,
    Libraries,
    first_matmuls,
    flushes,
    layouts,
    products,
    spike,
)
from trainlint.tape import Size

FLUSH: Final = -1
"""Stands among the numbers of workspaces for an emptied cache."""
LT: Final = 0
"""The number of cuBLASLt's workspace; the cuBLAS handles' follow it, then those given back at once."""
ATTEMPTS: Final = 8
"""Replays after which `least` is taken as found; each raises the capacity to what the last one missed."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one GPU needs, in bytes without its context.

    `live` is the peak of live tensors; `segments` the smallest capacity on which the allocator's replay still
    succeeds, without cuDNN's workspaces; `reserved` what it reserves with them when nothing limits it;
    `spike` what cudnn.benchmark takes on top while it tries its algorithms.
    """

    live: Moment
    segments: int
    reserved: int
    spike: int


@dataclass(frozen=True)
class Script:
    """What the replay does: stretches of the ledger's program with an emptied cache after each but the last.

    Indices past the ledger's blocks are the `workspaces`.
    """

    stretches: tuple[tuple[int, ...], ...]
    workspaces: tuple[Size, ...]
    streams: tuple[int, ...]

    def sizes(self, ledger: Ledger, samples: Samples) -> list[int]:
        """Return the rounded bytes of the ledger's blocks and of the workspaces."""
        return [*ledger.bytes(samples), *map(samples.bytes, self.workspaces)]


@lru_cache(maxsize=64)
def script(ledger: Ledger, libraries: Libraries, *, cudnn: bool) -> Script:
    """Write the libraries' flushes and workspaces into a ledger's program; cuDNN's only with `cudnn`."""
    handles = first_matmuls(ledger)
    workspaces = [Size(CUBLASLT), *(Size(libraries.cublas) for _ in handles)]
    moments = [(at, number) for number, at in enumerate(handles, start=1)]
    moments += [(at, FLUSH) for at in flushes(ledger) if libraries.benchmark]
    numbers: dict[Size, int] = {}
    for at, size in (*products(ledger), *(layouts(ledger, libraries.layouts) if cudnn else ())):
        moments.append((at, numbers.setdefault(size, len(workspaces) + len(numbers))))
    workspaces += numbers
    return Script(
        _stretches(ledger, sorted(moments), len(handles)),
        tuple(workspaces),
        (*(block.stream for block in ledger.blocks), *(0 for _ in workspaces)),
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


class Ran(Protocol):
    """What a replay shows: most bytes of segments at any moment, and what it may have as far as it grew."""

    @property
    def peak_reserved(self) -> int:
        """Bytes of segments."""

    @property
    def capacity(self) -> int | None:
        """Bytes of segments, None: no limit."""


Attempt = Callable[..., Ran]
"""Replays one batch of a ledger: `attempt(capacity, grow=False)`; raises OutOfMemory."""


@lru_cache(maxsize=8)
def attempts(ledger: Ledger, samples: Samples, libraries: Libraries, *, cudnn: bool = False) -> Attempt:
    """Return what replays a ledger for these samples, with the allocator that the run has."""
    lines = script(ledger, libraries, cudnn=cudnn)
    sizes = lines.sizes(ledger, samples)
    if not libraries.expandable:
        return Track(lines.stretches, sizes, lines.streams).replay

    def attempt(capacity: int | None = None, *, grow: bool = False) -> Ran:
        expandable = ExpandableAllocator(capacity, grow=grow)
        replay(lines, sizes, expandable)
        return expandable

    return attempt


def smallest_capacity(attempt: Attempt, floor: int, *, most: int | None = None) -> int:
    """Return the smallest capacity found on which the replay succeeds, starting from `floor`.

    A first pass grows the capacity where it must; since more room changes what is flushed, the result is
    replayed at that fixed capacity, and raised to what was missing, until it holds. What is above `most` is
    returned without a proof.
    """
    capacity = attempt(floor, grow=True).capacity or floor
    for _ in range(ATTEMPTS if capacity > floor else 0):
        if most is not None and capacity > most:
            break
        try:
            attempt(capacity)
        except OutOfMemory as error:
            capacity = error.needed
        else:
            break
    return capacity


@lru_cache(maxsize=4096)
def reserved(ledger: Ledger, samples: Samples, libraries: Libraries, *, cudnn: bool = False) -> int:
    """Return the most bytes of segments that the allocator reserves when nothing limits it."""
    return attempts(ledger, samples, libraries, cudnn=cudnn)().peak_reserved


@lru_cache(maxsize=4096)
def segments(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return the smallest capacity for a ledger's tensors and workspaces, flushing at need."""
    floor = ledger.peak(samples).allocated
    least = smallest_capacity(attempts(ledger, samples, libraries), floor)
    return min(least, reserved(ledger, samples, libraries))  # with that much room nothing is ever flushed


@lru_cache(maxsize=4096)
def fits(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> bool:
    """Tell whether the replay gets through with `capacity` bytes: one pass, cheaper than `segments`."""
    try:
        attempts(ledger, samples, libraries)(capacity)
    except OutOfMemory:
        return False
    return True


@lru_cache(maxsize=4096)
def suffices(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> bool:
    """Tell whether `segments` are at most `capacity`, without working them out where they are not."""
    floor = ledger.peak(samples).allocated
    if floor > capacity:
        return False
    least = smallest_capacity(attempts(ledger, samples, libraries), floor, most=capacity)
    return least <= capacity or reserved(ledger, samples, libraries) <= capacity


@lru_cache(maxsize=1024)
def footprint(ledger: Ledger, samples: Samples, libraries: Libraries) -> Footprint:
    """Work out what one GPU of the tape needs for this many samples."""
    least = segments(ledger, samples, libraries)
    return Footprint(
        live=ledger.peak(samples),
        segments=least,
        reserved=max(least, reserved(ledger, samples, libraries, cudnn=True)),
        spike=spike(ledger, samples, libraries),
    )
