# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a recipe's step trains: parameters get gradients, and an optimizer uses them.

Half a step has half a peak, which would be an unearned pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo.builders import definitions
from trainlint.catalogue.zoo.recipes import place
from trainlint.errors import CannotTraceError
from trainlint.tape import SECOND_STEP, Event, Op, Tape

GRADIENTS: Final = "gradients"
OPTIMIZER: Final = "optimizer"
"""What trace/optimizers.py calls them on a tape."""
REGISTERED_KINDS: Final = ("parameters", "losses", "ema")
"""Kinds of what a recipe registers (trace/stage.py)."""
BUCKETS: Final = "DDP buckets"
"""What ends the owner of DistributedDataParallel's copies (trace/parallel/distributed.py)."""
FIRST_STEP: Final = "step 1"
"""The mark at which the first step begins (trace/trace.py)."""
PAGED: Final = "Paged"
"""How an optimizer of bitsandbytes begins whose state is the host's, so that no step shows it."""
TEST: Final = "Testing"
"""The recipe that plays a test, under its dialect's name (trainlint_zoo/basicsr/recipes/testing.py)."""


def trained(tape: Tape, paths: Sequence[Path] = ()) -> Tape:
    """Return a tape whose step trains, or which is a test's; CannotTraceError names any other's recipe.

    `paths` are the files and folders of recipes that the user named.
    """
    name = str(tape.step.get("recipe", ""))
    if name.endswith(f".{TEST}"):
        return tape
    if not any(block.kind == GRADIENTS for block in tape.blocks):
        raise CannotTraceError(
            f'the recipe "{name}" trains nothing: no parameter gets a gradient; expected a loss\'s '
            f"backward() and the optimizer's step() in train_step{_at(name, paths)}"
        )
    if not _stepped(tape):
        raise CannotTraceError(
            f'the recipe "{name}" takes no optimizer step, so that its optimizer\'s state is not counted; '
            f"expected step() of what stage.optimizer returns in train_step{_at(name, paths)}"
        )
    if unknown := _unregistered(tape):
        raise CannotTraceError(
            f'the recipe "{name}" trains what it does not register ({unknown}), so that its weights are not '
            f"counted; expected stage.register for each network{_at(name, paths)}"
        )
    return tape


def _unregistered(tape: Tape) -> str:
    """Return whose parameter gets a gradient and is not on the tape; "" where all are.

    Replicas of an unregistered network are on it without an owner.
    """
    registered = {block.owner for block in tape.blocks if block.kind in REGISTERED_KINDS and block.owner}
    trained = (block.owner for block in tape.blocks if block.kind == GRADIENTS)
    unknown = (name for name in trained if name not in registered and not name.endswith(BUCKETS))
    return next((name or "a network" for name in unknown), "")


def _stepped(tape: Tape) -> bool:
    """Say whether an optimizer made its state or a temporary in a step, or changed weights without any."""
    if any(str(entry.get("type")).startswith(PAGED) for entry in tape.step.get("optimizers") or ()):
        return True
    begins, second = tape.marks.index(FIRST_STEP), tape.marks.index(SECOND_STEP)
    events = iter(tape.events)
    next(index for kind, index in events if kind == Event.MARK and index == begins)
    followed = sum(block.size.const for block in tape.blocks if block.kind == "ema")
    changed, most = 0, 0
    for kind, argument in events:
        if kind == Event.ALLOC and tape.blocks[argument].kind == OPTIMIZER:
            return True
        if kind == Event.ALLOC and tape.blocks[argument].kind == GRADIENTS:
            changed = 0
        elif kind == Event.MARK and argument == second:
            changed, most = 0, changed
        elif kind == Event.OP and _is_update(tape.ops[argument]):
            changed += tape.ops[argument].written.const
    return max(changed, most) > followed


def _is_update(op: Op) -> bool:
    """Say whether an operator may be SGD's: it adds tensors to others that no batch makes larger."""
    sizes = op.read, op.written
    return (
        op.kind == "elementwise"
        and not any(size.batch or size.total or size.pool for size in sizes)
        and op.read.const == 2 * op.written.const > 0
    )


def _at(name: str, paths: Sequence[Path]) -> str:
    """Return " (FILE:LINE)" of a recipe's step, nothing where its file is not known here."""
    try:
        file, kind = place(name, paths)
    except CannotTraceError:
        return ""
    node = definitions(file).get(kind)
    return "" if node is None else f" ({file}:{next(_steps(node), node).lineno})"


def _steps(node: ast.AST) -> Iterator[ast.FunctionDef]:
    for statement in getattr(node, "body", ()):
        if isinstance(statement, ast.FunctionDef) and statement.name == "train_step":
            yield statement
