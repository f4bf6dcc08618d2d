# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""TrainSpec: the one vocabulary in which every trainer's job is described.

Units are fixed: crops in pixels, batches in samples, durations in iterations or epochs, sizes in bytes,
times in seconds. A field that neither the user nor the trainer sets is absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the interpreter of --python has none of what reading needs
    from trainlint.model.document import Path

VOCABULARY: Mapping[str, str] = {
    "dialect": "string",
    "name": "string",
    "task": "string",
    "recipe": "string",  # which training step: a recipe's name in the zoo
    "scale": "integer",
    "channels": "integer",  # input image channels
    "crop.hr": "integer",  # side of the target crop; of one that is no square its height
    "crop.lq": "integer",  # the same of the input crop
    "crop.hr_width": "integer",  # of a target crop that is no square
    "crop.lq_width": "integer",  # of an input crop that is no square
    "frames": "integer",  # frames per sample of a video network
    "stages": "list",  # progressive training: {size, batch, iterations}
    "batch.per_gpu": "integer",
    "batch.per_process": "integer",  # what one process takes per step (DataParallel: per_gpu x gpus)
    "batch.per_replica": "integer",  # what the fullest GPU computes per step
    "batch.total": "integer",
    "accumulate": "integer",
    "gpus": "integer",
    "zero_stage": "integer",  # of DeepSpeed's ZeRO, where the config that is named says so
    "launcher": "string",  # none, pytorch, slurm ...
    "launcher.by_user": "boolean",  # --launcher or a setting says how it is started
    "launcher.may_offload": "boolean",  # accelerate may leave some of the model on the host
    "launcher.offload_around": "string",  # a config of accelerate around a file alone that offloads
    "launcher.may_shard": "boolean",  # accelerate may be what starts it, whose own config may shard the model
    "parallel": "string",  # none, dp, ddp
    "workers.per_gpu": "integer",
    "workers.per_process": "integer",
    "workers.total": "integer",
    "prefetch.mode": "string",
    "prefetch.batches": "integer",
    "pin_memory": "boolean",
    "data.kind": "string",  # the trainer's dataset class
    "data.images": "integer",
    "data.most": "integer",  # samples that are taken of the data sets at the most
    "data.enlarge": "float",
    "data.pool_size": "integer",  # samples kept on the GPU to mix degradations (Real-ESRGAN's queue)
    "data.root": "string",
    "networks.generator.arch": "string",
    "networks.generator.args": "dict",
    "networks.generator.scale": "integer",  # its up-sampling factor, written or the architecture's default
    "networks.discriminator.arch": "string",
    "networks.discriminator.args": "dict",
    "model.base": "string",  # a published model that is trained further, as the config names it
    "model.family": "string",  # of an image model: sd1, sdxl, flux ... where the config says it
    "model.name": "string",  # which published model that is
    "model.assumed": "string",  # how that is known, where it is an assumption
    "model.config": "dict",  # its shape, by the keys of its config.json
    "model.parameters": "integer",  # of that model, by its published number, at the least
    "model.download": "integer",  # bytes of its weights at the hub, at the least
    "model.weight_bytes": "integer",  # of its weights as they are stored while it is trained
    "model.loading_least": "integer",  # bytes on the card at once while it is loaded, at the least
    "model.loading_most": "integer",  # and at the most
    "model.loaded_again": "integer",  # bytes that its last images add to those between steps, at the least
    "model.modules": "list",  # the linear layers of one of its blocks, as adapters target them
    "objective": "string",  # sft, pt, dpo, kto, orpo, rm, ppo, grpo ...; denoise: an image model
    "adapter.kind": "string",  # none: all weights are trained; lora, dora; freeze: the last blocks are ...
    "adapter.rank": "integer",
    "adapter.targets": "list",  # names of linear layers; "all-linear": all but the head; "blocks.": of a part
    "adapter.saved": "list",  # modules that are trained whole besides (PEFT's modules_to_save)
    "adapter.layers": "integer",  # freeze: blocks that are trained, from the last one on
    "adapter.dropout": "float",
    "adapter.dtype": "string",  # of the adapter's weights: fp32, bf16, fp16
    "quant.bits": "integer",  # of the frozen weights: 4 or 8; absent: they are not quantised
    "quant.kind": "string",  # nf4, fp4, int8, gptq, awq, fp8, qfloat8 ...
    "quant.double": "boolean",  # the scales are quantised too
    "quant.keeps_inputs": "boolean",  # bitsandbytes before 0.43.2: until the next step's forward
    "loading": "dict",  # of an image model: bits of a weight, those at first, which encoders
    "weights.dtype": "string",  # of the base model's weights as they are loaded: fp32, bf16, fp16
    "weights.upcast": "boolean",  # what is not quantised is trained in fp32 (norms, embeddings)
    "sequence.length": "integer",  # tokens of the longest sample, or the bound that cuts it
    "sequence.shortest": "boolean",  # that length is the least that samples may have
    "sequence.exact": "boolean",  # samples are packed or padded to that length
    "sequence.packing": "boolean",
    "sequence.flat": "boolean",  # a batch is one row of all its samples' tokens, without padding
    "image.sides": "list",  # of each data set, where they differ
    "image.side": "integer",  # of the square with as many pixels as the largest bucket
    "image.height": "integer",  # of images that all have one size and are no squares
    "image.width": "integer",
    "latents.cached": "boolean",  # or the VAE is on the card and encodes every batch
    "text.embeddings": "string",  # cached; encoded: the text encoders are on the card; trained
    "text.tokens": "integer",  # of a prompt
    "sampling": "dict",  # sample images: what is loaded for them and how they are made
    "attention.implementation": "string",  # sdpa, eager, flash_attention_2, flex_attention ...
    "activation.kernel": "string",  # xielu: the package whose kernel Apertus takes where it is installed
    "loss.kernel": "string",  # fp32 (the logits as float), chunked, liger, cut, unsloth; TRL's: trl_loss.py
    "reentrant": "boolean",  # of checkpointing: torch's reentrant variant
    "losses": "list",  # {role, type, ...the trainer's own arguments}
    "optimizers": "list",  # {role, type, lr, ...}
    "ema": "float",  # decay; 0 disables
    "gradient_clip": "float",
    "precision": "string",  # fp32, fp16, bf16
    "tf32": "boolean",
    "compile": "boolean",
    "channels_last": "boolean",
    "checkpointing": "boolean",
    "cudnn_benchmark": "boolean",
    "schedule.kind": "string",
    "schedule.milestones": "list",
    "schedule.periods": "list",
    "schedule.restart_weights": "list",
    "schedule.warmup": "integer",
    "duration.iterations": "integer",
    "duration.epochs": "integer",
    "checkpoint.every": "integer",  # iterations
    "checkpoint.every_epochs": "integer",
    "checkpoint.keep": "integer",  # absent: all are kept
    "checkpoint.keep_epochs": "integer",  # the same of saves by epochs, where there are some by steps too
    "checkpoint.states": "string",  # saved next to the weights: with each save (all), those kept, the last
    "checkpoint.weights_only": "boolean",  # no optimizer's state, so that nothing resumes
    "validation.every": "integer",
    "validation.height": "integer",  # of the network's input
    "validation.width": "integer",
    "validation.tile": "integer",
    "validation.overlap": "integer",  # of neighbouring tiles, in pixels of the network's input
    "validation.sets": "list",  # {name, folders}: what the config calls its validation images
    "validation.save_images": "boolean",
    "log.every": "integer",  # iterations between lines of the trainer's log
    "log.scalars": "boolean",  # the same values go to TensorBoard's files
    "resume": "string",
    "pretrained.generator": "string",
    "pretrained.discriminator": "string",
    "pretrained.strict": "boolean",
    "unproven": "string",  # why findings of memory are no fails: what of the step has not been measured
    "uncounted": "list",  # what takes or saves memory and is on no tape: {what, direction, only}
    "options": "dict",  # what only this dialect's rules and recipes read, already typed
}
"""Dotted name -> Cerberus type. CEL rules see each as `spec.<name>`."""

