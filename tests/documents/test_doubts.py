# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program does besides its trainer's arguments: what is not known to be trained is not counted."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from trainlint.documents.file_format import read
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.document import Source
from trainlint.model.launcher import Launcher
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

IMPORTS = """\
import torch
from elsewhere import Halt, freeze, print_trainable_parameters
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
"""
LOADED = 'model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype=torch.bfloat16)\n'
ARGUMENTS = 'args = TrainingArguments("out", bf16=True)\n'
TRAINED = "Trainer(model, args, train_dataset=samples).train()\n"
OTHER = 'teacher = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")\n'


def notes(text: str) -> dict[str, str]:
    (document,) = read(Source("train.py", IMPORTS + dedent(text)))
    names = {"@frozen", "@handed", "@rebuilt", "@optimizer", "@hooked", "@untrained"}
    return {name: value for name, value in document.value.items() if name in names}


@pytest.mark.parametrize(
    ("between", "key"),
    [
        ("model.requires_grad_(False)", "@frozen"),
        ("model.model.embed_tokens.requires_grad_(FLAG)", "@frozen"),
        ("for p in model.parameters(): p.requires_grad = False", "@frozen"),
        ("for n, p in model.named_parameters():\n    if '27' not in n: p.requires_grad = False", "@frozen"),
        ("for n, p in model.named_parameters(): p.requires_grad = '27' in n", "@frozen"),
        (
            "for b in model.model.layers[:27]:\n    for p in b.parameters(): p.requires_grad = False",
            "@frozen",
        ),
        ("for p in model.parameters(): setattr(p, 'requires_grad', False)", "@frozen"),
        (
            "def only_head(m):\n    for p in m.parameters(): p.requires_grad = False\nonly_head(model)",
            "@frozen",
        ),
        ("freeze(model)", "@handed"),
        ("def prepare(m):\n    freeze(m)\nprepare(model)\nprepare(model)", "@handed"),
        ("def prepare(m):\n    freeze(m.model)\n    return m\nmodel = prepare(model)", "@handed"),
        ("model.model.layers = model.model.layers[:4]", "@rebuilt"),
        ("def cut(m):\n    del m.model.layers[4:]\ncut(model)", "@rebuilt"),
        ("for p in model.parameters(): p.register_post_accumulate_grad_hook(step)", "@hooked"),
    ],
)
def test_what_is_done_to_a_model_before_it_trains_is_noted(between: str, key: str) -> None:
    assert set(notes(f"{LOADED}{ARGUMENTS}{between}\n{TRAINED}")) == {key}


@pytest.mark.parametrize(
    "between",
    [
        "",
        "model.config.use_cache = False",
        "model.gradient_checkpointing_enable()",
        "model.requires_grad_(True)",
        "for p in model.parameters(): p.requires_grad = True",
        "print_trainable_parameters(model)",
        "print(sum(p.numel() for p in model.parameters() if p.requires_grad))",
        f"{OTHER}teacher.requires_grad_(False)",
        f"{OTHER}for p in teacher.parameters(): p.requires_grad = False",
        f"{OTHER}freeze(teacher)",
        "def count(m):\n    return len(list(m.parameters()))\nprint(count(model))",
    ],
)
def test_what_leaves_all_of_it_to_be_trained_is_not(between: str) -> None:
    assert notes(f"{LOADED}{ARGUMENTS}{between}\n{TRAINED}") == {}


def test_nor_is_what_is_done_once_it_has_trained() -> None:
    assert notes(f"{LOADED}{ARGUMENTS}{TRAINED}freeze(model)\nmodel.requires_grad_(False)\n") == {}


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("optimizers=(torch.optim.SGD(model.lm_head.parameters()), None)", "@optimizer"),
        ("optimizers=make()", "@optimizer"),
        ("optimizers=(None, schedule)", ""),
        ("callbacks=[Halt()]", "@handed"),
        ("callbacks=[Own()]", ""),
    ],
)
def test_what_a_trainer_is_given_is_noted(given: str, key: str) -> None:
    trained = TRAINED.replace("train_dataset", f"{given}, train_dataset")
    assert set(notes(f"class Own:\n    pass\n{LOADED}{ARGUMENTS}{trained}")) == ({key} if key else set())


@pytest.mark.parametrize(
    ("ending", "condition"),
    [
        ("t.train()", None),
        ("if options.resume:\n    t.train(True)\nelse:\n    t.train()", None),
        ("for fold in folds:\n    t.train()", None),
        ("try:\n    t.train()\nexcept Exception:\n    raise", None),
        ("run(t)", None),
        ("TRAIN = True\nif TRAIN:\n    t.train()", None),
        ("if args.do_train:\n    t.train()", "the program trains only if args.do_train"),
        ("if options.check:\n    pass\nelse:\n    t.train()", "the program trains only unless options.check"),
        ("if False:\n    t.train()\nt.evaluate()", "nothing in the program calls the trainer's train()"),
        ("t.evaluate()", "nothing in the program calls the trainer's train()"),
    ],
)
def test_what_training_hangs_on_is_noted(ending: str, condition: str | None) -> None:
    text = f"{LOADED}{ARGUMENTS}t = Trainer(model, args, train_dataset=samples)\n{ending}\n"
    assert notes(text).get("@untrained") == condition


def test_arguments_that_say_that_it_trains_are_read() -> None:
    arguments = ARGUMENTS.replace("bf16", "do_train=True, bf16")
    assert notes(f"{LOADED}{arguments}if args.do_train:\n    {TRAINED}") == {}


def judged(text: str, launcher: Launcher | None = None, path: str = "train.py") -> tuple[str, str]:
    """Return the level of what a model takes on a card, and what that is."""
    settings = Settings(target=("rtx-3090",), launcher=launcher)
    pipeline = pipeline_for(settings, TapeSource(may_trace=False))
    result, *_ = pipeline.lint_source(Source(path, text), named=True)
    level = next((f.level.value for f in result.findings if f.rule == "base-model-beyond-card"), "")
    model = result.facts.model if result.facts is not None else None
    return level, model.words if model is not None else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOADED + ARGUMENTS + TRAINED, ("warn", "weights, gradients and optimizer states")),
        (LOADED + ARGUMENTS + "freeze(model)\n" + TRAINED, ("", "weights")),
        (LOADED + ARGUMENTS + "model.model.layers = some\n" + TRAINED, ("", "")),
        (LOADED + ARGUMENTS.replace("bf16", "use_cpu=True, bf16") + TRAINED, ("", "")),
        (
            LOADED + ARGUMENTS + TRAINED.replace("train_d", "optimizers=make(), train_d"),
            ("warn", "weights and gradients"),
        ),
        (
            LOADED + ARGUMENTS + f"if args.do_train:\n    {TRAINED}",
            ("warn", "weights, gradients and optimizer states"),
        ),
    ],
)
def test_what_is_not_known_to_be_trained_is_not_counted(text: str, expected: tuple[str, str]) -> None:
    assert judged(IMPORTS + text) == expected


def test_a_program_fails_where_accelerate_does_not_start_it() -> None:
    """`accelerate launch` reads in its own config whether DeepSpeed offloads: no program says so."""
    text = IMPORTS + LOADED + ARGUMENTS + TRAINED
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    whole = "weights, gradients and optimizer states"
    assert judged(text) == ("warn", whole)
    assert judged(text, Launcher("none", "setting")) == ("fail", whole)
    assert judged(notebook, path="train.ipynb") == ("fail", whole)
