"""A reel: a ledger's program with the libraries' workspaces, cut for the fast replay of any batch.

Blocks of one size that live one after the other share a number here, a slot, so that what is worked out for
each batch is a short list; a block that is freed as soon as it is allocated is one event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from trainlint.estimate.ledger import Ledger, Samples
from trainlint.estimate.script import Script, script
from trainlint.estimate.track import Stretches, Track
from trainlint.estimate.workspace import Libraries
from trainlint.tape import Size


@dataclass(frozen=True, eq=False)
class Reel:
    """Two ways through a step, alike up to the `fork` (stretch, event): without and with cuDNN's workspaces.

    `slots` are the sizes and streams of the events' numbers.
    """

    plain: Stretches
    loaded: Stretches
    fork: tuple[int, int]
    slots: tuple[tuple[Size, int], ...]

    def tracks(self, samples: Samples) -> tuple[Track, Track]:
        """Return both ways with the sizes of a batch; what they share is replayed once."""
        table = {size: samples.bytes(size) for size in {size for size, _ in self.slots}}
        sizes = [table[size] for size, _ in self.slots]
        track = Track(self.plain, sizes, [stream for _, stream in self.slots])
        return track, track.branch(self.loaded, *self.fork)


@lru_cache(maxsize=64)
def reel(ledger: Ledger, libraries: Libraries) -> Reel:
    """Cut the reel of one GPU's step."""
    slots = _Slots()
    plain, loaded = (slots.renamed(ledger, script(ledger, libraries, cudnn=cudnn)) for cudnn in (False, True))
    plain, loaded = (paired(stretches, len(slots.found)) for stretches in (plain, loaded))
    return Reel(plain, loaded, _fork(plain, loaded), tuple((size, stream) for size, stream, _ in slots.found))


class _Slots:
    """The slots found so far: (size, stream, how many of these live at once) -> number."""

    def __init__(self) -> None:
        self.found: dict[tuple[Size, int, int], int] = {}

    def renamed(self, ledger: Ledger, lines: Script) -> Stretches:
        """Return a script's stretches in slots; the same beginning comes out the same for every script."""
        sizes = [*(block.size for block in ledger.blocks), *lines.workspaces]
        kinds = list(zip(sizes, lines.streams, strict=True))
        vacant: dict[tuple[Size, int], list[int]] = {}
        living: dict[int, int] = {}
        taken: dict[tuple[Size, int], int] = {}

        def slot(event: int) -> int:
            if event < 0:
                number = living.pop(~event)
                vacant.setdefault(kinds[~event], []).append(number)
                return ~number
            kind = kinds[event]
            if waiting := vacant.get(kind):
                living[event] = waiting.pop()
            else:
                taken[kind] = count = taken.get(kind, -1) + 1
                living[event] = self.found.setdefault((*kind, count), len(self.found))
            return living[event]

        return tuple(tuple(map(slot, events)) for events in lines.stretches)


def paired(stretches: Stretches, slots: int) -> Stretches:
    """Write what is freed as soon as it is allocated as one event: its number above all `slots`."""
    found = []
    for events in stretches:
        pairs: list[int] = []
        for event in events:
            if event < 0 and pairs and pairs[-1] == ~event:
                pairs[-1] += slots
            else:
                pairs.append(event)
        found.append(tuple(pairs))
    return tuple(found)


def _fork(one: Stretches, other: Stretches) -> tuple[int, int]:
    """Return the first stretch and event in which two differ; a stretch that ends is a difference."""
    for number, (events, others) in enumerate(zip(one, other, strict=True)):
        if events != others:
            return number, _alike(events, others)
    return len(one) - 1, len(one[-1])


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many events two sequences begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (event, other_event) in pairs if event != other_event), min(len(one), len(other)))
