# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The footprint of a tape on one GPU: live bytes, segments and workspaces, whatever the card."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.estimate.replay.allocator import OutOfMemory
from trainlint.estimate.replay.batch_attempts import Attempts, attempts
from trainlint.estimate.replay.conversion_room import room_with_conversions
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.gpu_ledger import Ledger, Peak, Samples, kept
from trainlint.estimate.replay.replay_engine import MOST_LIVE
from trainlint.estimate.replay.workspace import Libraries, spike, unshared

ATTEMPTS: Final = 8
"""Replays after which `least` is taken as found; each raises the capacity to what the last one missed."""

ROOMY_RATIO: Final = 2
"""A card with so many times what a step needs has room for any fragments: 1.2 times is the most measured."""


class Footprint(Struct, frozen=True):
    """What one GPU needs, in bytes without its context.

    `live` is the peak of live tensors; `segments` the smallest capacity on which the allocator's replay still
    succeeds, without cuDNN's workspaces; `reserved` what it reserves with them when nothing limits it;
    `spike` what cudnn.benchmark takes on top while it tries its algorithms, `unshared` what it makes torch
    reserve beyond the replay for good, in the mean.
    """

    live: Peak
    segments: int
    reserved: int
    spike: int
    unshared: int = 0


def smallest_capacity(tried: Attempts, floor: int, *, most: int | None = None) -> int:
    """Return the smallest capacity found on which the replay succeeds, starting from `floor`.

    A first pass grows the capacity where it must; since more room changes what is flushed, the result is
    replayed at that fixed capacity, and raised to what was missing, until it holds. What is above `most` is
    returned without a proof. With the room that is reserved where nothing limits it nothing is ever flushed.
    """
    capacity = tried.replay(floor, grow=True).capacity or floor
    for _ in range(ATTEMPTS if capacity > floor else 0):
        if most is not None and capacity > most:
            break
        try:
            tried.replay(capacity)
        except OutOfMemory as error:
            capacity = error.needed
        else:
            break
    unlimited = tried.reserved(capacity)
    return capacity if unlimited is None else unlimited


@kept
def reserved(ledger: Ledger, samples: Samples, libraries: Libraries, *, cudnn: bool = False) -> int:
    """Return the most bytes of segments that the allocator reserves when nothing limits it."""
    live = ledger.peak(samples).allocated
    if live > MOST_LIVE:
        return live
    tried = attempts(ledger, samples, libraries)
    return tried.loaded() if cudnn else tried.replay().peak_reserved


def reserved_within(ledger: Ledger, samples: Samples, libraries: Libraries, most: int) -> int | None:
    """Return the same, None where that is more than `most`: cheaper, as it is not played to its end then."""
    if ledger.peak(samples).allocated > min(most, MOST_LIVE):
        return None
    return attempts(ledger, samples, libraries).reserved(most)


@kept
def _known_segments(ledger: Ledger, libraries: Libraries) -> dict[Samples, int]:  # noqa: ARG001 - `kept` keys by it
    """Return the `segments` that are known by now, which no card's room is part of."""
    return {}


def segments(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return the smallest capacity for a ledger's tensors and workspaces, flushing at need."""
    known = _known_segments(ledger, libraries)
    if samples not in known:
        tried = attempts(ledger, samples, libraries)
        known[samples] = smallest_capacity(tried, ledger.peak(samples).allocated)
    return known[samples]


@kept
def fits(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> bool:
    """Return whether the replay gets through with `capacity` bytes: one pass, cheaper than `segments`."""
    try:
        attempts(ledger, samples, libraries).replay(capacity)
    except OutOfMemory:
        return False
    return True


@kept
def suffices(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> bool:
    """Return whether `segments` are at most `capacity`, without working them out where they are not."""
    known, floor = _known_segments(ledger, libraries), ledger.peak(samples).allocated
    if floor > capacity:
        return False
    if samples in known:
        return known[samples] <= capacity
    tried = attempts(ledger, samples, libraries)
    if tried.reserved(capacity) is not None:
        return True
    least = smallest_capacity(tried, floor, most=capacity)
    if least <= capacity:  # and so it is proven
        known[samples] = least
    return least <= capacity


@kept
def footprint(ledger: Ledger, samples: Samples, libraries: Libraries) -> Footprint:
    """Work out what one GPU of the tape needs for this many samples."""
    live = ledger.peak(samples)
    if live.allocated > MOST_LIVE:
        return Footprint(live, live.allocated, live.allocated, 0)
    if attempts(ledger, samples, libraries).one_way:
        segments(ledger, samples, libraries)  # what is reserved goes on from there
    loaded = reserved(ledger, samples, libraries, cudnn=True)  # first: the other begins alike, and is kept
    least = segments(ledger, samples, libraries)
    return Footprint(
        live=live,
        segments=least,
        reserved=max(least, loaded),
        spike=spike(ledger, samples, libraries),
        unshared=unshared(ledger, samples, libraries),
    )


def reserved_on(
    ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int, most: int
) -> int | None:
    """Return what `footprint_on` reserves, None where that is more than `most`: cheaper than the footprint.

    A replay that reserves too much is not played to its end; where the workspaces reserve no less than the
    tensors do without them, the smallest capacity is not looked for.
    """
    if ledger.peak(samples).allocated > min(most, MOST_LIVE):
        return None
    loaded = attempts(ledger, samples, libraries).loaded_within(most)
    if loaded is None:
        return None
    converted = conversions(ledger) and not libraries.expandable
    if not converted and suffices(ledger, samples, libraries, loaded):
        return loaded
    need = footprint_on(ledger, samples, libraries, capacity)
    return need.reserved if need.reserved <= most else None


def footprint_on(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> Footprint:
    """Return the footprint on a card with `capacity` bytes, more than which cuDNN's conversions may take."""
    need = footprint(ledger, samples, libraries)
    if not need.segments <= capacity < ROOMY_RATIO * need.segments:
        return need
    through = room_with_conversions(ledger, samples, libraries, capacity)
    if through == capacity:
        return need
    return replace(need, segments=through, reserved=max(need.reserved, through))
