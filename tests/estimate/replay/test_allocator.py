# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The allocator's replay: hand-computed cases, properties, and agreement with a naive one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.estimate.replay.allocator import (
    LARGE_SEGMENT,
    MIB,
    SMALL_SEGMENT,
    CachingAllocator,
    OutOfMemory,
    rounded,
    segment_size,
)
from trainlint.estimate.replay.expandable import ExpandableAllocator


class Naive:
    """The same rules over plain lists, searched from end to end: [segment, offset, size, free]."""

    def __init__(self):
        self.segments = {}
        self.chunks = []
        self.next = 0
        self.peak = 0

    @property
    def reserved(self):
        return sum(size for _, size in self.segments.values())

    def malloc(self, size, stream):
        pool = (stream, size <= MIB)
        fits = [c for c in self.chunks if c[3] and c[2] >= size and self.segments[c[0]][0] == pool]
        if fits:
            chunk = min(fits, key=lambda c: (c[2], c[0], c[1]))
        else:
            self.segments[self.next] = (pool, segment_size(size))
            chunk = [self.next, 0, segment_size(size), True]
            self.chunks.append(chunk)
            self.next += 1
            self.peak = max(self.peak, self.reserved)
        rest = chunk[2] - size
        chunk[3] = False
        if rest >= 512 if pool[1] else rest > MIB:
            self.chunks.append([chunk[0], chunk[1] + size, rest, True])
            chunk[2] = size
        return chunk

    def free(self, chunk):
        chunk[3] = True
        merged = True
        while merged:
            merged = False
            for a in self.chunks:
                for b in self.chunks:
                    if a[3] and b[3] and a[0] == b[0] and a[1] + a[2] == b[1]:
                        a[2] += b[2]
                        self.chunks.remove(b)
                        merged = True
                        break
                if merged:
                    break

    def empty_cache(self):
        for chunk in [c for c in self.chunks if c[3] and c[2] == self.segments[c[0]][1]]:
            self.chunks.remove(chunk)
            del self.segments[chunk[0]]


SIZES = st.one_of(
    st.integers(0, 3000), st.integers(MIB - 1024, MIB + 1024), st.integers(0, 30 * MIB), st.just(20 * MIB)
)
# (size, stream) allocates; an integer frees the n-th live chunk; None empties the cache
ACTIONS = st.lists(
    st.one_of(st.tuples(SIZES, st.integers(0, 1)), st.integers(0, 50), st.integers(0, 50), st.none()),
    max_size=80,
)


def take(allocator, size, stream=0):
    """Allocate from the pool that serves the size."""
    return allocator.malloc(size, allocator.pool(size, stream))


def run(allocator, actions, check=lambda live: None):
    """Drive an allocator; return what stays live."""
    live = []
    for action in actions:
        if action is None:
            allocator.empty_cache()
        elif isinstance(action, tuple):
            live.append(take(allocator, rounded(action[0]), action[1]))
        elif live:
            allocator.free(live.pop(action % len(live)))
        check(live)
    return live


@settings(deadline=None)
@given(ACTIONS)
def test_agrees_with_the_naive_one(actions):
    fast, naive = CachingAllocator(), Naive()
    a, b = [], []
    for action in actions:
        if action is None:
            fast.empty_cache()
            naive.empty_cache()
        elif isinstance(action, tuple):
            a.append(take(fast, rounded(action[0]), action[1]))
            b.append(naive.malloc(rounded(action[0]), action[1]))
        elif a:
            fast.free(a.pop(action % len(a)))
            naive.free(b.pop(action % len(b)))
        assert fast.reserved == naive.reserved
        assert [c.size for c in a] == [c[2] for c in b]
    assert fast.peak_reserved == naive.peak


@pytest.mark.parametrize("kind", [CachingAllocator, ExpandableAllocator])
@settings(deadline=None)
@given(actions=ACTIONS)
def test_chunks_never_overlap_and_reserved_covers_them(kind, actions):
    allocator = kind()

    def check(live):
        assert allocator.allocated == sum(c.size for c in live)
        free = [c for pool in allocator.pools.values() for c in pool.chunks.values()]
        assert allocator.reserved == allocator.allocated + sum(c.size for c in free)
        assert 0 <= allocator.allocated <= allocator.reserved <= allocator.peak_reserved
        spans = sorted(
            (id(c.pool) if kind is ExpandableAllocator else 0, c.address, c.size) for c in [*live, *free]
        )
        for (pool, start, size), (other, following, _) in pairwise(spans):
            assert pool != other or start + size <= following

    for chunk in run(allocator, actions, check):
        allocator.free(chunk)
    assert allocator.allocated == 0
    allocator.empty_cache()
    assert allocator.reserved == 0
    assert not any(pool.keys or pool.chunks for pool in allocator.pools.values())


