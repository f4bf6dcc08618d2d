# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The fast replay against the allocator that it imitates: the same figures for whatever happens."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.estimate.replay import pure_replay
from trainlint.estimate.replay.allocator import MIB, CachingAllocator, OutOfMemory, rounded
from trainlint.estimate.replay.capacity_replay import CapacityReplay
from trainlint.estimate.replay.expandable import ExpandableAllocator
from trainlint.estimate.replay.replay_engine import FASTEST, MOST_BYTES, engine_for
from trainlint.estimate.replay.replay_script import Script, replay
from trainlint.estimate.replay.slot_program import together

ENGINES = pytest.mark.parametrize("engine", [pure_replay, FASTEST])
ALLOCATORS = pytest.mark.parametrize(
    ("engine", "kind"),
    [
        (pure_replay, CachingAllocator),
        (FASTEST, CachingAllocator),
        *([(FASTEST, ExpandableAllocator)] if FASTEST.EXPANDS else ()),
    ],
)

SIZES = st.one_of(
    st.just(0), st.integers(1, 3000), st.integers(MIB - 1024, MIB + 1024), st.integers(1, 30 * MIB),
    st.sampled_from([2 * MIB, 10 * MIB, 19 * MIB, 20 * MIB]),
)  # fmt: skip
# (size, stream) allocates; an integer frees the n-th live block, -1 the youngest; None empties the cache
ACTIONS = st.lists(
    st.one_of(
        st.tuples(SIZES, st.integers(0, 1)), st.integers(0, 50), st.integers(0, 50), st.just(-1), st.none()
    ),
    max_size=120,
)


def scripted(actions):
    """Return a script and its blocks' sizes."""
    stretches, sizes, streams, live = [[]], [], [], []
    for action in actions:
        if action is None:
            stretches.append([])
        elif isinstance(action, tuple):
            live.append(len(sizes))
            stretches[-1].append(len(sizes))
            sizes.append(rounded(action[0]) if action[0] else 0)
            streams.append(action[1])
        elif live:
            stretches[-1].append(~live.pop(action % len(live)))
    return Script(tuple(map(tuple, stretches)), (), tuple(streams), len(sizes)), sizes


def slow(script, sizes, capacity, grow, kind=CachingAllocator):
    """Return the allocator's figures, or what it missed."""
    allocator = kind(capacity, grow=grow)
    try:
        replay(script, sizes, allocator)
    except OutOfMemory as error:
        return error.needed
    return allocator.peak_reserved, allocator.capacity


def fast(replay, capacity, grow):
    try:
        ran = replay.replay(capacity, grow=grow)
    except OutOfMemory as error:
        return error.needed
    return ran.peak_reserved, ran.capacity


@ALLOCATORS
@settings(deadline=None)
@given(
    actions=ACTIONS,
    runs=st.lists(st.tuples(st.floats(0, 1.2), st.booleans()), max_size=6),
    brief=st.booleans(),
)
def test_every_figure_is_the_allocators(engine, kind, actions, runs, brief):
    script, sizes = scripted(actions)
    stretches = together((array("i", events) for events in script.stretches), len(sizes))
    replay = CapacityReplay(
        stretches if brief else script.stretches,
        sizes,
        script.streams,
        engine,
        expandable=kind is ExpandableAllocator,
    )
    free_running = slow(script, sizes, None, False, kind)
    for share, grow in runs:  # in any order, and some twice: each begins where an earlier one parted
        capacity = int(free_running[0] * share) // 512 * 512
        assert fast(replay, capacity, grow) == slow(script, sizes, capacity, grow, kind)
    assert fast(replay, None, grow=False) == free_running
    for share, grow in runs:
        capacity = int(free_running[0] * share) // 512 * 512
        assert fast(replay, capacity, grow) == slow(script, sizes, capacity, grow, kind)


@ENGINES
def test_the_cache_is_emptied_once_where_a_replay_parts_at_a_stretch(engine):
    replay = CapacityReplay(((0, ~0), (1,), (~1, 2)), [20 * MIB, 40 * MIB, 30 * MIB], [0, 0, 0], engine)
    assert replay.replay(20 * MIB, grow=True).capacity == 40 * MIB
    assert replay.replay(40 * MIB).peak_reserved == 40 * MIB
    assert replay.replay().peak_reserved == 40 * MIB
    with pytest.raises(OutOfMemory) as caught:
        replay.replay(30 * MIB)
    assert caught.value.needed == 40 * MIB


@ENGINES
def test_what_takes_nothing_is_left_out(engine):
    replay = CapacityReplay(((0, 1, ~0, ~1),), [0, 2 * MIB], [0, 0], engine)
    assert replay.replay().peak_reserved == 20 * MIB
    assert CapacityReplay(((0, ~0),), [0], [0], engine).replay().peak_reserved == 0


@pytest.mark.skipif(FASTEST is pure_replay, reason="installed without a compiler")
def test_the_engine_in_c_refuses_what_makes_no_sense():
    run = FASTEST.start([512, 2 * MIB], [0, 1], None)
    for events in ((2**31 - 1,), (4,), (-3,)):
        with pytest.raises(IndexError):
            run.run(FASTEST.events(events), 0, 1)
    with pytest.raises(ValueError, match="not allocated"):
        run.run(FASTEST.events((~1,)), 0, 1)
    for first, last in ((0, 2), (-1, 1), (1, 0)):
        with pytest.raises(IndexError):
            run.run(FASTEST.events((0,)), first, last)
    for sizes, streams in (([-512], [0]), ([2**60], [0]), ([512], [-1]), ([512], [1000])):
        with pytest.raises(OverflowError):
            FASTEST.start(sizes, streams, None)
    for row in (-1, 1):
        with pytest.raises(IndexError):
            FASTEST.start([512], [0], None, [row])
    with pytest.raises(ValueError, match="as many"):
        FASTEST.start([512], [], None)
    with pytest.raises(ValueError, match="below"):
        FASTEST.start([512], [0], -2)


def test_a_request_beyond_all_cards_is_replayed_in_python():
    assert engine_for([512, MOST_BYTES]) is FASTEST
    assert engine_for([512, MOST_BYTES + 512]) is pure_replay
    assert CapacityReplay(((0, ~0),), [2 * MOST_BYTES], [0]).replay().peak_reserved == 2 * MOST_BYTES
