# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which version of a library decided a job's figures, held against the one that its files ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.workspace import ATTENTION
from trainlint.model.facts import Library, Memory, Uncounted
from trainlint.model.spec import TrainSpec, Value
from trainlint.repository.environment.requirement import Requirement
from trainlint.tape import Tape
from trainlint.tape.provenance import version
from trainlint.tape.step import LIBRARY_PREFIX

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin

TRACED_HERE = "traced"
UNFUSED: Final = tuple(f"0.{minor}.{patch}" for minor in range(9) for patch in range(30))
FUSED: Final = (
    *(f"0.9.{patch}" for patch in range(17)),
    *(f"1.{minor}.{patch}" for minor in range(3) for patch in range(60)),
)
"""Versions of timm before and since it calls torch's scaled_dot_product_attention."""


KEPT_BY_OLD_TORCH: Final = Uncounted(
    "what torch before 1.11, on which this may run, keeps for softmax and, in half precision, GELU", "more"
)
"""A fifth of what DeiT and Swin took in ziplab/Mesa's README (bench/measured/old_attention.csv)."""
OLD_TORCH: Final = "old_torch"
"""The option of a step that is traced as such a torch computes it, with the last version that does."""
TWO_ROOTS: Final = Uncounted(
    "the roots of Adam's second moments, of which torch 2.0 holds two at once", "more"
)
"""Of all trained weights: torch/optim/adamw.py (_multi_tensor_adamw) in 2.0.1; since 2.1 it is one."""
WITHOUT_KERNELS: Final = Uncounted(
    "attention's whole matrices, which a torch without fused kernels keeps (the target's attention)", "more"
)
ADAMS: Final = ("Adam", "AdamW")
TORCH_NAMES: Final = ("torch", "pytorch")
GENERATIONS: Final = {
    "1.9": tuple(f"1.{minor}.{patch}" for minor in range(6, 10) for patch in range(3)),
    "1.10": tuple(f"1.10.{patch}" for patch in range(3)),
    "": (
        *(f"1.{minor}.{patch}" for minor in range(11, 14) for patch in range(3)),
        *(f"2.{minor}.{patch}" for minor in range(30) for patch in range(3)),
    ),
}
"""Versions of torch that keep the same, by the option's value; "": what today's keeps.

Read in the releases 1.6.0, 1.7.1, 1.8.1, 1.9.1, 1.10.2, 1.11.0, 1.12.1, 1.13.1 and 2.0.1: SoftmaxBackward in
torch/csrc/autograd/generated/Functions.h saves `self` up to 1.10 and its type alone from 1.11 on; autocast's
registrations in libtorch_cpu have gelu in fp32 up to 1.9, and for the CPU alone from 1.10 on.
"""
SOFTMAX: Final = "softmax"
SOFTMAXES_OF_LOSSES: Final = 4
"""A loss calls softmax and its backward in every micro-batch, of which a tape has two at most."""


def library_of(tape: Tape) -> Library | None:
    """Return the library whose defaults decided a tape's networks and sizes; None where there is none."""
    if not str(tape.step.get("recipe", "")).startswith(LIBRARY_PREFIX):
        return None
    name = LIBRARY_PREFIX.rstrip(".")
    return Library(name, tape.made_with.get(name, ""))


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
        return replace(memory, library=replace(library, pin=pin, agrees=True if pins else None))
    if "crop.lq" not in spec:
        known = library.version or "another"
        raise CannotTraceError(
            f"{against}; {known} {source}, and the default size may differ: {cure}, or pass --img-size"
        )
    return replace(memory, library=replace(library, pin=against, agrees=False))


def written_out(spec: TrainSpec, pins: Sequence[Pin], torch: str | None = None) -> TrainSpec | None:
    """Return a spec whose attention is that of a timm or torch from before it was fused; None for any other.

    With what such a torch keeps, by the pins or the target's image (`torch`); not traced under gradient
    checkpointing.
    """
    recipe = str(spec.get("recipe", ""))
    of_timm = recipe.startswith(LIBRARY_PREFIX) or (pins and not recipe)
    if not (of_timm and _is_unfused(pins, torch)):
        return None
    options = {**spec.get("options", {}), "fused_attention": False}
    generation = torches(pins, torch).generation
    if generation and not spec.get("checkpointing"):
        options[OLD_TORCH] = generation
    return TrainSpec({**spec.fields, "options": Value(options)})


