# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tensors that an optimizer walks over in Python before it computes many of them at a time.

Multi-tensor optimizers (torch's foreach and fused ones) start few operators, but gather each parameter with
its gradient and state into lists for them, a step at a time (torch/optim/adam.py, _init_group,
_multi_tensor_adam). One that computes a tensor at a time has its operators on the tape.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import Final

from trainlint.estimate.replay.course import Identity, first_mark
from trainlint.estimate.speed.kernel_class import marked
from trainlint.estimate.tapes.trains import BUCKETS, GRADIENTS
from trainlint.tape import SECOND_STEP, Event, Tape
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import places, spread

OPTIMIZER: Final = "optimizer"
"""Word of the marks of an optimizer's phase."""


def walked_tensors(tape: Tape) -> int:
    """Return how many tensors a step's optimizers gather; 0 where they compute one at a time."""
    return _walked(Identity(tape))


@lru_cache(maxsize=4)
def _walked(of: Identity) -> int:
    tape = of.tape
    made = Events.of(tape.events)[: first_mark(tape, SECOND_STEP)].of_kind(Event.ALLOC)
    blocks = Blocks.of(tape.blocks)
    rows = blocks.having(lambda kind, owner: kind == GRADIENTS and not owner.endswith(BUCKETS))
    gradients = len(places(spread(blocks.births, array("i", made)), rows))
    started = sum(sum(ran.values()) for mark, ran in marked(tape) if OPTIMIZER in mark.split())
    return gradients if 0 < started < gradients else 0
