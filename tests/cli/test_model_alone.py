# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A language model whose step is not known: what it takes for certain is said by every command."""

from __future__ import annotations

import pytest

CONFIG = """\
base_model: NousResearch/Meta-Llama-3.1-8B
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
rl: dpo
sequence_len: 8192
gradient_accumulation_steps: 8
micro_batch_size: 1
num_epochs: 1
optimizer: paged_adamw_8bit
learning_rate: 2e-5
bf16: auto
output_dir: out
"""
WHY = 'the step of the objective "dpo" is not known'


@pytest.fixture
def dpo(trainlint):
    trainlint.write("dpo.yml", CONFIG)
    return trainlint


def test_a_card_that_is_too_small_has_its_row(dpo) -> None:
    """8,030,261,248 weights and as many gradients, two bytes each."""
    said = dpo("check", "dpo.yml", "-t", "rtx-4090", "--no-trace").stdout
    assert "memory   at least 29.92 of 23.52 GiB   FAIL, weights and gradients alone" in said


def test_fit_says_where_it_does_not_fit(dpo) -> None:
    said = dpo("fit", "dpo.yml", "-t", "rtx-4090", "-t", "h200", "--no-trace").stdout
    assert said.splitlines()[1].startswith("does not fit on 1 of 2 targets; memory not judged on the others")


def test_explain_gives_the_reason_that_check_gives(dpo) -> None:
    said = dpo("explain", "dpo.yml", "-t", "rtx-4090", "-t", "rtx-4090", "--no-trace")
    assert said.stderr.count(WHY) == 1
    assert WHY in dpo("check", "dpo.yml", "-t", "h200", "--no-trace").stdout.replace("\n  ", " ")
