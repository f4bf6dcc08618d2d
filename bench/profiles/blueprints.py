# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Draws the blueprints of language models' steps that travel in the wheel.

    python -m bench blueprints               draw what is missing or outdated; may be stopped
    python -m bench blueprints --only TEXT   only those whose name has this text, or one of several
    python -m bench blueprints --check       draw nothing, exit 1 and name what is missing

A blueprint holds for every model whose layers are alike, so that one model of each kind is enough here; the
settings are those that users of LLaMA-Factory, axolotl and TRL write most. What these leave open (a version
of bitsandbytes) is drawn too. Needs torch, transformers and peft; a reading takes some fifteen seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from bench.commands import parser_of
from bench.profiles.build import PROFILES
from trainlint.documents.file_format import read
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.stored_profiles import BLUEPRINT_SUFFIX, Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.text_source import source_of
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Tape

MODELS: Final = {
    "llama-3-8b": "meta-llama/Llama-3.1-8B-Instruct",
    "qwen2.5-7b": "Qwen/Qwen2.5-7B-Instruct",
    "qwen3-8b": "Qwen/Qwen3-8B",
    "llama-3.2-3b": "meta-llama/Llama-3.2-3B-Instruct",
    "qwen2.5-1.5b": "Qwen/Qwen2.5-1.5B-Instruct",
    "qwen3-4b": "Qwen/Qwen3-4B",
    "llama-2-7b": "meta-llama/Llama-2-7b-hf",
    "mistral-nemo": "mistralai/Mistral-Nemo-Instruct-2407",
    "llama-3.2-1b": "meta-llama/Llama-3.2-1B-Instruct",
    "phi-4": "microsoft/phi-4",
    "qwen3-1.7b": "Qwen/Qwen3-1.7B",
    "phi-3-mini": "microsoft/Phi-3.5-mini-instruct",
    "gemma-7b": "google/gemma-7b",
    "smollm2-1.7b": "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "qwen2.5-0.5b": "Qwen/Qwen2.5-0.5B-Instruct",
}
"""A model of every kind of layers: groups of heads or none, one table of words or two, square or not."""
FACTORY: Final = {
    "stage": "sft", "do_train": True, "template": "default", "dataset": "data", "cutoff_len": 2048,
    "bf16": True, "output_dir": "saves", "per_device_train_batch_size": 2, "gradient_accumulation_steps": 8,
    "learning_rate": 1e-4, "num_train_epochs": 3.0,
}  # fmt: skip
AXOLOTL: Final = {
    "datasets": [{"path": "data", "type": "alpaca"}], "sequence_len": 2048, "sample_packing": True,
    "pad_to_sequence_len": True, "micro_batch_size": 2, "gradient_accumulation_steps": 4, "num_epochs": 3,
    "learning_rate": 2e-4, "bf16": "auto", "gradient_checkpointing": True, "flash_attention": True,
    "lora_alpha": 16, "lora_r": 32, "output_dir": "outputs",
}  # fmt: skip
QLORA: Final = {"adapter": "qlora", "load_in_4bit": True, "lora_target_linear": True, "lora_dropout": 0.05}
LORA: Final = {"adapter": "lora", "lora_target_linear": True, "lora_dropout": 0.05}
LIGER: Final = {
    "plugins": ["axolotl.integrations.liger.LigerPlugin"], "liger_fused_linear_cross_entropy": True,
}  # fmt: skip
TRL: Final = {
    "dataset_name": "data", "dataset_text_field": "text", "max_length": 2048,
    "gradient_accumulation_steps": 8, "learning_rate": 2e-4, "num_train_epochs": 3, "output_dir": "outputs",
}  # fmt: skip
PEFT: Final = {"use_peft": True, "lora_r": 16, "lora_target_modules": "all-linear"}
FOUR_BITS: Final = {"dtype": "bfloat16", "load_in_4bit": True}
PACKED: Final = {"packing": True, "neat_packing": True, "flash_attn": "fa2"}
HALF: Final = {"bf16": False, "fp16": True}
PLAIN_ATTENTION: Final = {"flash_attention": False, "sdp_attention": True}
FACTORY_KEYS: Final = ("model_name_or_path", "per_device_train_batch_size")
AXOLOTL_KEYS: Final = ("base_model", "micro_batch_size")
"""Keys of the base model and of the samples that a card takes at once: one has a step of its own."""
SETTINGS: Final[Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]]] = {
    "qlora": ({**FACTORY, "finetuning_type": "lora", "quantization_bit": 4}, ("rtx-4090",)),
    "qlora liger": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, "enable_liger_kernel": True},
        ("rtx-4090",),
    ),
    "lora": ({**FACTORY, "finetuning_type": "lora"}, ("rtx-4090",)),
    "lora liger": ({**FACTORY, "finetuning_type": "lora", "enable_liger_kernel": True}, ("rtx-4090",)),
    "axolotl qlora": ({**AXOLOTL, **QLORA, "optimizer": "adamw_bnb_8bit"}, ("rtx-4090",)),
    "axolotl qlora liger": (
        {**AXOLOTL, **QLORA, **LIGER, "optimizer": "adamw_bnb_8bit"},
        ("rtx-4090",),
    ),
    "trl qlora": ({**TRL, **PEFT, **FOUR_BITS}, ("rtx-4090",)),
    "trl lora": ({**TRL, **PEFT, "dtype": "bfloat16"}, ("rtx-4090",)),
    "qlora 8bit": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, "optim": "adamw_8bit"},
        ("rtx-4090",),
    ),
    "qlora paged": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, "optim": "paged_adamw_8bit"},
        ("rtx-4090",),
    ),
    "qlora packed": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, **PACKED},
        ("rtx-4090",),
    ),
    "lora packed": ({**FACTORY, "finetuning_type": "lora", **PACKED}, ("rtx-4090",)),
    "axolotl lora": ({**AXOLOTL, **LORA, "optimizer": "adamw_bnb_8bit"}, ("rtx-4090",)),
    "qlora fp16": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, **HALF},
        ("colab-t4",),
    ),
    "axolotl lora liger": ({**AXOLOTL, **LORA, **LIGER, "optimizer": "adamw_bnb_8bit"}, ("rtx-4090",)),
    "qlora fp16 liger": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, **HALF, "enable_liger_kernel": True},
        ("colab-t4",),
    ),
    "axolotl qlora fp16": (
        {**AXOLOTL, **QLORA, **HALF, **PLAIN_ATTENTION, "optimizer": "adamw_bnb_8bit"},
        ("colab-t4",),
    ),
    "axolotl qlora paged": ({**AXOLOTL, **QLORA, "optimizer": "paged_adamw_8bit"}, ("rtx-4090",)),
    "axolotl qlora paged in fp32": ({**AXOLOTL, **QLORA, "optimizer": "paged_adamw_32bit"}, ("rtx-4090",)),
    "axolotl qlora torch": ({**AXOLOTL, **QLORA, "optimizer": "adamw_torch_fused"}, ("rtx-4090",)),
    "full": ({**FACTORY, "finetuning_type": "full"}, ("runpod-h100-sxm",)),
    "full bf16": (
        {**FACTORY, "finetuning_type": "full", "bf16": False, "pure_bf16": True},
        ("runpod-h100-sxm",),
    ),
    "axolotl full": ({**AXOLOTL, "optimizer": "adamw_torch_fused"}, ("runpod-h100-sxm",)),
    "axolotl full 8bit": ({**AXOLOTL, "optimizer": "adamw_bnb_8bit"}, ("runpod-h100-sxm",)),
    "lora without checkpointing": (
        {**FACTORY, "finetuning_type": "lora", "disable_gradient_checkpointing": True},
        ("rtx-4090",),
    ),
    "axolotl lora torch": ({**AXOLOTL, **LORA, "optimizer": "adamw_torch_fused"}, ("rtx-4090",)),
    "qlora in one batch": (
        {**FACTORY, "finetuning_type": "lora", "quantization_bit": 4, "gradient_accumulation_steps": 1},
        ("rtx-4090",),
    ),
    "lora in one batch": (
        {**FACTORY, "finetuning_type": "lora", "gradient_accumulation_steps": 1},
        ("rtx-4090",),
    ),
    "trl full": ({**TRL, "dtype": "bfloat16"}, ("runpod-h100-sxm",)),
    "axolotl full sdpa": (
        {**AXOLOTL, **PLAIN_ATTENTION, "optimizer": "adamw_torch_fused"},
        ("runpod-h100-sxm",),
    ),
    "axolotl qlora unpacked": (
        {**AXOLOTL, **QLORA, "sample_packing": False, "optimizer": "adamw_bnb_8bit"},
        ("rtx-4090",),
    ),
    "lora with dropout": ({**FACTORY, "finetuning_type": "lora", "lora_dropout": 0.05}, ("rtx-4090",)),
}
"""Settings by name, those written most first, and what they are judged on: a card's attention decides a
step."""


