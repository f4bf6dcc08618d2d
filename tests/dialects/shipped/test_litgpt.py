# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""litgpt's configs: which program they are for, what they ask of it, and the model that they name."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.dialects.extract.base_model import read_config
from trainlint.errors import CannotTraceError, UnreadableError
from trainlint.estimate.estimate import check_base_model
from trainlint.estimate.run.placement import place_job
from trainlint.model.placing import Placing

LORA = """
    checkpoint_dir: checkpoints/meta-llama/Llama-2-7b-hf
    out_dir: out
    precision: bf16-true
    quantize:
    devices: 1
    lora_r: 32
    lora_dropout: 0.05
    lora_key: true
    train:
      global_batch_size: 8
      micro_batch_size: 2
      max_seq_length: 512
      epochs: 4
    eval: {interval: 100, max_new_tokens: 100}
    optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.0002}}
"""
LONG = "with long samples"


def specs(text, **changes):
    text = dedent(text)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return {job.variant: job for job in read(text)}


def read(text, path="lora.yaml"):
    found, made = jobs(text, path)
    assert found == "litgpt"
    return made


def test_what_a_config_says():
    spec = specs(LORA)[LONG].spec
    assert spec["model.name"] == "meta-llama/Llama-2-7b-hf"
    assert spec["model.config"]["num_hidden_layers"] == 32
    assert (spec["adapter.kind"], spec["adapter.rank"]) == ("lora", 32)
    assert spec["adapter.targets"] == ["query", "key", "value"]
    assert (spec["weights.dtype"], spec["precision"]) == ("bf16", "fp32")
    assert (spec["batch.per_process"], spec["accumulate"], spec["sequence.length"]) == (2, 4, 512)
    assert spec["optimizers"] == [{"role": "model", "type": "AdamW", "lr": 0.0002}]
    assert "model.assumed" not in spec


def test_a_bound_of_the_length_is_two_readings():
    made = specs(LORA)
    assert [job.spec["sequence.length"] for job in made.values()] == [512, 16]


def test_the_version_of_bitsandbytes_is_a_reading():
    made = specs(LORA, quantize=("quantize:", "quantize: bnb.nf4-dq"))
    assert [job.spec.get("quant.keeps_inputs", False) for job in made.values()] == [False, True, False]
    spec = made[LONG].spec
    assert (spec["quant.bits"], spec["quant.kind"], spec["quant.double"]) == (4, "nf4", True)


def test_without_a_bound_only_short_samples_are_known():
    (job,) = specs(LORA, length=("  max_seq_length: 512\n", "")).values()
    assert job.spec["sequence.length"] == 16
    assert [term["direction"] for term in job.spec["uncounted"]] == ["more"]


def test_several_gpus_share_the_weights():
    made = specs(LORA, devices=("devices: 1", "devices: 4"))
    assert [term["direction"] for term in made[LONG].spec["uncounted"]] == ["less"]


@pytest.mark.parametrize(("count", "parallel", "total"), [(1, "none", 2), (4, "ddp", 8)])
def test_every_gpu_has_a_process_with_its_own_batch(count, parallel, total):
    """As in litgpt's own config_hub, whose 4 GPUs share no batch of 1."""
    job = specs(LORA, devices=("devices: 1", f"devices: {count}"))[LONG]
    spec = place_job(job, Placing(None)).spec
    assert (spec["parallel"], spec["batch.per_replica"], spec["batch.total"]) == (parallel, 2, total)


@pytest.mark.parametrize(
    ("precision", "weights", "computed"),
    [("bf16-mixed", "fp32", "bf16"), ("16-true", "fp16", "fp32"), ("32-true", "fp32", "fp32")],
)
def test_precisions(precision, weights, computed):
    spec = specs(LORA, precision=("bf16-true", precision))[LONG].spec
    assert (spec["weights.dtype"], spec["precision"]) == (weights, computed)


def test_an_unknown_key_ends_the_program():
    problems = specs(LORA, key=("lora_key", "lora_keys"))[LONG].problems
    assert [(problem.rule, problem.path) for problem in problems] == [("unknown-key", ("lora_keys",))]


def test_a_folder_is_taken_for_the_model_of_its_name():
    spec = specs(LORA, base=("checkpoints/meta-llama", "/data"))[LONG].spec
    assert spec["model.name"] == "meta-llama/Llama-2-7b-hf"
    assert "/data/Llama-2-7b-hf" in spec["model.assumed"]


def test_a_config_beside_the_weights_says_what_the_model_is(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    shape = {
        "model_type": "llama",
        "hidden_size": 64,
        "architectures": ["LlamaForCausalLM"],
        "sliding_window": None,
    }
    (folder / "config.json").write_text(json.dumps(shape))
    text = dedent(LORA).replace("checkpoints/meta-llama/Llama-2-7b-hf", "my-model")
    job = read(text, str(tmp_path / "lora.yaml"))[0]
    assert job.spec["model.config"] == {"model_type": "llama", "hidden_size": 64, "sliding_window": None}
    assert "model.assumed" not in job.spec


def test_a_named_config_goes_before_a_name(tmp_path):
    file = tmp_path / "config.json"
    file.write_text('{"model_type": "gemma", "hidden_size": 8}')
    job = read(dedent(LORA).replace("checkpoints/meta-llama", "/data"))[0]
    spec = place_job(job, Placing(model=file)).spec
    assert spec["model.config"] == {"model_type": "gemma", "hidden_size": 8}
    assert "model.assumed" not in spec


def test_what_is_no_config_of_a_model_is_said(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("[1]")
    with pytest.raises(UnreadableError, match="model_type"):
        read_config(str(file))


def test_a_model_that_nobody_knows_is_asked_for():
    (job, _) = read(dedent(LORA).replace("checkpoints/meta-llama/Llama-2-7b-hf", "nobody/nothing"))
    with pytest.raises(CannotTraceError, match="--model-config FILE"):
        check_base_model(job.spec)
