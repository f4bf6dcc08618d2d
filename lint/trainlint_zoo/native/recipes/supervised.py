# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step of trainlint's own dialect: forward, losses, backward, optimizer; AMP, accumulation, EMA.

The loop is PyTorch's usual one; inputs, outputs and losses live until the next step replaces them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.building.refusal import constructed, fitting
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.common.attention import timm_attention, torch_attention
from trainlint_zoo.common.fetching import harmless
from trainlint_zoo.common.layout import in_format
from trainlint_zoo.common.updates import update
from trainlint_zoo.native.outputs import criteria_of, outputs_of

RECIPES = {"trainlint": "Supervised"}

LIBRARIES = {"timm": ("timm", "create_model"), "torchvision": ("torchvision.models", "get_model")}
"""Prefix of a model's name -> the module and function that build any of its models."""
MISFIT, INPUT = "does not take this input", "options.input"
"""What is said of a network whose forward fails, and the field that holds its input."""
CHECKPOINTING_SWITCHES = ("set_grad_checkpointing", "gradient_checkpointing_enable")
"""Methods that turn gradient checkpointing on: timm's and transformers'."""


class Supervised:
    """One network, a loss of each of its outputs, one optimizer.

    Read from the step: the network, options {input, target, validation_batch,
    fused_attention (false: attention keeps its whole matrix)}, losses, optimizers, ema,
    precision, accumulate, gradient_clip, channels_last, checkpointing.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.precision = str(step.get("precision", "fp32"))
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.fused = is_fused(step)
        self.inputs = shapes(self.options.get("input"))
        self.net, arch = built(step)
        if step.get("channels_last"):
            in_format(self.net, torch.channels_last)
        if step.get("checkpointing"):
            checkpointed(self.net, arch)
        self.arch = arch
        self.criteria = criteria_of(list(step.get("losses") or ()))
        stage.register("generator", self.net, arch=arch)
        self.targets = self._targets(arch)
        self.model = stage.replicate("generator", self.net)
        self.ema = None
        if float(step.get("ema") or 0) > 0:
            self.ema = copy.deepcopy(self.net).eval().requires_grad_(requires_grad=False)
            stage.register("generator (EMA)", self.ema, arch=arch, kind="ema")
        self.optimizer = self._optimizer()
        self.scaler = stage.scaler(enabled=self.precision == "fp16")

    def _targets(self, arch: str) -> tuple[tuple[int, ...], ...]:
        """Return the shape of each loss's target: the written one, or what suits the network's output."""
        if self.options.get("target"):
            written = shapes(self.options["target"])
            if len(written) != len(self.criteria):
                raise CannotTraceError(
                    f'"target" has {len(written)} shapes and "loss" {len(self.criteria)}: give one for each'
                )
            return written
        watching = self.stage.ledger.owners.watching()
        images = [torch.empty(2, *shape, device=self.stage.device) for shape in self.inputs]
        misfit = fitting(f"{arch} {MISFIT}", INPUT, self.net, images)
        autocast = self.stage.autocast(self.precision)
        with torch.no_grad(), autocast, watching, misfit, self.stage.aside():
            returned = self.net(*images)
        outputs = outputs_of(returned, len(self.criteria), arch)
        return tuple(
            tuple(output.shape[2 if criterion is F.cross_entropy else 1 :])
            for output, criterion in zip(outputs, self.criteria, strict=True)
        )

    def _optimizer(self) -> torch.optim.Optimizer:
        entry = next(iter(self.step.get("optimizers") or ()), {"type": "AdamW"})
        options = {name: value for name, value in entry.items() if name not in {"role", "type", "lr"}}
        trained = [parameter for parameter in self.net.parameters() if parameter.requires_grad]
        return self.stage.optimizer("generator", trained, str(entry["type"]), lr=1e-4, **options)

    def train_step(self, batch: int) -> None:
        """One optimizer step: `accumulate` micro-batches, clipping, step, EMA."""
        self.optimizer.zero_grad()
        with torch_attention(fused=self.fused):
            for _ in range(int(self.step.get("accumulate", 1))):
                self._micro_batch(batch)
        clips = bool(self.step.get("gradient_clip"))
        update(self.stage, self.scaler, self.optimizer, self.net.parameters(), clips=clips)
        self._follow()

    def _micro_batch(self, batch: int) -> None:
        self.images = [self.stage.input(batch, *shape) for shape in self.inputs]
        if self.step.get("channels_last"):
            self.images = [image.contiguous(memory_format=torch.channels_last) for image in self.images]
        self.truths = [
            self.stage.input(
                batch, *shape, dtype=torch.int64 if criterion is F.cross_entropy else torch.float32
            )
            for shape, criterion in zip(self.targets, self.criteria, strict=True)
            if criterion is not None
        ]
        with self.stage.autocast(self.precision):
            misfit = fitting(f"{self.arch} {MISFIT}", INPUT, self.net, self.images)
            with self.stage.phase("generator forward"), misfit:
                self.returned = self.model(*self.images)
            with self.stage.phase("loss"), fitting("the loss does not take this target", "options.target"):
                self.loss = self._loss()
        with self.stage.phase("generator backward"):
            self.scaler.scale(self.loss).backward()  # type: ignore[no-untyped-call, unused-ignore]  # untyped in some versions of torch

    def _loss(self) -> Tensor:
        """Return the sum of the outputs' losses; what a network returns as its loss is that."""
        outputs = outputs_of(self.returned, len(self.criteria), self.arch)
        if len(outputs) == 1 and not outputs[0].ndim:
            return outputs[0]
        asked = [
            (output, criterion)
            for output, criterion in zip(outputs, self.criteria, strict=True)
            if criterion is not None
        ]
        if not asked:
            raise CannotTraceError('no output has a loss: "loss" names none alone')
        pairs = zip(asked, self.truths, strict=True)
        losses = [criterion(output, truth) for (output, criterion), truth in pairs]
        total = losses[0]
        for loss in losses[1:]:
            total = total + loss
        return total

    def _follow(self) -> None:
        if self.ema is None:
            return
        with self.stage.phase("EMA"), torch.no_grad():
            for average, now in zip(self.ema.parameters(), self.net.parameters(), strict=True):
                average.mul_(0.999).add_(now, alpha=0.001)

    def validate(self, height: int, width: int) -> None:
        """Run the network (its EMA copy if there is one) on a batch of that size, under autocast."""
        net = self.ema if self.ema is not None else self.net.eval()
        batch = int(self.options.get("validation_batch") or 1)
        attention = torch_attention(fused=self.fused)
        with torch.no_grad(), self.stage.autocast(self.precision), attention:
            net(*(self.stage.input(batch, *shape[:-2], height, width) for shape in self.inputs))
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return weights, optimizer state and EMA copy in one file."""
        state = {"model": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}
        if self.ema is not None:
            state["ema"] = self.ema.state_dict()
        return {"checkpoint_N.pt": state}


def shapes(written: Any) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of one sample's inputs; CannotTraceError where none is written."""
    if not isinstance(written, list | tuple) or not written:
        raise CannotTraceError('no shape: expected "input: [channels, height, width]"')
    several = isinstance(written[0], list | tuple)
    return tuple(tuple(shape) for shape in (written if several else [written]))


