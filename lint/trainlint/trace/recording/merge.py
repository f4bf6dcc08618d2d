# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Several recordings of one step, at different numbers of samples, become one with affine sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from trainlint.tape import Block, Event, Op, Size

if TYPE_CHECKING:  # merging needs no torch
    from trainlint.trace.recording.operator_cost import Cost
    from trainlint.trace.recording.storage_ledger import Recording

OP = int(Event.OP)
NUMBER = re.compile(r"(\d+)")
POOL_STRIDE = 2**37
"""How far apart two traces' pools are, so that one difference separates the pool's bytes from the batch's.

A difference is `batch x bytes + POOL_STRIDE x bytes`: distinct while one sample's tensor is under 64 GiB.
"""


class NotAffineError(Exception):
    """The recordings do not describe one step whose sizes grow by a constant per sample."""


@dataclass(frozen=True)
class BatchPoint:
    """The variables of one recording; `total` is left alone where it is the batch."""

    batch: int
    total: int
    pool: int


@dataclass(frozen=True)
class Merged:
    """The tables of a tape."""

    blocks: tuple[Block, ...]
    ops: tuple[Op, ...]
    events: tuple[tuple[int, int], ...]


def merge(
    points: Sequence[BatchPoint], recordings: Sequence[Recording], *, parallel: bool, pool: bool
) -> Merged:
    """Fit every size through its values at the points; the first recording is the base.

    Each further point moves one variable (batch, or total under DataParallel); the pool may move with any.
    """
    base = recordings[0]
    for other in recordings[1:]:
        same_events(base, other)
    solver = _Solver(points, parallel=parallel, pool=pool)
    blocks = tuple(
        Block(
            solver.size(tuple([b.nbytes for b in births])),
            births[0].kind,
            births[0].owner,
            births[0].device,
            births[0].stream,
        )
        for births in zip(*(r.blocks for r in recordings), strict=True)
    )
    ops, events = _operators(recordings, solver)
    return Merged(blocks, ops, events)


def same_events(base: Recording, other: Recording) -> None:
    """Raise NotAffineError where two recordings differ in more than sizes."""
    if len(base.blocks) != len(other.blocks) or len(base.events) != len(other.events):
        raise NotAffineError(f"{len(base.events)} events at one batch, {len(other.events)} at another")
    for (kind, index), (other_kind, other_index) in zip(base.events, other.events, strict=True):
        if kind != other_kind or (index != other_index and kind != OP):
            owner = base.blocks[index].owner if kind <= 1 else ""
            raise NotAffineError(
                f"the order of events differs between batches{f' in {owner}' if owner else ''}"
            )


def check(merged: Merged, point: BatchPoint, recording: Recording) -> None:
    """Raise NotAffineError unless a further recording (a prefix of the events will do) is as predicted."""
    for block, birth in zip(merged.blocks, recording.blocks, strict=False):
        predicted = block.size.at(point.batch, point.total, point.pool)
        if predicted != birth.nbytes:
            raise NotAffineError(
                f"{block.owner or block.kind}: {birth.nbytes} bytes at batch {point.batch}, not {predicted}"
            )
    for event, other in zip(merged.events, recording.events, strict=False):
        if event[0] != other[0] or (event[0] != OP and event[1] != other[1]):
            raise NotAffineError(f"the order of events differs at batch {point.batch}")


