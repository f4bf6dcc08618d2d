# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The stage on which a recipe plays its trainer's step: what a recipe may ask of the tracer.

How to write a recipe (lint/trainlint_zoo/<trainer>/recipes/<name>.py)::

    RECIPES = {"basicsr.SRModel": "SRModel"}          # literal: recipe name -> class in this file

    class SRModel:
        def __init__(self, step, stage):              # runs under torch.device("meta"), nothing is recorded
            self.stage = stage
            net = ...                                 # plain torch; weight initialization is skipped
            stage.register("generator", net, arch="RRDBNet")
            self.net_g = stage.replicate("generator", net)       # the module itself on one GPU
            self.ema = stage.register("generator", copy.deepcopy(net), kind="ema")
            self.vgg = stage.register("perceptual", VGG19(), arch="VGG19", kind="losses")
            self.optimizer = stage.optimizer("generator", net.parameters(), "Adam", lr=1e-4)

        def train_step(self, batch):                  # batch: samples this process takes in one step
            self.lq = self.stage.input(batch, 3, 64, 64)         # attributes live on, as in the trainer
            ...
            with self.stage.phase("generator forward"):
                self.output = self.net_g(self.lq)
            ...

        def validate(self, height, width):            # one image of that size (network's input), no_grad
        def checkpoint(self):                         # {file name: what the trainer gives to torch.save}

Rules of the stage:

* `register` every module whose tensors live on the GPU, in the order in which the trainer moves them there.
  A tensor made in `__init__` and not registered is not counted.
* Make inputs with `input`, the training pool with `pool`; every other tensor is made by the step itself.
* Whatever the trainer keeps alive (self.output, a loss, a local name) must be kept alive here, and no longer.
* Build optimizers with `optimizer` (or wrap your own with `adopt_optimizer`): CUDA's foreach default is
  forced, their state and temporaries are labelled.
* `backward` is plain `loss.backward()`; gradients are recognised at every optimizer step.
* `torch.utils.checkpoint` may be used; so may `torch.autocast("cuda", ...)`, which is imitated while tracing.
* Values do not exist on meta: `.item()` gives 0, `bool()` gives True, each with a note on the tape. Where 1
  and False would give another tape, there is none.
* In `checkpoint`, `.cpu()` what the trainer moves to the host first: the file names each tensor's device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.tape import Network
from trainlint.trace import optimizers
from trainlint.trace.cuda import recurrent
from trainlint.trace.parallel import modes
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}


class Recipe(Protocol):
    """What `trace` drives; see the module's docstring."""

    def train_step(self, batch: int) -> None:
        """Run one whole training step on `batch` samples."""

    def validate(self, height: int, width: int) -> None:
        """Run the trainer's validation on one image of the network's input size."""

    def checkpoint(self) -> dict[str, Any]:
        """Return what the trainer saves: file name -> the object given to torch.save."""