def jobs() -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Yield (name, config, targets) of what is drawn, the commonest settings of all models first."""
    for setting, (config, targets) in SETTINGS.items():
        base, batch = AXOLOTL_KEYS if "datasets" in config else FACTORY_KEYS
        for model, name in MODELS.items():
            for samples in (1, 2):
                yield f"{model} {setting} {samples}", {**config, base: name, batch: samples}, targets


class _Drawn(TapeSource):
    """Draws blueprints and traces no whole model."""

    def _traced(self, step: Mapping[str, Any], key: str, batch: int) -> Tape:
        del key, batch
        raise CannotTraceError(f"no blueprint of {step['recipe']} could be drawn")


def judged(
    config: Mapping[str, Any], targets: tuple[str, ...], store: Store, *, may_trace: bool
) -> list[str]:
    """Judge a config, for one sample and for several; return why readings of it have no memory."""
    settings = Settings(target=targets)
    tapes = _Drawn((store,), save_to=store if may_trace else None, may_trace=may_trace)
    pipeline = pipeline_for(settings, tapes)
    (document,) = read(source_of(yaml.safe_dump(dict(config)).encode(), "config.yaml"))
    (target,) = pipeline.targets_of("config.yaml")
    placed = list(pipeline.readings(pipeline.jobs(document), target))
    return [
        why
        for result in pipeline.judge.judge_all(placed)
        if result.facts is None or result.facts.memory is None
        for name, why in (result.facts.missing if result.facts else {"memory": "no facts"}).items()
        if name.startswith("memory")
    ]


def main() -> int:
    """Draw, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="only what has such a text in its name")
    parser.add_argument("--check", action="store_true", help="draw nothing")
    given, store, missing = parser.parse_args(), Store(PROFILES, "shipped"), 0
    for name, config, targets in jobs():
        if not any(text in name for text in given.only):
            continue
        begun, before = time.process_time(), len(_stored(store))
        why = judged(config, targets, store, may_trace=not given.check)
        missing += bool(why)
        new = len(_stored(store)) - before
        if why or new:
            took = f"{time.process_time() - begun:.0f} s"
            print(f"{name}: {new} new, {took}; {'; '.join(dict.fromkeys(why))}", flush=True)
    sizes = [path.stat().st_size for path in _stored(store)]
    print(f"{len(sizes)} blueprints, {sum(sizes) / 1000:.0f} kB")
    return 1 if given.check and missing else 0


def _stored(store: Store) -> list[Path]:
    return sorted(store.folder.glob(f"*{BLUEPRINT_SUFFIX}"))
