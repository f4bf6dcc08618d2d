# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Supervised fine-tuning by transformers' Trainer: the installed transformers' and PEFT's own modules.

Read: huggingface/transformers 5.24, trainer.py (training_step, compute_loss), loss/loss_utils.py,
masking_utils.py; huggingface/accelerate 1.15, accelerator.py (prepare_model: autocast, outputs in fp32).
LLaMA-Factory, axolotl and TRL call the same training_step; what one of them sets otherwise is in the step.
Trainer keeps the state of word tables in 32 bits with bitsandbytes' 8-bit optimizers (create_optimizer).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import fitting
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.four_bit import parameters_of
from trainlint_zoo.common.language import (
    DTYPES,
    ROLE,
    check_quantisation,
    config_of,
    default_dtype,
    length_of,
    optimizer_of,
)
from trainlint_zoo.common.updates import update
from trainlint_zoo.transformers.recipes.activation_kernel import XIELU, take_kernel
from trainlint_zoo.transformers.recipes.adapters import adapted, quantise, upcast, upcast_ends
from trainlint_zoo.transformers.recipes.fused_loss import FUSED, fused_loss

RECIPES = {"transformers.SFT": "Sft"}

MISSING: Final = "transformers is not installed: pip install 'trainlint[finetune]'"
OBJECTIVES: Final = ("sft", "pt")
WITHOUT_MASK: Final = ("flash_attention_2", "flash_attention_3")
"""Implementations that take lengths in place of a mask, and keep what the fused kernel keeps."""
FUSED_ATTENTION: Final = "trainlint-fused"
"""scaled_dot_product_attention under a name for which transformers makes no mask."""
WRITTEN_OUT: Final = ("gemma2",)
"""Models whose scores are capped, which of the fused kernels FlashAttention alone does."""
FULL: Final = "full_attention"
SLIDING: Final = "sliding_attention"
"""What transformers calls the two kinds of layers that some models have, with a mask each."""


Masks = Tensor | dict[str, Tensor | None] | None
"""A model's mask, or that of each kind of layers that it has."""


def _with_gradient(_module: nn.Module, _inputs: Any, output: Any) -> None:
    hidden: Tensor = output if isinstance(output, Tensor) else output[0]
    hidden.requires_grad_()


def _fused_attention() -> Callable[..., Any]:
    """Return transformers' function, which refuses to cap: FlashAttention does so within its kernel."""
    own = library("transformers.integrations.sdpa_attention", MISSING).sdpa_attention_forward

    def attention(*tensors: Any, softcap: float | None = None, **options: Any) -> Any:
        del softcap
        return own(*tensors, **options)

    return attention


def _silent() -> AbstractContextManager[None]:
    """Keep to itself what the libraries say of their own future, and of layers that are not theirs."""
    return warnings.catch_warnings(action="ignore")