class Torches(Struct, frozen=True):
    """What the versions of torch that a job may run on have in common.

    `generation` is the only one of GENERATIONS that they are of, None where that is open; `first`: all are
    of torch 1, which has no scaled_dot_product_attention; `second`: the newest is of torch 2.0.
    """

    generation: str | None
    first: bool
    second: bool = False


@cache
def _torches(asked: tuple[Requirement, ...]) -> Torches:
    allowed = {
        name: [version for version in versions if all(requirement.allows(version) for requirement in asked)]
        for name, versions in GENERATIONS.items()
    }
    known = [name for name, versions in allowed.items() if versions]
    every = [version for versions in allowed.values() for version in versions]
    first = bool(every) and all(version.startswith("1.") for version in every)
    second = any(version.startswith("2.0.") for version in every) and all(
        version.startswith(("1.", "2.0.")) for version in every
    )
    return Torches(known[0] if len(known) == 1 else None, first, second)


def torches(pins: Sequence[Pin], torch: str | None) -> Torches:
    """Return what is known of a job's torch: by the target's image (`torch`), or else by the pins."""
    if torch is not None:
        return _torches((Requirement(TORCH_NAMES[0], f"=={torch}"),))
    return _torches(tuple(pin.requirement for pin in pins if pin.requirement.library in TORCH_NAMES))


def _is_unfused(pins: Sequence[Pin], torch: str | None) -> bool:
    """Say whether a job's attention is surely written out: by its timm, or by a torch that has no other."""
    return any(_is_before_fused(pin.requirement) for pin in pins) or torches(pins, torch).first


def kept_by_old_torch(
    spec: TrainSpec, pins: Sequence[Pin], tape: Tape, torch: str | None = None
) -> Uncounted | None:
    """Return the term of softmax and GELU where something says that torch may be as old; else None."""
    generation = torches(pins, torch).generation
    if OLD_TORCH in spec.get("options", {}) or generation == "":
        return None
    if not (generation or _is_unfused(pins, torch)):
        return None
    kinds = Counter(op.kind for op in tape.ops)
    return KEPT_BY_OLD_TORCH if kinds[ATTENTION] or kinds[SOFTMAX] > SOFTMAXES_OF_LOSSES else None


def unfused(pins: Sequence[Pin], tape: Tape, torch: str | None = None) -> Uncounted | None:
    """Return the term of attention that an old timm or torch has with its whole matrix; None without one.

    A tape has it fused, as timm has since 0.9 on torch 2; DeiT and Swin took 1.3 to 1.9 times as much before.
    """
    old = next((pin for pin in pins if _is_before_fused(pin.requirement)), None)
    before_torch_2 = torches(pins, torch).first
    if (old is None and not before_torch_2) or not any(op.kind == ATTENTION for op in tape.ops):
        return None
    if old is not None:
        return Uncounted(f"attention's whole matrices, which timm keeps before 0.9 ({old})", "more")
    return Uncounted("attention's whole matrices, which torch keeps before 2.0", "more")


def without_kernels(attention: str | None, tape: Tape) -> Uncounted | None:
    """Return the term of attention on a target whose torch has no fused kernels; None without one."""
    attends = attention is not None and any(op.kind == ATTENTION for op in tape.ops)
    return WITHOUT_KERNELS if attends else None


def two_roots(pins: Sequence[Pin], tape: Tape, torch: str | None = None) -> Uncounted | None:
    """Return the term of an update by torch 2.0's Adam, which a later one has in less; None without one."""
    if not torches(pins, torch).second:
        return None
    kinds = {str(entry.get("type")) for entry in tape.step.get("optimizers") or ()}
    return TWO_ROOTS if kinds.intersection(ADAMS) else None


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