class _Solver:
    """Turns values at the points into a Size."""

    def __init__(self, points: Sequence[BatchPoint], *, parallel: bool, pool: bool) -> None:
        base = points[0]
        self.points, self.parallel, self.pool = points, parallel, pool
        self.known: dict[tuple[bool, tuple[int, ...]], Size] = {}
        self.moves = [(p.batch - base.batch, p.total - base.total, p.pool - base.pool) for p in points[1:]]

    def size(self, values: tuple[int, ...], *, bytes_of_pool: bool = True) -> Size:
        """Return the affine size; `bytes_of_pool` is off for FLOPs, which may exceed POOL_STRIDE."""
        size = self.known.get((bytes_of_pool, values))
        if size is None:
            size = self.known[bytes_of_pool, values] = self._size(values, bytes_of_pool=bytes_of_pool)
        return size

    def _size(self, values: tuple[int, ...], *, bytes_of_pool: bool) -> Size:
        slopes = {"batch": 0, "total": 0, "pool": 0}
        for (batch, total, pool), value in zip(self.moves, values[1:], strict=True):
            rise = value - values[0]
            if self.pool and pool and bytes_of_pool:
                rest = (rise + pool // 2) % pool - pool // 2
                slopes["pool"] = (rise - rest) // pool
                rise = rest
            if batch:
                slopes["batch"] = _whole(rise, batch)
            elif self.parallel and total:
                slopes["total"] = _whole(rise, total)
            elif rise:
                raise NotAffineError("a size changes though no variable does")
        base = self.points[0]
        const = values[0] - sum(
            slopes[name] * samples
            for name, samples in (("batch", base.batch), ("total", base.total), ("pool", base.pool))
        )
        return Size(const, slopes["batch"], slopes["total"], slopes["pool"])


def _whole(rise: int, by: int) -> int:
    slope, rest = divmod(rise, by)
    if rest:
        raise NotAffineError(f"{rise} more bytes for {by} more samples")
    return slope


def _operators(
    recordings: Sequence[Recording], solver: _Solver
) -> tuple[tuple[Op, ...], tuple[tuple[int, int], ...]]:
    """Merge the operators position by position; equal ones share a row."""
    known: dict[tuple[int, ...], int] = {}
    ops: list[Op] = []
    rows: dict[Op, int] = {}
    events = []
    for moment in zip(*(r.events for r in recordings), strict=True):
        kind, index = moment[0]
        if kind == OP:
            key = tuple([i for _, i in moment])
            if key not in known:
                op = _op([r.ops[i] for r, i in zip(recordings, key, strict=True)], solver)
                known[key] = rows.setdefault(op, len(ops))
                if known[key] == len(ops):
                    ops.append(op)
            index = known[key]
        events.append((kind, index))
    return tuple(ops), tuple(events)


def _per_sample(costs: Sequence[Cost], points: Sequence[BatchPoint]) -> Sequence[Cost]:
    """Return the costs with one sample's keys, where a grouped convolution holds the batch in its groups.

    A network with kernels of each sample's own runs them as one convolution of `batch x channels` groups.
    """
    if len({cost.key for cost in costs}) == 1 or not all(cost.kind.startswith("conv-") for cost in costs):
        return costs
    rows = [NUMBER.split(cost.key) for cost in costs]  # words at even places, numbers at odd ones
    if len({tuple(row[::2]) for row in rows}) > 1:
        return costs
    for place in range(1, len(rows[0]), 2):
        numbers = [int(row[place]) for row in rows]
        if len(set(numbers)) > 1 and not any(n % p.batch for n, p in zip(numbers, points, strict=True)):
            for row, number, point in zip(rows, numbers, points, strict=True):
                row[place] = str(number // point.batch)
    return [cost._replace(key="".join(row)) for cost, row in zip(costs, rows, strict=True)]


def _op(work: Sequence[tuple[Cost, int]], solver: _Solver) -> Op:
    costs = _per_sample([cost for cost, _ in work], solver.points)
    for cost, other in pairwise(costs):
        if (cost.kind, cost.key, cost.dtype) != (other.kind, other.key, other.dtype):
            raise NotAffineError(f"{cost.kind} {cost.key} at one batch, {other.kind} {other.key} at another")
    first, device = costs[0], work[0][1]
    light = first.kind not in ("conv", "conv-grouped", "conv-depthwise", "matmul", "attention")
    return Op(
        kind=first.kind,
        flops=solver.size(tuple([c.flops for c in costs]), bytes_of_pool=light),
        read=solver.size(tuple([c.read for c in costs])),
        written=solver.size(tuple([c.written for c in costs])),
        key=first.key,
        device=device,
        dtype=first.dtype,
    )