class Sft:
    """Forward and loss of every micro-batch under autocast, backward, clipped step.

    Read from the step: model.config; objective; adapter.{kind,rank,targets,saved,layers,dropout,dtype};
    quant.{kind,double,keeps_inputs}; weights.{dtype,upcast}; precision, of autocast; sequence.{length,exact};
    attention.implementation; activation.kernel; loss.kernel; checkpointing; reentrant; accumulate;
    optimizers; gradient_clip.

    A batch of several samples that are not packed is padded, and then has a mask. The outputs' fp32 copy of
    the logits lives until the loss is handed on.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.length = length_of(step)
        self.precision = str(step.get("precision", "fp32"))
        self.dtype = DTYPES[str(step.get("weights.dtype", "fp32"))]
        self.accumulate = int(step.get("accumulate", 1))
        self.kind = str(step.get("adapter.kind", "none"))
        self.kernel = str(step.get("loss.kernel", "fp32"))
        self.attention = str(step.get("attention.implementation", "sdpa"))
        self._check()
        self.net = self._network()
        stage.register(ROLE, self.net, arch=str(config_of(step)["model_type"]))
        trainable = sum(parameter.numel() for parameter in self._trained())
        stage.networks[-1] = replace(
            stage.networks[-1], parameters=parameters_of(self.net), trainable=trainable
        )
        self.model = stage.replicate(ROLE, self.net)
        words = [module.weight for module in self.net.modules() if isinstance(module, nn.Embedding)]
        self.optimizer = optimizer_of(stage, self._trained(), step, in_floats=words)
        self.scaler = stage.scaler(enabled=self.precision == "fp16")

    def _check(self) -> None:
        """Refuse what is not this step."""
        objective = str(self.step.get("objective", "sft"))
        if objective not in OBJECTIVES:
            raise CannotTraceError(
                f'the step of the objective "{objective}" is not traced: that of sft and pt is'
            )
        if self.kernel not in (*FUSED, "fp32"):
            raise CannotTraceError(f'the loss "{self.kernel}" is not traced')
        if self.attention not in (*WITHOUT_MASK, "sdpa", "eager"):
            raise CannotTraceError(f'the attention "{self.attention}" is not traced')
        check_quantisation(self.step)

    def _network(self) -> Any:
        transformers = library("transformers", MISSING)
        shape = dict(config_of(self.step))
        kind = str(shape.pop("model_type"))
        capped = kind in WRITTEN_OUT and self.attention not in WITHOUT_MASK
        written = self.attention == "eager" or capped
        if not written:
            transformers.AttentionInterface.register(FUSED_ATTENTION, _fused_attention())
        with (
            _silent(),
            fitting(f"transformers {transformers.__version__} does not build this model", "model.config"),
        ):
            config = transformers.AutoConfig.for_model(kind, **shape, use_cache=False)
            net = transformers.AutoModelForCausalLM.from_config(
                config, dtype=self.dtype, attn_implementation="eager" if written else FUSED_ATTENTION
            )
        self.written, self.window = written, int(getattr(config, "sliding_window", None) or 0)
        self.both = {FULL, SLIDING} <= set(getattr(config, "layer_types", None) or ())
        net.train()
        if self.step.get("activation.kernel") == XIELU:
            take_kernel(net)
        with _silent():
            return self._trainable(net)

    def _trainable(self, net: Any) -> Any:
        """Quantise, freeze, add adapters and checkpointing, in the order in which trainers do."""
        with default_dtype(torch.float32):
            if self.step.get("quant.bits"):
                quantise(net, self.step)
            net.requires_grad_(requires_grad=self.kind == "none")
            if self.step.get("weights.upcast"):
                (upcast if self.step.get("quant.bits") else upcast_ends)(net)
            if self.step.get("checkpointing"):
                enable = getattr(net, "activation_checkpointing_enable", net.gradient_checkpointing_enable)
                enable({"use_reentrant": bool(self.step.get("reentrant"))})
                if self.kind not in {"none", "freeze"}:
                    net.enable_input_require_grads()
            if self.kind == "freeze":
                self._train_last_layers(net)
            elif self.kind != "none":
                net = adapted(net, self.step)
        return net

    def _train_last_layers(self, net: Any) -> None:
        """Train the last layers, in the precision of what is trained.

        Those before them run without a graph; the first one's input has a gradient where its activations are
        checkpointed (LLaMA-Factory, model_utils/checkpointing.py: get_custom_gradient_checkpointing_func).
        """
        layers = list(net.model.layers)
        first = len(layers) - int(self.step.get("adapter.layers") or 0)
        dtype = DTYPES[str(self.step.get("adapter.dtype", "fp32"))]
        for layer in layers[:first]:
            layer.gradient_checkpointing = False
        for layer in layers[first:]:
            layer.requires_grad_(requires_grad=True).to(dtype)
        if self.step.get("checkpointing"):
            net.disable_input_require_grads()
            before = layers[first - 1] if first else net.get_input_embeddings()
            before.register_forward_hook(_with_gradient)

    def _trained(self) -> Iterator[nn.Parameter]:
        for parameter in self.net.parameters():
            if parameter.requires_grad:
                yield parameter

    def train_step(self, batch: int) -> None:
        """One update."""
        for _ in range(self.accumulate):
            inputs = self._inputs(batch)
            with self.stage.phase("model forward"):
                loss = self._loss(inputs)
            del inputs
            with self.stage.phase("model backward"):
                self.scaler.scale(loss / self.accumulate).backward()
            self.loss = loss.detach()
            del loss
        clips = bool(self.step.get("gradient_clip"))
        update(self.stage, self.scaler, self.optimizer, self._trained(), clips=clips)
        self.optimizer.zero_grad()

    def _inputs(self, batch: int) -> dict[str, Any]:
        made: dict[str, Any] = {
            name: self.stage.input(batch, self.length, dtype=torch.int64)
            for name in ("input_ids", "labels", "attention_mask")
        }
        mask = self._masks(batch)
        if mask is None:
            del made["attention_mask"]
        else:
            made["attention_mask"] = mask
        return made

    def _masks(self, batch: int) -> Masks:
        """Return what the model makes of the padding."""
        if self.attention in WITHOUT_MASK:
            return None
        padded = batch > 1 and not self.step.get("sequence.exact")
        full, slides = self.written or padded, 0 < self.window < self.length
        return self._masks_of(batch if padded else 1, self.length, full=full, sliding=full or slides)

    def _masks_of(self, rows: int, tokens: int, *, full: bool = True, sliding: bool = True) -> Masks:
        """Return the mask of each kind of layers; None where the kernel knows causality by itself."""
        if self.both:
            return {
                kind: self._mask(rows, tokens) if masked else None
                for kind, masked in ((FULL, full), (SLIDING, sliding))
            }
        return self._mask(rows, tokens) if full or sliding else None

    def _mask(self, rows: int, tokens: int) -> Tensor:
        dtype = self.net.dtype if self.written else torch.bool
        with self.stage.label("activations"):
            return torch.empty((rows, 1, tokens, tokens), dtype=dtype, device=self.stage.device)

    def _loss(self, inputs: dict[str, Any]) -> Tensor:
        labels = inputs.pop("labels")
        with self.stage.autocast(self.precision):
            if self.kernel in FUSED:
                return fused_loss(self.kernel, self.model, self.net, inputs, labels)
            outputs = self.model(**inputs, labels=labels)
        logits = outputs.logits if self.precision == "fp32" else outputs.logits.float()
        loss: Tensor = outputs.loss
        del outputs, logits
        return loss

    def validate(self, height: int, width: int) -> None:
        """Evaluate one sample of so many tokens."""
        del height
        tokens = self.stage.input(1, width, dtype=torch.int64)
        with torch.no_grad(), self.stage.autocast(self.precision):
            self.model(input_ids=tokens, labels=tokens)

    def checkpoint(self) -> dict[str, Any]:
        """Return what Trainer saves: the adapters or the whole model, and the optimizer's state."""
        trained = {name: p.detach() for name, p in self.net.named_parameters() if p.requires_grad}
        weights = trained if self.kind not in {"none", "freeze"} else self.net.state_dict()
        name = "adapter_model.safetensors" if self.kind not in {"none", "freeze"} else "model.safetensors"
        return {name: dict(weights), "optimizer.pt": self.optimizer.state_dict()}
