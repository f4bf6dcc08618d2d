# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a base model takes on a card for certain: weights, and what training all of them keeps."""

import pytest

from trainlint.estimate.memory.base_model_bytes import certain_bytes
from trainlint.model.facts import ModelBytes
from trainlint.model.spec import TrainSpec, Value

CONFIG = {"model_type": "llama", "vocab_size": 10, "hidden_size": 3, "tie_word_embeddings": False}
FULL = {
    "recipe": "transformers.SFT",
    "model.parameters": 1000,
    "model.config": CONFIG,
    "weights.dtype": "bf16",
    "adapter.kind": "none",
    "objective": "sft",
    "optimizers": [{"role": "model", "type": "AdamW"}],
}


def term(name, direction="unknown", **more):
    return {"uncounted": [{"what": name, "direction": direction, **more}]}


def of(**fields):
    changed = {name.replace("__", "."): value for name, value in fields.items()}
    return certain_bytes(TrainSpec({name: Value(value) for name, value in (FULL | changed).items()}))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ModelBytes(2000, 2000, 4000)),
        ({"weights__dtype": "fp32"}, ModelBytes(4000, 4000, 8000)),
        ({"optimizers": [{"type": "AdamW8bit"}]}, ModelBytes(2000, 2000, 2000)),
        ({"optimizers": [{"type": "PagedAdamW8bit"}]}, ModelBytes(2000, 2000, 0)),
        ({"optimizers": [{"type": "lomo"}]}, ModelBytes(2000)),  # gradients are used at once
        ({"objective": "rm"}, ModelBytes(1940, 1940, 3880)),  # without the output layer
        ({"adapter__kind": "lora"}, ModelBytes(2000)),
        ({"adapter__kind": "lora", "quant__bits": 4}, ModelBytes(500)),
        ({"adapter__kind": "lora", "quant__bits": 8}, ModelBytes(1000)),
        ({"adapter__kind": "lora", "quant__bits": 3}, None),
        ({"model__config": None, "recipe": "diffusers.LoRA"}, None),
        (term("GaLore (use_galore)", keeps="weights"), ModelBytes(2000)),
        (term("an optimizer of its own", keeps="gradients"), ModelBytes(2000, 2000)),
        ({"gpus": 0}, None),  # on the CPU
        (term("Liger's kernels", "less", keeps="states"), ModelBytes(2000, 2000, 4000)),
        (term("NEFTune's noise", "more"), ModelBytes(2000, 2000, 4000)),
        (term("FSDP (fsdp)"), None),
        (term("DeepSpeed (deepspeed)"), None),
        (term("DeepSpeed (deepspeed)") | {"zero_stage": 2, "weights__dtype": "fp32"}, ModelBytes(2000)),
        (term("DeepSpeed (deepspeed)") | {"zero_stage": 3}, None),
        ({"gpus": 2, "parallel": "dp"}, None),  # it may be spread over them
        ({"gpus": 2, "parallel": "dp", "dialect": "llamafactory"}, ModelBytes(2000, 2000, 4000)),
        ({"gpus": 2, "parallel": "ddp"}, ModelBytes(2000, 2000, 4000)),
        (
            {"gpus": 2, "parallel": "ddp", "launcher__may_shard": True},
            ModelBytes(2000, 2000, 4000, parted=True),
        ),
    ],
)
def test_what_is_certain(fields, expected):
    assert of(**fields) == expected


IMAGE = {
    "recipe": "diffusers.Denoiser",
    "dialect": "kohya",
    "model.family": "flux",
    "model.weight_bytes": 500,
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ModelBytes(500)),
        ({"recipe": "diffusers.ZeroedGradients", "dialect": "simpletuner"}, ModelBytes(500)),
        ({"recipe": "diffusers.SwappedBlocks"}, None),
        ({"recipe": "diffusers.WholeModel"}, None),
        ({"model__family": "sd3"}, None),  # whose swapped blocks are not read
        (term("weights on the host", "less"), None),
        (term("decoding by tiles", "less", only="validation"), ModelBytes(500)),
    ],
)
def test_what_is_certain_of_an_image_model(fields, expected):
    changed = {name.replace("__", "."): value for name, value in fields.items()}
    spec = TrainSpec({name: Value(value) for name, value in (IMAGE | changed).items()})
    assert certain_bytes(spec) == expected


def test_words_say_what_is_in_the_figure():
    assert [ModelBytes(*sizes).words for sizes in ((1,), (1, 1), (1, 1, 1))] == [
        "weights",
        "weights and gradients",
        "weights, gradients and optimizer states",
    ]
