# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""timm's training steps: train.py with its prefetching loader, and benchmark.py on one fixed batch.

Source: huggingface/pytorch-image-models 1.0.9: train.py, benchmark.py, timm/data/loader.py (PrefetchLoader).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import constructed, fitting
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint.trace.torch_private import foreach_lerp_
from trainlint_zoo.common.attention import timm_attention
from trainlint_zoo.common.fetching import check_fetches_nothing
from trainlint_zoo.timm.recipes.lists import in_one_piece
from trainlint_zoo.timm.recipes.old_torch import OldTorch
from trainlint_zoo.timm.recipes.options import assigned, loss_of, optimizer_of

RECIPES = {"timm.train": "Train", "timm.benchmark": "Benchmark"}

LOADER_STREAM = 1
"""The stream on which PrefetchLoader copies and normalizes the next batch: an allocator pool of its own."""


class Train:
    """train.py: forward and loss under autocast, backward, step, zero_grad; the loader is one batch ahead.

    Read from the step: networks.generator.{arch,args}; crop.lq, the side of the input (the network's own
    where it is absent), and crop.lq_width of one that is no square; channels; losses; optimizers; precision;
    ema; accumulate; gradient_clip; checkpointing; prefetch.mode; options.{model_kwargs, opt_kwargs,
    clip_mode, splits, split_bn, mixup, model_dtype, fused_attention (false: timm writes its attention out),
    old_torch (the last version whose GELU and softmax keep the same: 1.9, 1.10)}.

    SyncBatchNorm keeps what BatchNorm does; random erasing and --save-images take memory while no activation
    is alive. A batch of `splits` views is that many times as large.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.precision = step.get("precision", "fp32")
        self.channels = int(step.get("channels", 3))
        self.accumulate = int(step.get("accumulate", 1))
        self.arch = str(step.get("networks.generator.arch"))
        self.net = self._network()
        self.height = int(step.get("crop.lq") or _own_side(self.net))
        self.width = int(step.get("crop.lq_width") or self.height)
        self.splits = int(self.options.get("splits") or 1)
        self.dtype = getattr(torch, str(self.options.get("model_dtype") or "float32"))
        self._convert()
        if step.get("channels_last"):
            self.net.to(memory_format=torch.channels_last)
        stage.register("generator", self.net, arch=self.arch)
        self.average = copy.deepcopy(self.net).eval() if step.get("ema") else None
        if self.average is not None:
            stage.register("generator (EMA)", self.average, kind="ema")
        self.model = stage.replicate("generator", self.net)
        self.loss_fn = loss_of(step)
        self.optimizer = optimizer_of(stage, self.net, step)
        self.scaler = stage.scaler(enabled=self.precision == "fp16")
        self.ahead: tuple[Tensor, Tensor] | None = None

    def _network(self) -> Any:
        timm = library("timm", "timm is not installed: pip install 'trainlint[networks]'")
        if not timm.is_model(self.arch):
            raise CannotTraceError(
                f'unknown network "{self.arch}" (timm {timm.__version__} has none of that name)'
            )
        args = {
            name: value
            for name, value in (self.step.get("networks.generator.args") or {}).items()
            if value is not None
        } | assigned(self.options.get("model_kwargs"))
        check_fetches_nothing(self.arch, args)
        with timm_attention(fused=bool(self.options.get("fused_attention", True))), _Spaces():
            net = constructed(self.arch, timm.create_model, self.arch, pretrained=False, **args)
        return net.to(self.stage.device).train()

    def _convert(self) -> None:
        """Do to the network what train.py does between building it and training it."""
        if self.step.get("checkpointing"):
            with fitting(f"{self.arch} has no gradient checkpointing", "checkpointing"):
                self.net.set_grad_checkpointing(enable=True)
        if self.options.get("split_bn"):
            convert = library("timm.layers", "timm is not installed").convert_splitbn_model
            self.net = convert(self.net, max(self.splits, 2))
        self.net.to(dtype=self.dtype)

    def train_step(self, batch: int) -> None:
        """One update of train_one_epoch; input, target and loss live until they are replaced."""
        old = self.options.get("old_torch")
        with OldTorch(old) if old else nullcontext():
            self._update_once(batch)

    def _update_once(self, batch: int) -> None:
        for number in range(self.accumulate):
            self.images, self.target = self._next(batch)
            with self.stage.phase("generator forward"), self.stage.autocast(self.precision):
                self.loss = self.loss_fn(self._output(), self.target)
                if self.accumulate > 1:
                    self.loss /= self.accumulate
            with self.stage.phase("generator backward"):
                self.scaler.scale(self.loss).backward()
            if number == self.accumulate - 1:
                self._update()

    def _output(self) -> Tensor:
        images = self._laid_out()
        with fitting(f"{self.arch} does not take this input", "crop.lq", self.net, [images]):
            output: Tensor = self.model(images)
        return output

    def _laid_out(self) -> Tensor:
        """Return the images as train.py gives them to the network; the loader keeps its own copy."""
        if not self.step.get("channels_last"):
            return self.images
        self.images_last = self.images.contiguous(memory_format=torch.channels_last)
        return self.images_last

    def _update(self) -> None:
        with self.stage.phase("generator optimizer"):
            if self.step.get("gradient_clip"):
                self.scaler.unscale_(self.optimizer)
                self._clip()
            with in_one_piece(self.stage):
                self.scaler.step(self.optimizer)
            self.scaler.update()
        self.optimizer.zero_grad()
        if self.average is not None:
            with self.stage.phase("EMA"):
                theirs, ours = self.average.state_dict().values(), self.net.state_dict().values()
                pairs = [
                    (mean, now) for mean, now in zip(theirs, ours, strict=True) if mean.is_floating_point()
                ]
                foreach_lerp_([mean for mean, _ in pairs], [now for _, now in pairs], 0.1)

    def _clip(self) -> None:
        mode = self.options.get("clip_mode", "norm")
        if mode == "norm":
            self.stage.clip_grad_norm(self.net.parameters(), 1.0)
        elif mode == "value":
            torch.nn.utils.clip_grad_value_(self.net.parameters(), 1.0)
        else:
            agc = library("timm.utils.agc", "timm is not installed")
            agc.adaptive_clip_grad(list(self.net.parameters())[:-2], 0.01)

    def _next(self, batch: int) -> tuple[Tensor, Tensor]:
        """Return a batch; with the prefetcher the one after it is loaded first."""
        if self.step.get("prefetch.mode") != "prefetcher":
            return self._load(batch, 0)
        ready = self.ahead or self._load(batch, LOADER_STREAM)
        self.ahead = self._load(batch, LOADER_STREAM)
        return ready

    def _load(self, batch: int, stream: int) -> tuple[Tensor, Tensor]:
        """Copy a batch of bytes and normalize it, as PrefetchLoader does on its own stream."""
        batch *= self.splits
        shape = (batch, self.channels, self.height, self.width)
        mixed = bool(self.options.get("mixup"))
        target = self._target(batch, stream, soft=mixed)
        if not stream:
            images = self.stage.input(*shape, dtype=self.dtype)
            if mixed:  # timm.data.Mixup mixes a batch with its own reverse
                images.mul_(0.5).add_(images.flip(0).mul_(0.5))
            return images, target
        with self.stage.label("inputs", stream=stream):
            return self.stage.input(*shape, dtype=torch.uint8, stream=stream).to(self.dtype), target

    def _target(self, batch: int, stream: int, *, soft: bool) -> Tensor:
        """Return class numbers, or a weight for every class where images are mixed."""
        if not soft:
            return self.stage.input(batch, dtype=torch.int64, stream=stream)
        return self.stage.input(batch, int(self.net.num_classes), dtype=torch.float32, stream=stream)

    def validate(self, height: int, width: int) -> None:
        """Classify one image without gradients."""
        self.net.eval()
        with torch.no_grad(), self.stage.autocast(self.precision):
            self.net(self.stage.input(1, self.channels, height, width, dtype=self.dtype))
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return what CheckpointSaver writes."""
        state = {
            "epoch": 0,
            "arch": self.arch,
            "state_dict": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "version": 2,
        }
        return {"checkpoint-N.pth.tar": state}


