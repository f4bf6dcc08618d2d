# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Models of which only the number of parameters is published."""

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.catalogue.base_models import base_model
from trainlint.catalogue.model_sizes import Size, _table, size_of

SCOUT = "axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16"


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("Qwen/Qwen3.5-35B-A3B", Size(34_500_000_000, quantised=False)),
        ("qwen/qwen3.5-35b-a3b", Size(34_500_000_000, quantised=False)),
        (
            "axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16",
            Size(108_500_000_000, quantised=True),
        ),
        ("./Qwen3.5-35B-A3B", None),
        ("Qwen/Qwen3.5-35B-A3B-FP8", None),
    ],
)
def test_a_size_is_that_of_a_name_on_the_hub(written, size):
    assert size_of(written) == size


def test_what_has_a_shape_needs_no_size():
    assert [name for name in _table() if base_model(name) is not None] == []


def test_a_job_gets_the_size():
    text = (
        f"base_model: {SCOUT}\n"
        "adapter: qlora\nsequence_len: 8\nmicro_batch_size: 1\ndatasets: [{path: a}]\n"
    )
    spec = jobs(text, "a.yml")[1][0].spec
    assert (spec["model.parameters"], spec["quant.bits"]) == (108_500_000_000, 4)