def built(step: Mapping[str, Any]) -> tuple[nn.Module, str]:
    """Build the step's network: timm/NAME and torchvision/NAME by their library, any other by its name."""
    arch = str(step.get("networks.generator.arch"))
    package, _, name = arch.partition("/")
    if package not in LIBRARIES or not name:
        return network(step, "generator")
    module, function = LIBRARIES[package]
    create = getattr(
        library(module, f'"{arch}" needs {package}: pip install "trainlint[networks]"'), function
    )
    args = harmless(package, name, step.get("networks.generator.args") or {})
    with timm_attention(fused=is_fused(step)) if package == "timm" else nullcontext():
        net = constructed(arch, create, name, **args)
    return net.train(), arch


def is_fused(step: Mapping[str, Any]) -> bool:
    """Return whether attention runs in one kernel, where the card has one for it."""
    return bool((step.get("options") or {}).get("fused_attention", True))


def checkpointed(net: nn.Module, arch: str) -> None:
    """Switch gradient checkpointing on; CannotTraceError for a network without a switch."""
    for name in CHECKPOINTING_SWITCHES:
        if hasattr(net, name):
            getattr(net, name)()
            return
    raise CannotTraceError(
        f"{arch} has no switch for gradient checkpointing ({' or '.join(CHECKPOINTING_SWITCHES)})"
    )
