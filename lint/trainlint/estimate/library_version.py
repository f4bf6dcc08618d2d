# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which version of a library decided a job's figures, held against the one that its files ask for."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.execution import HALF_PRECISIONS
from trainlint.estimate.replay.workspace import ATTENTION
from trainlint.model.facts import Memory, Uncounted
from trainlint.model.spec import TrainSpec, Value
from trainlint.repository.environment.requirement import Requirement
from trainlint.tape import Tape
from trainlint.tape.provenance import version

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin

TRACED_HERE = "traced"
UNFUSED: Final = tuple(f"0.{minor}.{patch}" for minor in range(9) for patch in range(30))
FUSED: Final = (
    *(f"0.9.{patch}" for patch in range(17)),
    *(f"1.{minor}.{patch}" for minor in range(3) for patch in range(60)),
)
"""Versions of timm before and since it calls torch's scaled_dot_product_attention."""


FIRST_TORCH: Final = Uncounted(
    "what torch 1, on which timm before 0.9 may run, keeps for GELU and softmax in half precision", "more"
)
"""PyTorch 1.7, autocast_mode.cpp (gelu in fp32) and derivatives.yaml (_softmax keeps its input): a fifth of
what DeiT and Swin took in ziplab/Mesa's README (bench/measured/old_attention.csv)."""
AS_FIRST_TORCH: Final = "first_torch"
"""The option of a step that is traced as torch 1.7 computes it (timm/recipes/first_torch.py of the zoo)."""
TORCH_NAMES: Final = ("torch", "pytorch")
FIRST: Final = tuple(f"1.{minor}.{patch}" for minor in (6, 7) for patch in range(3))
BETWEEN: Final = tuple(f"1.{minor}.{patch}" for minor in range(8, 14) for patch in range(3))
LATER: Final = tuple(f"2.{minor}.{patch}" for minor in range(30) for patch in range(3))
"""Versions of torch: those with autocast that keep more, those that were not read, and those since."""
SOFTMAX: Final = "softmax"
SOFTMAXES_OF_LOSSES: Final = 4
"""A loss calls softmax and its backward in every micro-batch, of which a tape has two at most."""


def held(memory: Memory, pins: Sequence[Pin], spec: TrainSpec) -> Memory:
    """Return the figures with what the job's files ask of their library.

    CannotTraceError where they ask for another version than decided, and the size of the images, which a
    library's versions differ in, is not written.
    """
    library = memory.library
    if library is None:
        return memory
    pins = [pin for pin in pins if pin.requirement.library not in TORCH_NAMES]
    contradicting = next((pin for pin in pins if not pin.requirement.allows(library.version)), None)
    here = library.version if memory.source == TRACED_HERE else version(library.name)
    source = "is installed" if here == library.version else "made the stored profile"
    if contradicting is not None:
        against, cure = str(contradicting), "install that"
    elif not pins and here not in (None, library.version):
        against, cure = f"{library.name} {here} is installed", "run trainlint trace"
    else:
        pin = str(pins[0]) if pins else ""
        return replace(memory, library=dataclasses.replace(library, pin=pin, agrees=True if pins else None))
    if "crop.lq" not in spec:
        known = library.version or "another"
        raise CannotTraceError(
            f"{against}; {known} {source}, and the default size may differ: {cure}, or pass --img-size"
        )
    return replace(memory, library=dataclasses.replace(library, pin=against, agrees=False))


def written_out(spec: TrainSpec, pins: Sequence[Pin], torch: str | None = None) -> TrainSpec | None:
    """Return a spec whose attention is that of a pinned timm from before it was fused; None for any other.

    In half precision with what a torch kept that is as old, by the pins or the target's image (`torch`);
    under gradient checkpointing that is not traced.
    """
    if not any(_is_before_fused(pin.requirement) for pin in pins):
        return None
    options = {**spec.get("options", {}), "fused_attention": False}
    half = spec.get("precision") in HALF_PRECISIONS
    if half and not spec.get("checkpointing") and _has_first_torch(pins, torch):
        options[AS_FIRST_TORCH] = True
    return TrainSpec({**spec.fields, "options": Value(options)})


def _has_first_torch(pins: Sequence[Pin], torch: str | None) -> bool | None:
    """Say whether torch is one that keeps more in half precision (FIRST) or has not for long (LATER).

    None where neither is sure.
    """
    asked = [pin.requirement for pin in pins if pin.requirement.library in TORCH_NAMES]
    if torch is not None:
        asked = [Requirement(TORCH_NAMES[0], f"=={torch}")]
    if not asked:
        return None
    first, between, later = (
        any(all(requirement.allows(version) for requirement in asked) for version in versions)
        for versions in (FIRST, BETWEEN, LATER)
    )
    return None if between or first == later else first


def of_first_torch(
    spec: TrainSpec, pins: Sequence[Pin], tape: Tape, torch: str | None = None
) -> Uncounted | None:
    """Return the term of an old timm's attention in half precision, where torch may be old too; else None."""
    if spec.get("precision") not in HALF_PRECISIONS or not any(
        _is_before_fused(pin.requirement) for pin in pins
    ):
        return None
    if AS_FIRST_TORCH in spec.get("options", {}) or _has_first_torch(pins, torch) is False:
        return None
    kinds = Counter(op.kind for op in tape.ops)
    return FIRST_TORCH if kinds[ATTENTION] or kinds[SOFTMAX] > SOFTMAXES_OF_LOSSES else None


def unfused(pins: Sequence[Pin], tape: Tape) -> Uncounted | None:
    """Return the term of attention that the pinned library computes with its whole matrix; None without one.

    A tape has it fused, as timm has since 0.9; DeiT and Swin took 1.3 to 1.9 times as much before.
    """
    old = next((pin for pin in pins if _is_before_fused(pin.requirement)), None)
    if old is None or not any(op.kind == ATTENTION for op in tape.ops):
        return None
    return Uncounted(f"attention's whole matrices, which timm keeps before 0.9 ({old})", "more")


def _is_before_fused(requirement: Requirement) -> bool:
    """Return whether all that is asked for of timm are versions before 0.9."""
    return (
        requirement.library == "timm"
        and any(map(requirement.allows, UNFUSED))
        and not any(map(requirement.allows, FUSED))
    )


def contradiction(pins: Sequence[Pin], library: str) -> str | None:
    """Say that the files around a job ask for another version than is installed here, or None."""
    here = version(library) if library else None
    of_it = [pin for pin in pins if pin.requirement.library == library]
    contradicting = next((pin for pin in of_it if here and not pin.requirement.allows(here)), None)
    return None if contradicting is None else f"{contradicting}; {here} is installed"


def refused_by_another(pins: Sequence[Pin], library: str) -> str | None:
    """Say why what the installed library refuses is not held against a job, or None."""
    against = contradiction(pins, library)
    return None if against is None else f"{against}, and refuses this"