class Stage:
    """One trace's surroundings: the ledger, the parallel mode, the pool's size.

    `device` is where a recipe makes tensors, `pool_size` the samples in the training pool of this trace.
    """

    device = torch.device("meta")

    def __init__(self, ledger: StorageLedger, layout: modes.Layout, pool_size: int = 0) -> None:
        self.ledger = ledger
        self.layout = layout
        self.networks: list[Network] = []
        self.uses_pool = False
        self._pool_size = pool_size
        self._phases: list[str] = []
        self._modules: list[nn.Module] = []

    @property
    def pool_size(self) -> int:
        """Samples in the training pool; reading it makes the pool a variable of the tape."""
        self.uses_pool = True
        return self._pool_size

    def register(
        self, role: str, module: nn.Module, *, arch: str = "", kind: str = "parameters"
    ) -> nn.Module:
        """Put a module's parameters and buffers on the GPU, in order; returns the module.

        `kind` is "parameters" for what is trained (buffers are then labelled "buffers"), "ema" for a copy
        that follows, "losses" for frozen networks. All but "ema" are listed in the tape's networks.
        """
        self.ledger.owners.name(role, module)
        for name, parameter in module.named_parameters():
            self.ledger.adopt(parameter, kind, f"{role}:{name}")
        buffers = "buffers" if kind == "parameters" else kind
        for name, buffer in module.named_buffers():
            self.ledger.adopt(buffer, buffers, f"{role}:{name}")
        if any(isinstance(child, nn.RNNBase) for child in module.modules()):
            self.note(recurrent.RESERVE_NOTE)
        if kind == "parameters":
            self._modules.append(module)
        if kind != "ema":
            self.networks.append(_network(role, arch, module))
        return module

    def parameters(self) -> Iterator[nn.Parameter]:
        """Return the parameters of all registered networks that are trained."""
        for module in self._modules:
            yield from module.parameters()

    def replicate(self, role: str, module: nn.Module) -> Any:
        """Wrap a registered module as the trainer's parallel mode does; call the result like the module.

        none: the module itself. dp: torch's DataParallel on two virtual GPUs. ddp: DistributedDataParallel's
        gradient buckets and buffer broadcasts. The module keeps its own parameters and state_dict.
        """
        return modes.replicate(self.ledger, self.layout, role, module)

    def optimizer(self, role: str, params: Iterable[Any], kind: str, **options: Any) -> torch.optim.Optimizer:
        """Build torch.optim's optimizer of class `kind` ("Adam", "AdamW", "SGD" ...) as on CUDA.

        foreach is used unless `options` say foreach=False (a loop) or fused=True (no temporaries).
        """
        return optimizers.build(self.ledger, role, params, kind, options)

    def adopt_optimizer(self, role: str, optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
        """Label the state, temporaries and gradients of an optimizer that the recipe built itself."""
        return optimizers.adopt(self.ledger, role, optimizer)

    def clip_grad_norm(self, params: Iterable[Tensor], max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Do torch.nn.utils.clip_grad_norm_'s work as CUDA does it (multi-tensor)."""
        return nn.utils.clip_grad_norm_(params, max_norm, norm_type, foreach=True)

    def scaler(self, *, enabled: bool = True) -> torch.amp.GradScaler:
        """Return torch.amp.GradScaler("cuda"): it works on meta, and every step counts as finite."""
        return torch.amp.GradScaler("cuda", enabled=enabled)

    def input(
        self, *shape: int, dtype: torch.dtype = torch.float32, stream: int = 0, kind: str = "inputs"
    ) -> Tensor:
        """Return a fresh tensor as the loader delivers it; `stream` > 0: another allocator pool."""
        with self.label(kind, stream=stream):
            return torch.empty(shape, dtype=dtype, device=self.device)

    def pool(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Return the training pool: `pool_size` samples of this shape (Real-ESRGAN's queue)."""
        with self.label("queue"):
            return torch.empty((self.pool_size, *shape), dtype=dtype, device=self.device)

    def aside(self) -> AbstractContextManager[Any]:
        """Run operators that no tape should hold, a network's once for the shape of its output."""
        probe = StorageLedger()
        probe.owners, probe.values = self.ledger.owners, self.ledger.values
        return Recorder(probe)

    def mark(self, name: str) -> None:
        """Name this moment; the tape's peak is named by the last mark before it."""
        self.ledger.mark(name)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name a stretch of the step ("generator forward"); a phase around it goes on afterwards."""
        self._phases.append(name)
        self.mark(name)
        try:
            yield
        finally:
            self._phases.pop()
            if self._phases:
                self.mark(self._phases[-1])

    def label(self, kind: str, *, owner: str = "", stream: int = 0) -> AbstractContextManager[None]:
        """Label every storage born inside: its kind, its owner (else the module's) and its stream."""
        return self.ledger.label(kind, owner=owner, stream=stream)

    def autocast(self, precision: str, *, enabled: bool = True) -> AbstractContextManager[Any]:
        """Imitate torch.autocast("cuda") in "fp16" or "bf16"; "fp32" does nothing."""
        if not enabled or precision in ("fp32", "tf32"):
            return nullcontext()
        if precision not in DTYPES:
            raise CannotTraceError(f'unknown precision "{precision}", expected fp32, fp16 or bf16')
        return torch.autocast("cuda", dtype=DTYPES[precision])

    def note(self, text: str) -> None:
        """Leave a remark on the tape (what was simplified); said once however often it is called."""
        self.ledger.note(text)


def _network(role: str, arch: str, module: nn.Module) -> Network:
    counts = [(p.numel(), p.requires_grad) for p in module.parameters()]
    return Network(role, arch, sum(n for n, _ in counts), sum(n for n, grad in counts if grad))
