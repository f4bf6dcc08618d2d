# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tape: every allocation of a training step, with sizes that are affine in what the user may edit.

Written by trace/ (torch), read by estimate/ (no torch). A size is `const + sum(coefficient x variable)`
bytes before rounding; variables are samples:

  batch  samples that one GPU computes (what its replica's forward sees)
  total  samples that one process takes per step (differs from batch under DataParallel only)
  pool   samples in the training pool (Real-ESRGAN's queue)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

FORMAT = 2
"""Of the file a tape is stored in."""
SEMANTICS = 3
"""Raised whenever the tracer or a recipe records another tape for the same step: stored ones are stale."""
HELD = "held"
"""Key of a copy that an operator makes of its inputs and keeps while it runs."""
TILE_ROWS = (64, 128)
"""Rows of the largest tiles in which a card's memory-efficient attention sums, by its shared memory."""
IN_TILES = {rows: f"{HELD} in tiles of {rows} rows" for rows in TILE_ROWS}
"""Key of what that attention keeps while it runs on a card with such tiles: there alone is it taken."""
EMPTIED = "emptied cache"
"""Key of what is no kernel: there a program has the allocator give back what it caches."""
GRADIENT_SUM = "sum of gradients"
"""Key of a sum of two gradients that is in place on a real device: its result is where the first term was."""
IN_ONE_PIECE = "the optimizer steps through all tensors at once, as on a card with a small L2 cache"
"""A note of a step that another card may do in pieces."""
VARIABLES = ("batch", "total", "pool")
EVERY_BATCH = 2
"""From here on one tape holds for every batch; a single sample's strides differ for half of all networks."""
SECOND_STEP = "step 2"
"""The mark at which a steady step begins."""
VALIDATION = "validation"
"""The mark at which a validation begins, after the training steps."""
SOURCES = ("project", "cache", "traced", "shipped")
"""Where a tape is from, what depends most on the machine first: a figure of several is said to be of that."""


class Event(IntEnum):
    """What happens at one moment; an event is the pair (kind, index into the matching table)."""

    ALLOC = 0
    FREE = 1
    OP = 2
    MARK = 3


class Size(NamedTuple):
    """Bytes (or FLOPs) as an affine function of the variables."""

    const: int
    batch: int = 0
    total: int = 0
    pool: int = 0

    def at(self, batch: int, total: int, pool: int) -> int:
        """Return the bytes (or FLOPs) at so many samples per GPU, on all GPUs, in the training pool."""
        return self.const + self.batch * batch + self.total * total + self.pool * pool


class Block(NamedTuple):
    """One storage: its size, the virtual GPU it lives on, what it is for and who made it.

    `kind`: parameters, buffers, gradients, optimizer, ema, activations, inputs, queue, losses, workspace,
    other.
    `owner`: the network's role and the module inside it, e.g. "generator:body.0.rdb1.conv1".
    `stream`: 0 is the compute stream; another number is another allocator pool (a prefetcher's).
    """

    size: Size
    kind: str
    owner: str = ""
    device: int = 0
    stream: int = 0


class Op(NamedTuple):
    """An operator for the roofline and the cuDNN workspace: FLOPs, bytes read and written."""

    kind: str  # conv, conv-grouped, conv-depthwise, matmul, attention, norm, elementwise, ...
    flops: Size
    read: Size
    written: Size
    key: str = (
        ""  # a convolution's direction (forward, backward-data, backward-weight) and shape without the batch
    )
    device: int = 0
    dtype: str = "float32"  # of the tensors it computes on


@dataclass(frozen=True)
class Network:
    """One network of the step, as built."""

    role: str
    arch: str
    parameters: int
    trainable: int


class File(NamedTuple):
    """A file that the trainer writes at every save."""

    name: str
    size: int


OPTIMIZER_FILE = "optimizer.pt"
"""The file of a checkpoint that save_only_model leaves out."""
PAGED = "Paged"
"""How names of optimizers begin whose states the driver may move to the host."""
STATE_BYTES = {"8bit": 1 + 4 / 256, "": 4}
"""End of such a name -> bytes that a state has of a weight; a block of 256 in bytes has a scale in fp32."""
ONE_STATE = "Lion"
"""An algorithm that has one state; others have two."""


@dataclass(frozen=True)
class Tape:
    """The replayable record of a step.

    `events` covers two full steps from the first parameter to the end of the second; `marks` names moments
    (index into `events` is implied by the MARK event's position): "setup", "step 1", "step 2", and inside a
    step the phases ("generator forward", "generator backward", ...).
    `affine` says how far the affine sizes were checked: "exact", or the reason why only `batches` hold.
    """

    key: str
    step: Mapping[str, Any]
    blocks: Sequence[Block]
    ops: tuple[Op, ...]
    marks: tuple[str, ...]
    events: Sequence[tuple[int, int]]
    networks: tuple[Network, ...]
    files: tuple[File, ...] = ()
    devices: int = 1
    affine: str = "exact"
    batches: tuple[int, ...] = ()  # () = every batch; else the only ones this tape speaks for
    made_with: Mapping[str, str] = field(default_factory=dict)  # versions; "sources": tape/provenance.py
    notes: tuple[str, ...] = ()
    source: str = field(default="traced", compare=False)  # one of SOURCES; no part of what is stored

    @property
    def saved(self) -> tuple[File, ...]:
        """The files with what is not on the card: states that the driver may move to the host.

        torch.save writes them like others (bitsandbytes 0.50.2, functional.py: get_paged).
        """
        optimizers: Sequence[Mapping[str, Any]] = self.step.get("optimizers") or ({},)
        kind = str(optimizers[0].get("type", ""))
        if not kind.startswith(PAGED):
            return self.files
        size = next(size for end, size in STATE_BYTES.items() if kind.endswith(end))
        states = 1 if ONE_STATE in kind else 2
        least = round(states * size * sum(network.trainable for network in self.networks))
        return tuple(
            File(file.name, max(file.size, least)) if file.name == OPTIMIZER_FILE else file
            for file in self.files
        )
