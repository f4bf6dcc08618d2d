# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Command lines read as their script's argparse reads them, and what it says of wrong ones."""

from __future__ import annotations

import pytest

from trainlint.config.edit import rename_key
from trainlint.config.place_map import Places
from trainlint.dialects.schema.argparse_arguments import unresolved
from trainlint.model.document import Document, Source

from .dialect_jobs import command, fields, said

VAE = "python train_vae.py --data_path ./faces "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--accumulation_steps 2", "unrecognized arguments: --accumulation_steps 2"),
        ("--image_size big", "argument --image_size: invalid int value: 'big'"),
        ("--learning_rate fast", "argument --learning_rate: invalid float value: 'fast'"),
        ("--batch_size", "argument --batch_size: expected one argument"),
        ("--mixed_precision yes", "unrecognized arguments: yes"),
        ("--batch-size 4", 'unrecognized arguments: --batch-size 4; did you mean "--batch_size"?'),
        ("--num_epocs 3", 'unrecognized arguments: --num_epocs 3; did you mean "--num_epochs"?'),
        ("--num 4", "ambiguous option: --num could match --num_epochs, --num_workers"),
    ],
)
def test_what_argparse_refuses(arguments, message):
    problems = command(VAE + arguments, "vae").problems
    assert message in [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("IMAGE_SIZE", False),
        ("THE_IMAGE_SIZE_PER_SIDE", False),
        ("SIZE_FOR_TRAINING", False),
        ("YOUR_CHOICE", False),
        ("BIG", True),
        ("BIG_ONE", True),
    ],
)
def test_a_flag_s_own_name_in_capitals_stands_for_a_value(text, wrong):
    messages = [problem.message for problem in command(f"{VAE}--image_size {text}", "vae").problems]
    assert any("--image_size" in message for message in messages) is wrong


@pytest.mark.parametrize(
    "script",
    [
        "B='--mixed_precision --batch_size 4'\n{} $B",
        'B=(--mixed_precision --batch_size 4)\n{} "${{B[@]}}"',
        "{} \"--mixed_precision\" '--batch_size' 4",
        '{} --mixed"_precision" --batch_"size"=4',
        "{} --mixed_preci\\\nsion --batch_size=4",
        "B=batch_size\n{} --mixed_precision --$B 4",
    ],
)
def test_a_flag_is_what_the_program_gets(script):
    made = command(script.format(VAE), "vae")
    assert said(made) == []
    assert fields(made, "precision", "batch.per_process") == ("fp16", 4)


def test_a_wrong_flag_of_a_variable_is_named_as_argparse_names_it():
    text = "B='--batch-size 4'\n" + VAE + "$B"
    made = command(text, "vae")
    assert said(made) == [
        ("unknown-key", 'unrecognized arguments: --batch-size 4; did you mean "--batch_size"?')
    ]
    assert rename_key(made.document, ("batch_size",), "batch_size") is None


def test_a_required_flag():
    made = command("python train_vae.py --batch_size 2", "vae")
    assert said(made) == [("missing-key", "the following arguments are required: --data_path")]


def test_a_flag_given_twice():
    made = command(VAE + "--batch_size 4 --batch_size 8", "vae")
    assert said(made) == [("duplicate-key", "--batch_size is given twice: the parser keeps the last value")]
    assert fields(made, "batch.per_process") == (8,)


def test_a_flag_given_twice_with_one_value_loses_nothing():
    assert said(command(VAE + "\\\n--batch_size 4 \\\n--batch_size 4\n", "vae")) == []


def test_flags_may_be_shortened_and_joined():
    made = command(VAE + "--image 256 --batch_size=2 --mixed", "vae")
    assert said(made) == []
    assert fields(made, "crop.hr", "batch.per_process", "precision") == (256, 2, "fp16")


def test_the_last_of_two_flags_counts():
    made = command(VAE + "--batch_size 4 --batch_size 8", "vae")
    assert [rule for rule, _ in said(made)] == ["duplicate-key"]
    assert made.spec["batch.per_process"] == 8


def test_an_unset_variable_is_not_judged():
    made = command(VAE + "--image_size $SIZE --batch_size 2", "vae")
    assert said(made) == []
    assert fields(made, "crop.hr", "batch.per_process") == (None, 2)


def test_an_abridged_command_has_no_defaults():
    made = command("python train_vae.py --image_size 512 ...", "vae")
    assert said(made) == []
    assert fields(made, "crop.hr", "batch.per_process", "duration.epochs") == (512, None, None)


def test_places_are_those_of_the_flag():
    text = VAE + "--accumulation_steps 2"
    made = command(text, "vae")
    place = made.document.places[made.problems[0].path]
    assert text[place.key.start : place.key.end] == "--accumulation_steps"
    assert text[place.value.start : place.value.end] == "2"


def test_a_key_that_is_null_stands_for_nothing():
    """args.yaml of timm's with `~: TEXT` was an internal error."""
    document = Document(
        Source("args.yaml", "~: TEXT\n"), {"model": "resnet18", None: "TEXT"}, Places({}), "yaml"
    )
    assert unresolved(document) == set()
