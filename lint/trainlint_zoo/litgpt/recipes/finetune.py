# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""litgpt's finetune_lora and finetune_full on one GPU, for a batch padded to `sequence.length` tokens.

Read: Lightning-AI/litgpt 0.5.13, litgpt/finetune/lora.py and full.py (fit), litgpt/utils.py
(chunked_cross_entropy, instantiate_bnb_optimizer), and Lightning 2.6, fabric/plugins/precision/half.py and
bitsandbytes.py.
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
from trainlint_zoo.blocks.four_bit import parameters_of, quantised
from trainlint_zoo.common.language import (
    DTYPES,
    ROLE,
    check_quantisation,
    config_of,
    default_dtype,
    length_of,
    optimizer_of,
)
from trainlint_zoo.litgpt.recipes.decoder import Decoder, adapter_of
from trainlint_zoo.litgpt.recipes.shape import shape_of

RECIPES = {"litgpt.finetune": "Finetune"}

CHUNK: Final = 128
"""Tokens whose logits, or whose loss alone, are computed at a time."""
IGNORED: Final = -100
"""The target of a token that no loss is taken of."""


class Finetune:
    """Forward and chunked loss of every micro-batch, backward, step; both results live until the next ones.

    Read from the step: model.config; adapter.{kind,rank,dropout,targets}, the last in litgpt's words (query,
    key, value, projection, mlp, head); quant.{kind,double,keeps_inputs}; weights.dtype; precision, of
    autocast; sequence.length; accumulate; optimizers; gradient_clip.

    Fabric gives the logits back in fp32. With bitsandbytes the embedding is replaced by one that wants a
    gradient, which nobody takes a step with or empties.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.length = length_of(step)
        self.precision = str(step.get("precision", "fp32"))
        self.dtype = DTYPES[str(step.get("weights.dtype", "fp32"))]
        self.accumulate = int(step.get("accumulate", 1))
        self.quantised = step.get("quant.bits") is not None
        self._check()
        shape = shape_of(config_of(step))
        places = frozenset(step.get("adapter.targets") or ())
        with default_dtype(self.dtype):
            self.net = Decoder(shape, self._linear, adapter_of(step, places))
            own = self.length == shape.positions and not self.quantised
            self.net.angles(self.length, self.dtype if own else torch.float32)
            self.net.requires_grad_(requires_grad=not self._adapts())
            if self._adapts():
                _thaw_adapters(self.net)
            if self.quantised:
                self.net.wte = StableEmbedding(shape.vocabulary, shape.width)
        stage.register(ROLE, self.net, arch=str(step["model.config"]["model_type"]))
        trainable = sum(parameter.numel() for parameter in self._trained())
        stage.networks[-1] = replace(
            stage.networks[-1], parameters=parameters_of(self.net), trainable=trainable
        )
        self.model = stage.replicate(ROLE, self.net)
        kind = "PagedAdamW" if self.quantised else ""
        self.optimizer = optimizer_of(stage, self._trained(), step, kind)

    def _adapts(self) -> bool:
        return str(self.step.get("adapter.kind", "none")) != "none"

    def _check(self) -> None:
        """Refuse what is not this step."""
        kind = str(self.step.get("adapter.kind", "none"))
        if kind not in {"none", "lora"}:
            raise CannotTraceError(f'litgpt\'s "{kind}" is not traced: lora and full are')
        check_quantisation(self.step)

    def _linear(self, inputs: int, outputs: int, bias: bool) -> nn.Module:
        linear = nn.Linear(inputs, outputs, bias=bias)
        if not self.quantised:
            return linear
        keeps = bool(self.step.get("quant.keeps_inputs"))
        return quantised(linear, double=bool(self.step.get("quant.double")), keeps_inputs=keeps)

    def _trained(self) -> Iterator[nn.Parameter]:
        """Yield what the optimizer was given: before the embedding was replaced."""
        for name, parameter in self.net.named_parameters():
            if parameter.requires_grad and not (self.quantised and name.startswith("wte.")):
                yield parameter

    def train_step(self, batch: int) -> None:
        """One update of fit()."""
        for _ in range(self.accumulate):
            self.tokens = self.stage.input(batch, self.length, dtype=torch.int64)
            self.targets = self.stage.input(batch, self.length, dtype=torch.int64)
            with self.stage.phase("model forward"):
                self.logits = self._forward(CHUNK if self._adapts() else self.length)
            with self.stage.phase("loss"):
                self.loss = self._loss()
            with self.stage.phase("model backward"):
                (self.loss / self.accumulate).backward()
        with self.stage.phase("optimizer step"):
            if self.step.get("gradient_clip"):
                self.stage.clip_grad_norm(self._trained(), 1.0)
            self.optimizer.step()
        self.optimizer.zero_grad()

    def _forward(self, chunk: int) -> list[Tensor]:
        with default_dtype(self.dtype), self.stage.autocast(self.precision):
            logits = self.model(self.tokens, chunk)
        return [stretch.to(torch.float32) for stretch in logits]

    def _loss(self) -> Tensor:
        """Return the loss in pieces: those of the logits, or where these are whole, of the loss alone."""
        targets = self.targets[..., 1:]
        if self._adapts():
            self.logits[-1] = self.logits[-1][..., :-1, :]
            pairs = zip(self.logits, targets.split(self.logits[0].shape[1], dim=1), strict=False)
            return _mean([(own.reshape(-1, own.shape[-1]), part.reshape(-1)) for own, part in pairs], targets)
        whole = self.logits[0][..., :-1, :]
        logits, flat = whole.reshape(-1, whole.shape[-1]), targets.reshape(-1)
        return _mean(list(zip(logits.split(CHUNK), flat.split(CHUNK), strict=True)), targets)

    def validate(self, height: int, width: int) -> None:
        """Evaluate one sample of so many tokens: logits and loss in one piece."""
        del height
        self.tokens = self.stage.input(1, width, dtype=torch.int64)
        with torch.no_grad():
            (logits,) = self._forward(width)
            logits = logits[..., :-1, :].reshape(-1, logits.shape[-1])
            F.cross_entropy(logits, self.stage.input(width - 1, dtype=torch.int64))

    def checkpoint(self) -> dict[str, Any]:
        """lit_model.pth: the adapters alone, or all weights."""
        if not self._adapts():
            return {"lit_model.pth": {"model": self.net.state_dict()}}
        adapters = {name: value.cpu() for name, value in self.net.state_dict().items() if "lora_" in name}
        return {"lit_model.pth.lora": {"model": adapters}}


class StableEmbedding(nn.Embedding):
    """An embedding with a norm after it, as bitsandbytes has it."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__(vocabulary, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Look up and normalise."""
        normed: Tensor = self.norm(super().forward(tokens).to(torch.get_default_dtype()))
        return normed.to(self.weight.dtype)


def _mean(pieces: list[tuple[Tensor, Tensor]], targets: Tensor) -> Tensor:
    """Return the mean cross entropy of the tokens that count."""
    losses = [F.cross_entropy(logits, target, reduction="none") for logits, target in pieces]
    counted = (targets != IGNORED).sum()
    return torch.cat(losses).sum() / counted.maximum(torch.ones_like(counted))


def _thaw_adapters(net: nn.Module) -> None:
    for name, parameter in net.named_parameters():
        if "lora_" in name:
            parameter.requires_grad = True
