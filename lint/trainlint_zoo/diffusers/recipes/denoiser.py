# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Training a network that denoises latents, whole or by adapters, of the installed diffusers and PEFT.

Read: huggingface/diffusers 0.42, examples/text_to_image, examples/dreambooth (the loop of main);
ostris/ai-toolkit 27a03a9, extensions_built_in/sd_trainer/SDTrainer.py (hook_train_loop);
kohya-ss/sd-scripts 48d368f, train_network.py (process_batch, train); bghira/SimpleTuner bc8e6ab,
helpers/training/trainer.py. What one of them does otherwise is in the step's options: `adapters` (peft,
kohya, ai-toolkit), `autocast`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import fitting
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.quanto import STORED, in_eight_bits
from trainlint_zoo.common.language import DTYPES, ROLE, config_of, default_dtype, optimizer_of
from trainlint_zoo.common.updates import update
from trainlint_zoo.diffusers.recipes.frozen_parts import MISSING, FrozenParts, built
from trainlint_zoo.diffusers.recipes.model_inputs import Sample, inputs_of
from trainlint_zoo.diffusers.recipes.sample_images import SampleImages
from trainlint_zoo.diffusers.recipes.side_adapters import add_side_adapters

RECIPES = {"diffusers.Denoiser": "Denoiser"}

PEFT_MISSING: Final = "peft is not installed: pip install 'trainlint[finetune]'"
EIGHT_BITS: Final = {"fp8": torch.float8_e4m3fn}
"""Kinds of weights that are only converted: a layer converts them back where it is called."""
SIDE_ADAPTER_STYLES: Final = ("kohya", "ai-toolkit")
TEXT_TARGETS: Final = ["q_proj", "k_proj", "v_proj", "out_proj"]
"""Layers of CLIP's text encoders that diffusers' scripts adapt."""


