# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file that lists all keys of its trainer, most of them empty: nobody runs it, and nothing of it fails."""

from __future__ import annotations

from trainlint.api import check

RUN = """\
base_model: NousResearch/Llama-2-7b-hf
datasets:
  - {path: mine.jsonl, type: alpaca}
adapter: lora
lora_r: 8
sequence_len: 2048
micro_batch_size: 2
num_epochs: 4
learning_rate: 0.0002
output_dir: out
warmup_steps: 100  # cannot use with warmup_ratio
warmup_ratio: 0.05  # cannot use with warmup_steps
early_stopping_patience: 3
save_steps:
eval_steps:
"""
EXCLUSIVE = ("early-stopping-steps", "wrong-value")


def _levels(tmp_path, empty):
    """Return the levels of what is wrong in a config with so many keys that have no value."""
    path = tmp_path / "axolotl.yaml"
    path.write_text(RUN + "".join(f"wandb_{number}:\n" for number in range(empty)))
    results = check(str(path), "rtx-3090", trace=False).results
    said = [found for result in results for found in result.findings if found.rule in EXCLUSIVE]
    assert {found.rule for found in said} == set(EXCLUSIVE)
    return {str(found.level) for found in said}, [found.message for found in said]


def test_what_is_run_fails(tmp_path):
    assert _levels(tmp_path, 60)[0] == {"fail"}


def test_what_only_lists_is_a_warning(tmp_path):
    levels, messages = _levels(tmp_path, 100)
    assert levels == {"warn"}
    assert all("list of all keys, which nobody runs" in message for message in messages)
