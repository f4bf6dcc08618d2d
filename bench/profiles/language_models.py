# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The language models and settings whose blueprints are stored: those that users of trainers write most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
    "gemma-2-9b": "google/gemma-2-9b-it",
    "gemma-2-27b": "google/gemma-2-27b-it",
    "gemma-3-1b": "google/gemma-3-1b-it",
    "smollm2-1.7b": "HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "qwen2.5-0.5b": "Qwen/Qwen2.5-0.5B-Instruct",
    "smollm2-135m": "HuggingFaceTB/SmolLM2-135M",
    "tinyllama": "TinyLlama/TinyLlama_v1.1",
    "phi-1.5": "microsoft/phi-1_5",
    "yi-34b": "01-ai/Yi-34B-Chat",
    "hunyuan-0.5b": "tencent/Hunyuan-0.5B-Instruct",
    "seed-oss-36b": "ByteDance-Seed/Seed-OSS-36B-Instruct",
    "stablelm-2-1.6b": "stabilityai/stablelm-2-1_6b",
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
CUT: Final = {"plugins": ["axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin"]}
UNPACKED: Final = {"sample_packing": False, "pad_to_sequence_len": False}
AT_ONCE: Final = {"gradient_accumulation_steps": 1}
NOT_REENTRANT: Final = {"gradient_checkpointing_kwargs": {"use_reentrant": False}}
WORDS_TOO: Final = {"lora_modules_to_save": ["embed_tokens", "lm_head"]}
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
    "axolotl lora unpacked torch": (
        {**AXOLOTL, **LORA, **PLAIN_ATTENTION, **UNPACKED, "optimizer": "adamw_torch"},
        ("rtx-4090",),
    ),
    "axolotl qlora cut": ({**AXOLOTL, **QLORA, **CUT, "optimizer": "adamw_bnb_8bit"}, ("rtx-4090",)),
    "axolotl qlora cut without dropout": (
        {**AXOLOTL, **QLORA, **CUT, "lora_dropout": 0, "optimizer": "adamw_torch"},
        ("rtx-4090",),
    ),
    "axolotl qlora sdpa": (
        {**AXOLOTL, **QLORA, **PLAIN_ATTENTION, **UNPACKED, "optimizer": "adamw_bnb_8bit"},
        ("rtx-4090",),
    ),
    "axolotl qlora sdpa paged": (
        {**AXOLOTL, **QLORA, **PLAIN_ATTENTION, **UNPACKED, "optimizer": "paged_adamw_32bit"},
        ("rtx-4090",),
    ),
    "axolotl qlora single samples torch": (
        {**AXOLOTL, **QLORA, **UNPACKED, "optimizer": "adamw_torch_fused"},
        ("rtx-4090",),
    ),
    "axolotl qlora single samples paged": (
        {**AXOLOTL, **QLORA, **UNPACKED, "optimizer": "paged_adamw_8bit"},
        ("rtx-4090",),
    ),
    "axolotl qlora at once": (
        {**AXOLOTL, **QLORA, **AT_ONCE, "optimizer": "paged_adamw_32bit"},
        ("rtx-4090",),
    ),
    "axolotl qlora at once torch": (
        {**AXOLOTL, **QLORA, **AT_ONCE, "optimizer": "adamw_torch_fused"},
        ("rtx-4090",),
    ),
    "axolotl lora at once": ({**AXOLOTL, **LORA, **AT_ONCE, "optimizer": "adamw_torch_fused"}, ("rtx-4090",)),
    "axolotl qlora words too": (
        {**AXOLOTL, **QLORA, **UNPACKED, **WORDS_TOO, "lora_dropout": 0, "optimizer": "adamw_bnb_8bit"},
        ("rtx-4090",),
    ),
    "axolotl lora without dropout": (
        {**AXOLOTL, **LORA, "lora_dropout": 0, "optimizer": "adamw_bnb_8bit"},
        ("rtx-4090",),
    ),
    "axolotl full at once": ({**AXOLOTL, **AT_ONCE, "optimizer": "adamw_bnb_8bit"}, ("rtx-4090",)),
    "axolotl full paged": (
        {**AXOLOTL, **NOT_REENTRANT, "optimizer": "paged_adamw_8bit"},
        ("rtx-4090",),
    ),
    "axolotl full liger": (
        {**AXOLOTL, **LIGER, **NOT_REENTRANT, "optimizer": "adamw_torch_fused"},
        ("rtx-4090",),
    ),
    "axolotl full without checkpointing": (
        {**AXOLOTL, "gradient_checkpointing": False, "optimizer": "adamw_torch"},
        ("rtx-4090",),
    ),
    "lora with dropout": ({**FACTORY, "finetuning_type": "lora", "lora_dropout": 0.05}, ("rtx-4090",)),
}
"""Settings by name, those written most first, and what they are judged on: a card's attention decides a
step."""
