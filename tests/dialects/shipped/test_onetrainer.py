# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Configs of OneTrainer: which are its, and what is read of them."""

from __future__ import annotations

import json

import pytest

from tests.dialects.shipped.dialect_jobs import fields, job, jobs, said
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.untraceable import check_known
from trainlint.tape.step import step_of

PRESET = {
    "base_model_name": "stabilityai/stable-diffusion-xl-base-1.0",
    "batch_size": 4,
    "layer_filter_preset": "attn-mlp",
    "learning_rate": 0.0003,
    "model_type": "STABLE_DIFFUSION_XL_10_BASE",
    "output_model_format": "KOHYA_LORA",
    "resolution": "1024",
    "training_method": "LORA",
    "unet": {"weight_dtype": "FLOAT_16"},
}


def read(**more):
    """Return the only job of the preset with some keys changed."""
    return job(json.dumps(PRESET | more), "preset.json", "onetrainer")


def test_what_a_preset_says():
    made = read()
    assert fields(made, "model.family", "adapter.kind", "adapter.rank") == ("sdxl", "lora", 16)
    assert fields(made, "precision", "image.side", "batch.per_process") == ("fp16", 1024, 4)
    assert fields(made, "duration.epochs", "gradient_clip", "latents.cached") == (100, 1.0, True)
    assert made.spec["optimizers"] == [{"role": "model", "type": "AdamW", "lr": 0.0003}]
    assert not said(made)


@pytest.mark.parametrize(
    ("key", "value", "field", "expected"),
    [
        ("training_method", "FINE_TUNE", "adapter.kind", "none"),
        ("peft_type", "LOHA", "adapter.kind", "loha"),
        ("lora_decompose", True, "adapter.kind", "dora"),
        ("train_dtype", "BFLOAT_16", "precision", "bf16"),
        ("model_type", "FLUX_DEV_1", "model.family", "flux"),
        ("batch_size", "2", "batch.per_process", 2),
        ("resolution", "512,768", "image.side", None),
        ("optimizer", "PRODIGY", "optimizers", [{"role": "model", "type": "Prodigy", "lr": 0.0003}]),
        (
            "optimizer",
            {"optimizer": "ADAMW_8BIT"},
            "optimizers",
            [{"role": "model", "type": "AdamW8bit", "lr": 0.0003}],
        ),
    ],
)
def test_what_a_key_changes(key, value, field, expected):
    assert read(**{key: value}).spec.get(field) == expected


@pytest.mark.parametrize("lacking", ["training_method", "model_type"])
def test_a_file_without_its_signs_is_none_of_onetrainers(lacking):
    text = json.dumps({key: value for key, value in PRESET.items() if key != lacking})
    assert jobs(text, "preset.json")[0] is None


def test_a_value_that_cannot_be_set_is_no_fault():
    """OneTrainer leaves it at its default, and says so."""
    assert not said(read(ema="SOMETIMES", lora_weight_dtype=3))


def test_its_step_is_not_played():
    with pytest.raises(CannotTraceError, match="OneTrainer"):
        check_known(step_of(read().spec))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"model_type": "FLUX_DEV_1"}, []),
        ({"model_type": "FLUX_DEV1"}, [("misspelt-name", True, "FLUX_DEV_1")]),
        ({"optimizer": "ADAMW_8BIT"}, []),
        ({"optimizer": "ADAMW8BIT"}, [("misspelt-name", True, "ADAMW_8BIT")]),
        ({"optimizer": {"optimizer": "ADAMW8BIT"}}, [("misspelt-name", True, "ADAMW_8BIT")]),
        ({"batch_size": 0}, [("wrong-value", False, None)]),
        ({"lora_rank": 0}, [("wrong-value", False, None)]),
        ({"lora_rank": 0, "training_method": "FINE_TUNE"}, []),
        ({"lora_rank": 0, "peft_type": "OFT_2"}, []),
    ],
)
def test_a_name_that_it_does_not_know_is_its_default_and_a_zero_is_refused(more, expected):
    assert [(one.rule, one.harmless, one.suggestion) for one in read(**more).problems] == expected
