# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torchtune's full_finetune_single_device and lora_finetune_single_device.

Read: pytorch/torchtune bd2a0fc7 (BSD-3-Clause),
recipes/full_finetune_single_device.py and lora_finetune_single_device.py
(_setup_model, _loss_step, train), modules/loss/{cross_entropy_loss,ce_chunked_output_loss}.py,
modules/optim.py, data/_collate.py (padded_collate_packed), training/_compile.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.common.language import DTYPES, ROLE, config_of, default_dtype, length_of, optimizer_of
from trainlint_zoo.common.updates import update_in_backward
from trainlint_zoo.torchtune.recipes.rotary_decoder import LowRank, RotaryDecoder, sizes_of

RECIPES = {"torchtune.single_device": "SingleDevice"}

PIECES: Final = 8
"""Stretches of tokens that a loss is taken of, one after the other."""


class SingleDevice:
    """Forward and loss of every micro-batch, backward, step; all in one precision, without autocast.

    Read from the step: model.config; adapter.{kind,rank,dropout,targets}, the last in torchtune's words
    (q_proj, k_proj, v_proj, output_proj, mlp, output); weights.dtype; sequence.{length,packing};
    checkpointing; loss.kernel (linear: logits of one piece of the hidden states after the other; chunked: all
    logits, their fp32 copies in pieces; fp32: all in fp32); accumulate; optimizers; gradient_clip;
    options.{in_backward,compiled_loss}.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.length = length_of(step)
        self.dtype = DTYPES[str(step.get("weights.dtype", "fp32"))]
        self.accumulate = int(step.get("accumulate", 1))
        self.kernel = str(step.get("loss.kernel", "fp32"))
        self.packed = bool(step.get("sequence.packing"))
        options = step.get("options") or {}
        self.in_backward, self.compiled = bool(options.get("in_backward")), bool(options.get("compiled_loss"))
        self.adapts = str(step.get("adapter.kind", "none")) != "none"
        self._check()
        places = frozenset(step.get("adapter.targets") or ()) if self.adapts else frozenset()
        adapter = LowRank(int(step.get("adapter.rank") or 0), bool(step.get("adapter.dropout")), places)
        config = config_of(step)
        positions = int(config.get("max_position_embeddings") or self.length)
        with default_dtype(self.dtype):
            self.net = RotaryDecoder(
                sizes_of(config), adapter, positions, checkpoints=bool(step.get("checkpointing"))
            )
        if self.adapts:
            for name, parameter in self.net.named_parameters():
                parameter.requires_grad = "lora_" in name
        stage.register(ROLE, self.net, arch=str(config["model_type"]))
        whole = sum(p.numel() for name, p in self.net.named_parameters() if "lora_" not in name)
        stage.networks[-1] = replace(stage.networks[-1], parameters=whole)
        self.optimizers = self._optimizers()

    def _check(self) -> None:
        """Refuse what is not this step."""
        if str(self.step.get("adapter.kind", "none")) not in {"none", "lora"}:
            raise CannotTraceError("of torchtune's adapters, LoRA alone is traced")
        if self.step.get("quant.kind") is not None:
            raise CannotTraceError(
                "what torchao's NF4 weights take in a step has not been compared with a measurement"
            )
        if self.kernel not in {"linear", "chunked", "fp32"}:
            raise CannotTraceError(f'the loss "{self.kernel}" is not traced')

    def _optimizers(self) -> list[torch.optim.Optimizer]:
        """Build one for all that is trained, or one a parameter, which steps once its gradient is there."""
        trained = list(self._trained())
        if not self.in_backward:
            return [optimizer_of(self.stage, trained, self.step)]
        update_in_backward(trained, lambda weights: optimizer_of(self.stage, weights, self.step))
        return []

    def _trained(self) -> Iterator[nn.Parameter]:
        for parameter in self.net.parameters():
            if parameter.requires_grad:
                yield parameter

    def train_step(self, batch: int) -> None:
        """One update of train()."""
        for _ in range(self.accumulate):
            self.batch = {
                name: self.stage.input(batch, self.length, dtype=torch.int64)
                for name in ("tokens", *(("positions", "documents") if self.packed else ()))
            }
            labels = self.stage.input(batch, self.length, dtype=torch.int64)
            with self.stage.phase("model forward"):
                hidden = self.net(self.batch["tokens"], self.batch.get("positions"))
                outputs = self._outputs(hidden)
            del hidden
            with self.stage.phase("loss"):
                loss = self._loss(outputs, labels)
            del outputs
            with self.stage.phase("model backward"):
                (loss * (labels >= 0).sum()).backward()
        with self.stage.phase("optimizer step"):
            for optimizer in self.optimizers:
                for parameter in self._trained():
                    if parameter.grad is not None:
                        parameter.grad.mul_(0.5)
                if self.step.get("gradient_clip"):
                    self.stage.clip_grad_norm(self._trained(), 1.0)
                optimizer.step()
                optimizer.zero_grad()

    def _outputs(self, hidden: Tensor) -> list[Tensor]:
        """Return what the loss gets: hidden states, logits in pieces, or all of them in fp32."""
        if self.kernel == "linear":
            return [hidden]
        if self.kernel == "chunked":
            return [self.net.logits(piece) for piece in hidden.tensor_split(PIECES, dim=1)]
        return [self.net.logits(hidden).float()]

    def _loss(self, outputs: list[Tensor], labels: Tensor) -> Tensor:
        """Return the mean cross entropy, as the loss takes it."""
        width = outputs[0].shape[-1]
        if self.kernel == "fp32":
            return self._sum(outputs[0].reshape(-1, width), labels.reshape(-1)) / labels.numel()
        if self.kernel == "linear":
            counted = torch.empty(labels.numel(), dtype=torch.int64, device=labels.device)
            hidden = outputs[0].reshape(-1, width).index_select(0, counted)
            pieces = hidden.tensor_split(PIECES)
            targets = labels.reshape(-1).index_select(0, counted).tensor_split(PIECES)
        else:
            pieces = tuple(piece.reshape(-1, width) for piece in outputs)
            targets = tuple(piece.reshape(-1) for piece in labels.tensor_split(PIECES, dim=1))
        total = torch.zeros((), device=labels.device)
        for piece, target in zip(pieces, targets, strict=True):
            logits = self.net.logits(piece) if self.kernel == "linear" else piece
            total = total + self._sum(logits, target)
        return total / labels.numel()

    def _sum(self, logits: Tensor, target: Tensor) -> Tensor:
        if self.compiled:
            loss: Tensor = _CompiledLoss.apply(logits)
            return loss
        return F.cross_entropy(logits.float(), target, reduction="sum")

    def validate(self, height: int, width: int) -> None:
        """Evaluate one sample of so many tokens."""
        del height
        tokens, labels = (self.stage.input(1, width, dtype=torch.int64) for _ in range(2))
        with torch.no_grad():
            self._loss(self._outputs(self.net(tokens, None)), labels)

    def checkpoint(self) -> dict[str, Any]:
        """Return what is saved: all weights, and the adapters where there are some."""
        weights = {name: value.cpu() for name, value in self.net.state_dict().items()}
        adapters = {name: value for name, value in weights.items() if "lora_" in name}
        base = {name: value for name, value in weights.items() if name not in adapters}
        return {"model.safetensors": base, **({"adapter_model.safetensors": adapters} if adapters else {})}


class _CompiledLoss(torch.autograd.Function):
    """Cross entropy as Inductor makes it: the fp32 copies are in no memory, and a row has two numbers."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor) -> Tensor:
        largest = logits.amax(-1, keepdim=True).float()
        ctx.save_for_backward(logits, largest, torch.empty_like(largest))
        return largest.sum()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        logits, *_ = ctx.saved_tensors
        gradient: Tensor = logits * grads[0].to(logits.dtype)
        return gradient
