# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Schedules and trackers that no parser holds against a list: the trainer stops at them later, by name."""

from __future__ import annotations

import pytest

from trainlint.api import check

TEXTS = {
    "run.sh": (
        "accelerate launch train_dreambooth_lora_flux.py"
        " --pretrained_model_name_or_path black-forest-labs/FLUX.1-dev --instance_data_dir img"
        " --instance_prompt p --lr_scheduler SCHEDULE --report_to TRACKER\n"
    ),
    "kohya.toml": (
        'pretrained_model_name_or_path = "xl.safetensors"\nnetwork_module = "networks.lora"\n'
        'network_dim = 8\nlr_scheduler = "SCHEDULE"\n'
    ),
    "axolotl.yml": (
        "base_model: Qwen/Qwen2.5-0.5B\nadapter: lora\nlora_r: 8\nlora_alpha: 16\nlora_target_linear: true\n"
        "micro_batch_size: 1\nnum_epochs: 1\nlearning_rate: 0.0002\nlr_scheduler: SCHEDULE\n"
        "datasets:\n  - {path: tatsu-lab/alpaca, type: alpaca}\noutput_dir: out\n"
    ),
    "llamafactory.yaml": (
        "model_name_or_path: Qwen/Qwen3-0.6B\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
        "lora_target: all\ndataset: identity\ntemplate: qwen3\noutput_dir: out\nreport_to: TRACKER\n"
    ),
}


def said(folder, name, schedule="cosine", tracker="tensorboard"):
    path = folder / name
    path.write_text(TEXTS[name].replace("SCHEDULE", schedule).replace("TRACKER", tracker))
    findings = [finding for result in check(path).results for finding in result.findings]
    return {finding.message for finding in findings if finding.rule in ("misspelt-name", "wrong-value")}


@pytest.mark.parametrize("name", ["run.sh", "kohya.toml", "axolotl.yml"])
def test_a_schedule_that_is_not_there_is_said(name, tmp_path):
    assert not said(tmp_path, name)
    (message,) = said(tmp_path, name, schedule="cosin")
    assert 'learning-rate schedule "cosin"; did you mean "cosine"?' in message


@pytest.mark.parametrize("name", ["run.sh", "llamafactory.yaml"])
def test_a_slip_in_a_tracker_is_said(name, tmp_path):
    assert not said(tmp_path, name, tracker="wandb")
    (message,) = said(tmp_path, name, tracker="tensorbord")
    assert 'tracker "tensorbord"; did you mean "tensorboard"?' in message


def test_a_schedule_of_sd_scripts_may_have_its_rate_in_its_name(tmp_path):
    assert not said(tmp_path, "kohya.toml", schedule="adafactor:1e-3")


TUNE = """\
model: {_component_: torchtune.models.llama3_1.lora_llama3_1_8b, lora_rank: 8, lora_attn_modules: [q_proj]}
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, path: t}
checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer}
dataset: {_component_: torchtune.datasets.alpaca_dataset}
loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}
optimizer: {_component_: torch.optim.AdamW, lr: 3e-4}
batch_size: 2
dtype: bf16
"""


@pytest.mark.parametrize(
    ("written", "slip", "message"),
    [
        ("lora_llama3_1_8b", "lora_lama3_1_8b", 'did you mean "torchtune.models.llama3_1.lora_llama3_1_8b"?'),
        ("lora_rank", "lora_r", 'refuses the unknown key "lora_r" in "model"; did you mean "lora_rank"?'),
        ("dtype: bf16", "dtype: bfloat16", "torchtune takes bf16 or fp32 and stops at another name"),
        ("dtype: bf16", "dtype: fp32", ""),
        ("lora_rank: 8", "lora_rank: 8, quantize_base: true, use_dora: true", ""),
        ("torchtune.models.llama3_1.lora_llama3_1_8b", "own.models.lora_lama", ""),
        ("torchtune.models.llama3_1.lora_llama3_1_8b, lora_rank: 8", "own.lora, lora_r: 8", ""),
    ],
)
def test_a_slip_of_torchtune_is_said(written, slip, message, tmp_path):
    path = tmp_path / "lora_single_device.yaml"
    path.write_text(TUNE.replace(written, slip))
    rules = ("misspelt-name", "wrong-value", "unknown-key")
    findings = [finding for result in check(path).results for finding in result.findings]
    said_of = {finding.message for finding in findings if finding.rule in rules}
    assert [message in each for each in said_of] == ([True] if message else [])


@pytest.mark.parametrize(
    ("adapter", "meant"), [("qlroa", "qlora"), ("lroa", "lora"), ("mora", ""), ("own", "")]
)
def test_a_slip_in_axolotls_adapter_is_said(adapter, meant, tmp_path):
    path = tmp_path / "axolotl.yml"
    path.write_text(
        TEXTS["axolotl.yml"].replace("SCHEDULE", "cosine").replace("adapter: lora", f"adapter: {adapter}")
    )
    findings = [finding for result in check(path).results for finding in result.findings]
    said_of = {finding.message for finding in findings if finding.rule == "misspelt-name"}
    assert [f'did you mean "{meant}"?' in each for each in said_of] == ([True] if meant else [])