@pytest.mark.parametrize("kind", [CachingAllocator, ExpandableAllocator])
@settings(deadline=None)
@given(actions=ACTIONS, share=st.floats(0, 1.2))
def test_capacity_is_kept_or_refused(kind, actions, share):
    free_running = kind()
    run(free_running, actions)
    capacity = int(free_running.peak_reserved * share)
    allocator = kind(capacity)
    try:
        run(allocator, actions)
    except OutOfMemory as error:
        assert error.needed > capacity  # noqa: PT017  # what it carries is compared
    assert allocator.peak_reserved <= capacity
    growing = kind(0, grow=True)
    run(growing, actions)
    assert growing.allocated <= growing.peak_reserved <= growing.capacity


@pytest.mark.parametrize(
    ("size", "whole", "segment"),
    [
        (0, 512, SMALL_SEGMENT),
        (1, 512, SMALL_SEGMENT),
        (513, 1024, SMALL_SEGMENT),
        (MIB, MIB, SMALL_SEGMENT),
        (MIB + 1, MIB + 512, LARGE_SEGMENT),
        (10 * MIB - 512, 10 * MIB - 512, LARGE_SEGMENT),
        (10 * MIB, 10 * MIB, 10 * MIB),
        (10 * MIB + 1, 10 * MIB + 512, 12 * MIB),
        (21 * MIB, 21 * MIB, 22 * MIB),
    ],
)
def test_rounding_and_segments(size, whole, segment):
    assert rounded(size) == whole
    assert segment_size(whole) == segment


def test_small_requests_share_a_segment_of_two_mebibytes():
    allocator = CachingAllocator()
    for _ in range(4096):
        take(allocator, 512)
    assert allocator.reserved == 2 * MIB
    take(allocator, 512)
    assert allocator.reserved == 4 * MIB


def test_a_large_remainder_up_to_one_mebibyte_is_not_split():
    allocator = CachingAllocator()
    first = take(allocator, 11 * MIB)  # from 12 MiB: one is left, not more than one
    assert first.size == 12 * MIB
    assert allocator.allocated == 12 * MIB
    second = take(allocator, 11 * MIB - 512)
    assert second.size == 11 * MIB - 512
    assert allocator.reserved == 24 * MIB


def test_best_fit_takes_the_smallest_that_is_enough():
    allocator = CachingAllocator()
    large, small = take(allocator, 40 * MIB), take(allocator, 20 * MIB)
    allocator.free(large)
    allocator.free(small)
    assert take(allocator, 18 * MIB).address == small.address
    assert take(allocator, 22 * MIB).address == large.address
    assert allocator.reserved == 60 * MIB


def test_freed_chunks_are_not_shared_across_streams():
    allocator = CachingAllocator()
    allocator.free(take(allocator, 20 * MIB, 0))
    take(allocator, 20 * MIB, 1)
    assert allocator.reserved == 40 * MIB


def test_neighbours_merge_so_that_a_whole_segment_comes_back():
    allocator = CachingAllocator()
    parts = [take(allocator, 5 * MIB) for _ in range(4)]
    assert allocator.reserved == 20 * MIB
    for index in (1, 3, 0, 2):
        allocator.free(parts[index])
    assert take(allocator, 20 * MIB).address == 0
    assert allocator.reserved == 20 * MIB


def test_a_failing_request_releases_the_cache_first():
    allocator = CachingAllocator(100 * MIB)
    allocator.free(take(allocator, 60 * MIB))
    take(allocator, 80 * MIB)
    assert allocator.reserved == 80 * MIB
    with pytest.raises(OutOfMemory) as caught:
        take(allocator, 22 * MIB)
    assert caught.value.needed == 102 * MIB


def test_a_split_segment_is_pinned_by_what_lives_in_it():
    allocator = CachingAllocator(100 * MIB)
    whole = take(allocator, 60 * MIB)
    allocator.free(whole)
    pin = take(allocator, 20 * MIB)  # splits the 60
    with pytest.raises(OutOfMemory):
        take(allocator, 44 * MIB)  # 40 are free inside, which is not enough, and 60 + 44 is too much
    allocator.free(pin)
    assert take(allocator, 44 * MIB).size == 44 * MIB


def test_expandable_segments_grow_at_the_end_and_release_pages():
    allocator = ExpandableAllocator()
    first, second = take(allocator, 30 * MIB), take(allocator, 30 * MIB)
    assert allocator.reserved == 60 * MIB  # 40 hold the first, 20 more the rest of the second
    allocator.free(second)
    third = take(allocator, 45 * MIB)  # 30 are free at the end
    assert allocator.reserved == 80 * MIB
    allocator.free(first)
    allocator.empty_cache()
    assert allocator.reserved == 60 * MIB  # one page lies wholly in the 30 MiB of the first
    allocator.free(third)
    allocator.empty_cache()
    assert allocator.reserved == 0