SHAPES_MEMORY = (
    "recipe", "dialect", "scale", "channels", "crop.hr", "crop.lq", "crop.hr_width", "crop.lq_width",
    "frames", "accumulate",
    "networks.generator.arch", "networks.generator.args",
    "networks.discriminator.arch", "networks.discriminator.args",
    "model.config", "objective",
    "adapter.kind", "adapter.rank", "adapter.targets", "adapter.saved", "adapter.layers",
    "adapter.dropout", "adapter.dtype",
    "quant.bits", "quant.kind", "quant.double", "quant.keeps_inputs", "weights.dtype", "weights.upcast",
    "sequence.length", "sequence.exact", "sequence.flat", "image.side", "image.height", "image.width",
    "latents.cached", "text.embeddings", "text.tokens",
    "attention.implementation", "activation.kernel", "loss.kernel", "reentrant",
    "losses", "optimizers", "ema", "gradient_clip", "precision", "channels_last", "checkpointing",
    "prefetch.mode", "options",
)  # fmt: skip
"""The fields that decide a tape; batch, pool size, GPU count and target are variables of the tape."""

UNCOUNTED_FIELD = "uncounted"
"""The field of the terms that no tape holds; a schema fills it by `x-uncounted`."""

DIRECTIONS = ("more", "less", "unknown")
"""What an uncounted term does to memory: it can only add, it can reduce, or which is not known."""


class Value(NamedTuple):
    """A field's value and the document values it came from.

    `paths` has them, clearest first; a default points at the nearest key the user wrote.
    `origin` is "written", "default" (the trainer's own) or "derived".
    """

    value: Any
    paths: tuple[Path, ...] = ()
    origin: str = "written"


@dataclass(frozen=True)
class TrainSpec:
    """A job in trainlint's own words: dotted name -> Value; absent fields are simply not there."""

    fields: Mapping[str, Value]

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> Any:
        return self.fields[name].value

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field's value, or `default` where it is absent."""
        return self.fields[name].value if name in self.fields else default

    def at(self, name: str) -> tuple[Path, ...]:
        """Return where a field came from (no paths for an absent one)."""
        return self.fields[name].paths if name in self.fields else ()


def crop_pixels(spec: TrainSpec, name: str) -> int:
    """Return the pixels of a crop, "crop.hr" or "crop.lq"; 0 where it has no size."""
    height = int(spec.get(name) or 0)
    return height * int(spec.get(f"{name}_width") or height)
