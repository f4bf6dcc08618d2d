# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Arguments that classes of TRL's take no longer: by the signatures of the wheels of trl 0.8.6 to 1.16.

trl/trainer/sft_trainer.py, sft_config.py, dpo_trainer.py, dpo_config.py (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TO_SFT_CONFIG: Final = """dataset_text_field packing max_seq_length infinite num_of_sequences chars_per_token
    dataset_num_proc dataset_batch_size neftune_noise_alpha model_init_kwargs dataset_kwargs eval_packing"""
_TO_DPO_CONFIG: Final = """beta label_smoothing loss_type label_pad_token_id padding_value truncation_mode
    max_length max_prompt_length max_target_length is_encoder_decoder disable_dropout generate_during_eval
    precompute_ref_log_probs dataset_num_proc model_init_kwargs ref_model_init_kwargs model_adapter_name
    ref_adapter_name reference_free force_use_ref_model"""
_BY_RELEASE: Final = {
    "trl.SFTTrainer": {"0.13": _TO_SFT_CONFIG, "0.16": "tokenizer"},
    "trl.DPOTrainer": {"0.13": _TO_DPO_CONFIG, "0.16": "tokenizer"},
    "trl.SFTConfig": {
        "0.18": "num_of_sequences chars_per_token dataset_batch_size use_liger",
        "0.20": "max_seq_length",
    },
    "trl.DPOConfig": {
        "0.14": "max_target_length",
        "0.15": "is_encoder_decoder",
        "0.17": "use_num_logits_to_keep",
        "0.26": "padding_value",
        "1.0": """max_prompt_length max_completion_length label_pad_token_id generate_during_eval
            reference_free force_use_ref_model model_adapter_name ref_adapter_name ref_model_init_kwargs
            rpo_alpha tools use_logits_to_keep""",
    },
}
"""A class -> the first release without some arguments -> these."""


def removed_from(name: str) -> Mapping[str, tuple[int, int]]:
    """Return the arguments that a class takes no longer, each with the first release that has none."""
    return {
        argument: (int(release.partition(".")[0]), int(release.partition(".")[2]))
        for release, arguments in _BY_RELEASE.get(name, {}).items()
        for argument in arguments.split()
    }
