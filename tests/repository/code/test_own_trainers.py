# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trainer classes of a repository's own."""

from __future__ import annotations

import pytest

from trainlint.repository.code.own_trainers import own_trainer
from trainlint.repository.trainer.mentioned_words import Words

BASES = ("Trainer", "SFTTrainer", "GRPOTrainer")
OWN = "from trl import SFTTrainer\n\n\nclass OwnTrainer(SFTTrainer):\n    pass\n"
STARTS = "from own import OwnTrainer\n\ntrainer = OwnTrainer(model)\n"


def _found(path="recipes/config.yaml", **texts):
    return own_trainer(Words(texts.values(), [f"{name}.py" for name in texts]), BASES, path)


def test_one_that_is_started():
    assert _found(own=OWN, train=STARTS) == "OwnTrainer (own.py:4)"
    assert _found(own=OWN, train="from own import (\n    OwnTrainer,\n)\nkind = OwnTrainer\n") is not None


@pytest.mark.parametrize("train", ["from own import OwnTrainer\n", "import own\n", "# OwnTrainer(model)\n"])
def test_one_that_is_not(train):
    assert _found(own=OWN, train=train) is None


@pytest.mark.parametrize("base", ["TrainerCallback", "Other", "nn.Module"])
def test_another_class(base):
    assert _found(own=OWN.replace("(SFTTrainer)", f"({base})"), train=STARTS) is None


def test_that_of_another_stage():
    assert _found("recipes/grpo/config.yaml", own=OWN, train=STARTS) is None
    assert _found("recipes/sft/config.yaml", own=OWN, train=STARTS) is not None
    plain = OWN.replace("(SFTTrainer)", "(Mixin, transformers.Trainer)")
    assert _found("recipes/grpo/config.yaml", own=plain, train=STARTS) is not None