def _own_side(net: Any) -> int:
    """Return the side of the images that train.py takes where no option names one."""
    cfg = getattr(net, "pretrained_cfg", None) or net.default_cfg
    return int((cfg.get("input_size") or (3, 224, 224))[-1])


class Benchmark(Train):
    """benchmark.py: one batch, no loader; forward, loss and backward under autocast, no scaler.

    `options.zeroed_gradients`: zero_grad keeps the gradients (torch before 2.0).
    """

    def _laid_out(self) -> Tensor:
        """Return the images, which are made in the layout that the network wants."""
        return self.images

    def _update_once(self, batch: int) -> None:
        """One timed step."""
        if not hasattr(self, "images"):
            self.images = self.stage.input(batch, self.channels, self.height, self.width)
        self.optimizer.zero_grad(set_to_none=not self.options.get("zeroed_gradients"))
        with self.stage.autocast(self.precision):
            with self.stage.phase("generator forward"):
                output = self._output()
            target = self.stage.input(batch, dtype=torch.int64)
            with self.stage.phase("generator backward"):
                F.cross_entropy(output, target).backward()
        with self.stage.phase("generator optimizer"), in_one_piece(self.stage):
            self.optimizer.step()


class _Spaces(TorchFunctionMode):
    """Keeps linspace on the host: older versions of timm read the drop-path rates from its values."""

    def __torch_function__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer one call of torch."""
        if func is torch.linspace:
            return func(*args, **{**(kwargs or {}), "device": "cpu"})
        return func(*args, **(kwargs or {}))