class Denoiser:
    """Encode what is not cached, denoise, compare with the noise, backward, clipped step.

    Read from the step: model.config; adapter.{kind,rank,targets,dropout,dtype}; quant.kind; weights.dtype;
    precision, of autocast; image.{side,height,width}; checkpointing; accumulate; optimizers; gradient_clip;
    ema; latents.cached; text.{embeddings,tokens}; sampling;
    options.{adapters,autocast,caption,vae,vae_dtype,text_dtype,t5_dtype,conv_rank,saves_state}.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.config = config_of(step)
        self.kind = str(step.get("adapter.kind", "none"))
        self.precision = str(step.get("precision", "fp32"))
        self.dtype = DTYPES[str(step.get("weights.dtype", "fp32"))]
        self.height, self.width = _size_of(step)
        self.tokens = int(step.get("text.tokens") or self.config["tokens"])
        self._check()
        self.adapters = nn.ModuleList()
        self.trained_text: list[Any] = []
        self.net = self._network()
        self._register_networks()
        self.trains_text = step.get("text.embeddings") == "trained"
        self.parts = FrozenParts(stage, step, self.dtype, self._prepare_text)
        self.samples = SampleImages(stage, step, self.parts, self.tokens) if "sampling" in step else None
        if len(self.adapters):
            stage.register("adapters", self.adapters, arch="LoRA")
        self.model = self.net if len(self.adapters) else stage.replicate(ROLE, self.net)
        self.ema = self._ema()
        self.optimizer = optimizer_of(stage, self._trained(), step)
        self.scaler = stage.scaler(enabled=self.precision == "fp16" and self._autocast)

    def _register_networks(self) -> None:
        """Put what denoises onto the card; adapters do not count as its parameters."""
        self.stage.register(ROLE, self.net, arch=str(self.config["network"]["class"]))
        listed = self.stage.networks
        listed[-1] = replace(listed[-1], parameters=int(self.config["network"]["parameters"]))

    @property
    def _autocast(self) -> bool:
        return bool(self.options.get("autocast", 1))

    def _check(self) -> None:
        kind = self.step.get("quant.kind")
        if kind is not None and kind not in (*STORED, *EIGHT_BITS):
            raise CannotTraceError(f"what {kind} weights take in a step is not known")
        if self.kind not in {"none", "lora", "dora"} or (
            self.kind == "dora" and self._style in SIDE_ADAPTER_STYLES
        ):
            raise CannotTraceError(f'adapters of the kind "{self.kind}" are not traced: lora is')

    @property
    def _denoises(self) -> Any:
        """The network that gets noise and text."""
        return self.net

    @property
    def _style(self) -> str:
        return str(self.options.get("adapters", "peft"))

    def _network(self) -> Any:
        with fitting("the installed diffusers does not build this model", "model.config"):
            net = built(self.config["network"])
        net.to(self.dtype)
        net.train()
        if self.step.get("checkpointing"):
            net.enable_gradient_checkpointing()
        if self.step.get("attention.implementation") == "eager":
            net.set_attn_processor(library("diffusers.models.attention_processor", MISSING).AttnProcessor())
        if self.kind == "none":
            return net
        net.requires_grad_(requires_grad=False)
        kind = str(self.step.get("quant.kind"))
        if kind in STORED:
            in_eight_bits(net, kind)
        elif kind in EIGHT_BITS:
            net.to(EIGHT_BITS[kind])
        with default_dtype(torch.float32):
            self._adapt(net)
        return net

    def _adapt(self, net: Any) -> None:
        targets = list(self.step.get("adapter.targets") or ())
        if self._style in SIDE_ADAPTER_STYLES:
            conv = int(self.options.get("conv_rank") or 0)
            converts = self._style == "ai-toolkit"
            self.adapters = add_side_adapters(
                net, targets, self._rank, conv, self._adapter_dtype, converts=converts, dropout=self._dropout
            )
        else:
            self._adapt_by_peft(net, targets)

    def _adapt_by_peft(self, net: Any, targets: list[str]) -> None:
        peft = library("peft", PEFT_MISSING)
        given = peft.LoraConfig(
            r=self._rank, target_modules=targets, lora_dropout=self._dropout, use_dora=self.kind == "dora"
        )
        with fitting("the adapters do not fit the model", "adapter.targets"):
            peft.inject_adapter_in_model(given, net)
        for parameter in net.parameters():
            if parameter.requires_grad:
                parameter.data = parameter.data.to(self._adapter_dtype)

    @property
    def _rank(self) -> int:
        return int(self.step.get("adapter.rank") or 4)

    @property
    def _adapter_dtype(self) -> torch.dtype:
        return DTYPES[str(self.step.get("adapter.dtype", "fp32"))]

    @property
    def _dropout(self) -> float:
        return 0.1 if self.step.get("adapter.dropout") else 0.0

    def _prepare_text(self, encoder: Any) -> None:
        """Make one of CLIP's text encoders trained: whole, or by adapters."""
        if not self.trains_text:
            return
        encoder.train()
        if self.step.get("checkpointing"):
            encoder.gradient_checkpointing_enable({"use_reentrant": False})
        if self.kind == "none":
            encoder.requires_grad_(requires_grad=True)
            self.trained_text.append(encoder)
        elif self._style == "kohya":
            made = add_side_adapters(encoder, ["layers."], self._rank, 0, self._adapter_dtype, converts=False)
            self.adapters.extend(made)
        elif self._style == "peft":
            with default_dtype(torch.float32):
                self._adapt_by_peft(encoder, TEXT_TARGETS)
            self.trained_text.append(encoder)
        else:
            raise CannotTraceError(f"how {self._style} trains a text encoder is not traced")

    def _ema(self) -> Any:
        if not self.step.get("ema"):
            return None
        copied = copy.deepcopy(self.adapters if len(self.adapters) else self.net)
        return self.stage.register("ema", copied.requires_grad_(requires_grad=False), kind="ema")

    def _trained(self) -> Iterator[nn.Parameter]:
        yield from self.adapters.parameters()
        for net in (self.net, *self.trained_text):
            yield from (parameter for parameter in net.parameters() if parameter.requires_grad)

    def train_step(self, batch: int) -> None:
        """One update."""
        for _ in range(int(self.step.get("accumulate", 1))):
            loss = self._loss(batch)
            with self.stage.phase("model backward"):
                self.scaler.scale(loss).backward()
            self.loss = loss.detach()
            del loss
        clips = bool(self.step.get("gradient_clip"))
        update(self.stage, self.scaler, self.optimizer, self._trained(), clips=clips)
        self.optimizer.zero_grad()

    def _loss(self, batch: int) -> Tensor:
        with self._cast():
            encoded = self.parts.encode_prompts(batch, self.tokens, trained=self.trains_text)
        self.parts.encode_images(batch, self.height, self.width)
        size, caption = (self.height, self.width), self.options.get("caption")
        sample = Sample(self.stage, batch, size, self.tokens, self._computed, caption=caption)
        given = inputs_of(self._denoises, sample)
        if self._style == "kohya":
            for name in ("sample", "hidden_states", "encoder_hidden_states"):
                if name in given and (self.step.get("checkpointing") or name != "encoder_hidden_states"):
                    given[name].requires_grad_()
        predicted = self._predicted(given, encoded)
        target = torch.empty_like(predicted, dtype=self._computed)
        with self.stage.phase("loss"):
            loss = F.mse_loss(predicted.float(), target.float())
            return loss + sum(part.sum() * 0.0 for part in encoded) if self.trains_text else loss

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        """Return what the network makes of a batch; its adapters' steps need no gradient from the text."""
        del encoded
        with self.stage.phase("model forward"), self._cast():
            predicted: Tensor = self.model(**given, return_dict=False)[0]
        return predicted

    @property
    def _computed(self) -> torch.dtype:
        return DTYPES[self.precision] if self._autocast and self.precision != "fp32" else self.dtype

    def _cast(self) -> Any:
        return self.stage.autocast(self.precision if self._autocast else "fp32")

    def validate(self, height: int, width: int) -> None:
        """Sample an image."""
        if self.samples is None:
            raise CannotTraceError("how sample images are made is not known")
        self.samples.sample(self.net, height, width, self._computed)

    def checkpoint(self) -> dict[str, Any]:
        """Return what is saved: the adapters, or the whole network."""
        state = {"optimizer.bin": self.optimizer.state_dict()} if self.options.get("saves_state") else {}
        if len(self.adapters):
            return {"lora.safetensors": self.adapters.state_dict(), **state}
        if self.kind != "none":
            trained = {
                f"{number}.{name}": p.detach()
                for number, net in enumerate((self.net, *self.trained_text))
                for name, p in net.named_parameters()
                if p.requires_grad
            }
            return {"pytorch_lora_weights.safetensors": trained, **state}
        whole = {
            f"{type(net).__name__}.safetensors": net.state_dict() for net in (self.net, *self.trained_text)
        }
        return {**whole, **state}


def _size_of(step: Mapping[str, Any]) -> tuple[int, int]:
    side = step.get("image.side")
    height, width = step.get("image.height", side), step.get("image.width", side)
    if not height or not width:
        raise CannotTraceError("the resolution of the images is not known")
    return int(height), int(width)
