# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the calls of trl, peft, transformers and Unsloth are named, and what of TRL's their keywords mean."""

from __future__ import annotations

from typing import Final

OBJECTIVES: Final = {
    "SFT": "sft", "DPO": "dpo", "ORPO": "orpo", "KTO": "kto", "CPO": "cpo", "GRPO": "grpo", "RLOO": "rloo",
    "Reward": "reward", "Unsloth": "sft",
}  # fmt: skip
"""What a trainer's class begins with, before "Trainer"."""
TRAINERS_OF_ANY: Final = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
"""Trainers of any model: those of a causal language model are read."""
LIBRARIES: Final = ("trl", "unsloth", "transformers")
CAUSAL: Final = ("AutoModelForCausalLM", "FastLanguageModel", "FastModel", "LlamaForCausalLM")
UNSLOTH: Final = "unsloth"
ARGUMENTS: Final = ("Config", "Arguments")
"""How classes of a run's arguments end."""
ADAPTER: Final = {
    "r": "lora_r", "lora_alpha": "lora_alpha", "lora_dropout": "lora_dropout",
    "target_modules": "lora_target_modules", "modules_to_save": "lora_modules_to_save",
    "use_rslora": "use_rslora", "use_dora": "use_dora", "task_type": "lora_task_type",
    "target_parameters": "lora_target_parameters",
}  # fmt: skip
ADAPTER_RANKS: Final = {"peft": 8, UNSLOTH: 16}
"""Ranks where none is given: LoraConfig's, and get_peft_model's of Unsloth."""
QUANTISED: Final = {
    "load_in_4bit": "load_in_4bit", "load_in_8bit": "load_in_8bit",
    "bnb_4bit_quant_type": "bnb_4bit_quant_type", "bnb_4bit_use_double_quant": "use_bnb_nested_quant",
}  # fmt: skip
QUANTISED_DEFAULT: Final = {"bnb_4bit_quant_type": "fp4"}
"""What BitsAndBytesConfig takes where nothing is given, and TRL's command does not."""
LOADED: Final = {
    "torch_dtype": "dtype", "dtype": "dtype", "attn_implementation": "attn_implementation",
    "trust_remote_code": "trust_remote_code", "load_in_4bit": "load_in_4bit", "load_in_8bit": "load_in_8bit",
}  # fmt: skip
LOADED_BY_UNSLOTH: Final = {**LOADED, "max_seq_length": "max_length"}
TRAINER: Final = {
    "max_seq_length": "max_length", "packing": "packing", "dataset_text_field": "dataset_text_field",
}  # fmt: skip
"""Arguments that older versions of the trainer itself took."""
KBIT: Final = "prepare_model_for_kbit_training"
PASSED_ON: Final = (KBIT, "prepare_model_for_int8_training", "prepare_model")
"""What returns the model that it is given."""
MOVED: Final = ("to", "cuda", "train", "eval", "requires_grad_")
"""Methods of a model that return it, with the same weights of the same type if they are given a device."""
CHAT_FORMAT: Final = "setup_chat_format"
"""What fits a model's vocabulary to its tokenizer and two tokens more, and returns both (TRL 0.11's
trl/models/utils.py, Apache-2.0)."""
CHANGES: Final = frozenset(("add_adapter", "load_adapter", "inject_adapter_in_model", "get_peft_model"))
"""Calls that make a model one with an adapter wherever they are written."""
QUANT_KEYS: Final = ("load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type", "use_bnb_nested_quant")
DTYPES: Final = ("float16", "bfloat16", "float32")
UNTRAINED: Final = "@untrained"
"""The key of what it hangs on whether a program trains at all."""
