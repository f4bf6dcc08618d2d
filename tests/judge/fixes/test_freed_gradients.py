# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Gradients that a trainer zeroes and keeps: it is offered to free them, which costs nothing."""

from __future__ import annotations

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.dialects import load_dialects
from trainlint.judge.fixes.proposal import from_rule
from trainlint.judge.rule_folders import load_rules
from trainlint.judge.rule_scope import scope_of
from trainlint.model.facts import Facts, GpuMemory, Limits, Memory
from trainlint.model.target import Gpu, Target

GIB = 2**30
CARD = Gpu("card", "Card", 8 * GIB, 0, 9.0, 10, 1e12, 1e13, 0, 0, 0, False, "11.0", None, "none")
NEEDED = GpuMemory(9 * GIB, 9 * GIB, 9 * GIB, 9 * GIB, 0, 8 * GIB)
MODEL = "--pretrained_model_name_or_path stable-diffusion-v1-5/stable-diffusion-v1-5"


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        (f"train_dreambooth.py {MODEL} --instance_data_dir a --instance_prompt b", True),
        (f"train_dreambooth.py {MODEL} --instance_data_dir a --instance_prompt b --set_grads_to_none", False),
        (f"train_controlnet.py {MODEL} --conditioning_image_column c --train_data_dir d", True),
        (f"train_text_to_image.py {MODEL} --train_data_dir d", False),
    ],
)
def test_they_are_freed_where_the_script_keeps_them(command: str, offered: bool) -> None:
    dialect, (job, *_) = jobs(f"accelerate launch {command}", "train.sh")
    assert dialect == "diffusers"
    rule = next(rule for rule in load_rules((), dialects=load_dialects()) if rule.name == "vram-budget")
    facts = Facts(memory=Memory((NEEDED,), {}, 0, "train", limits=Limits(largest_batch=1)))
    fix = next(fix for fix in rule.fixes if fix.field == "doc.set_grads_to_none")
    made = from_rule(job, scope_of(job, Target("machine", CARD, 1), facts), rule, fix)
    assert [bool(proposal.figure) for proposal in made] == [True] * offered
