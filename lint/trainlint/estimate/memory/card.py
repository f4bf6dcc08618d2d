# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A GPU as the estimate needs it, and the share of the samples that falls to it."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from shlex import quote
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.calibration import StepKey, own_card
from trainlint.estimate.replay.allocator import MIB
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.replay.workspace import Libraries, libraries
from trainlint.estimate.tapes.tape_source import Step
from trainlint.hardware.cuda_context import context_on
from trainlint.model.facts import Uncounted
from trainlint.model.spec import TrainSpec
from trainlint.model.target import NVIDIA, Context, Gpu, Target
from trainlint.settings.settings import Settings
from trainlint.tape.step import key_of

BENCHMARKS: Final = True
"""Whether a trainer sets torch.backends.cudnn.benchmark where its spec does not say: all known ones do."""

EMULATED_BFLOAT16: Final = Uncounted(
    "bfloat16 that torch emulates, with convolutions outside of cuDNN", "unknown"
)
"""Before Ampere cuDNN has no bfloat16 engine; torch's own kernels unfold their input instead of taking a
workspace (pytorch/pytorch#81139), and no tape holds that."""


class Card(Struct, frozen=True):
    """Bytes that torch sees of a GPU, bytes of a process's context, and how the libraries are used.

    `sure`: between which bytes that context may be, and its basis. `ran`: which steps the user measured on
    it, and whether they had enough memory.
    """

    capacity: int
    context: int
    compute_capability: float
    libraries: Libraries
    sure: Context | None = None
    ran: frozenset[tuple[StepKey, bool]] = frozenset()

    @property
    def room(self) -> int:
        """Bytes that are left for segments."""
        return self.capacity - self.context


class Share(Struct, frozen=True):
    """How samples fall to GPUs: a process splits `total` over `replicas` GPUs, the fullest with `batch`."""

    batch: int
    total: int
    replicas: int = 1
    processes: int = 1
    pool: int = 0

    @property
    def samples(self) -> Samples:
        """The tape's variables on the fullest GPU."""
        return Samples(self.batch, self.total, self.pool)

    def at(self, batch: int) -> Share:
        """Return the same with `batch` samples on every GPU."""
        return replace(self, batch=batch, total=batch * self.replicas)


def card_of(spec: TrainSpec, gpu: Gpu, contexts: Mapping[str, float], *, expandable: bool = False) -> Card:
    """Return the card for a spec; `contexts` are MiB by GPU name, measured by the user, and replace ours.

    `expandable`: the user's allocator has expandable segments.
    """
    context = round(contexts[gpu.name] * MIB) if gpu.name in contexts else gpu.context
    benchmark = spec.get("cudnn_benchmark", BENCHMARKS)
    used = libraries(gpu.compute_capability, benchmark=bool(benchmark), expandable=expandable)
    return Card(gpu.memory, context, gpu.compute_capability, used)


def card_on(spec: TrainSpec, target: Target, settings: Settings) -> Card:
    """Return the card that a placed spec trains on; CannotTraceError where none of the target's is."""
    if target.gpu is None or target.gpu_count < 1:
        raise CannotTraceError(f'the target "{target.name}" has no GPU')
    if spec.get("gpus") == 0:
        raise CannotTraceError("it trains on the CPU, where no GPU's memory is needed")
    if target.gpu.vendor != NVIDIA:
        reason = f"the {target.gpu.title} ({target.gpu.vendor}) is not modelled"
        raise CannotTraceError(f"{reason}: its allocator and kernels are not known")
    own = own_card(settings, target.gpu)
    sure = context_on(target, target.gpu, settings.context, own.contexts)
    card = card_of(spec, target.gpu, settings.context, expandable=settings.expandable_segments)
    return replace(card, context=sure.size, sure=sure, ran=frozenset(own.ran.items()))


def measured_step(step: Step, share: Share, *, benchmark: bool) -> StepKey:
    """Return what names a step among those that the user measured."""
    return key_of(step), share.batch, share.total, share.pool, benchmark


def share_of(spec: TrainSpec) -> Share:
    """Return the share of a placed spec; CannotTraceError where the batch is unknown."""
    batch = spec.get("batch.per_replica")
    total = spec.get("batch.per_process", batch)
    if batch is None or total is None:
        named = (spec.get("options") or {}).get("opt")
        raise CannotTraceError(
            f'what is trained is in "{named}": lint that file (trainlint {quote(str(named))})'
            if named
            else "the batch size is not known"
        )
    if batch < 1:
        raise CannotTraceError(f"a batch of {batch} trains nothing")
    parallel = spec.get("parallel", "none")
    return Share(
        batch=batch,
        total=total,
        replicas=ceil(total / batch) if parallel == "dp" else 1,
        processes=max(1, spec.get("gpus", 1)) if parallel == "ddp" else 1,
        pool=spec.get("data.pool_size", 0) or 0,
    )


def emulated(spec: TrainSpec, gpu: Gpu | None) -> tuple[Uncounted, ...]:
    """Return the term of a step in bfloat16 on a GPU that has no units for it; () for any other."""
    asked = spec.get("precision") == "bf16"
    return (EMULATED_BFLOAT16,) if asked and gpu is not None and not gpu.bf16_native else ()
