# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network refuses an argument: whether the config is to blame or the recipe that passes it."""

from __future__ import annotations

import pytest

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.build import network, networks_from, recipe
from trainlint.trace.building.passed import arguments_of

STEP = {
    "dialect": "basicsr",
    "recipe": "basicsr.SRModel",
    "networks.generator.arch": "RRDBNet",
    "networks.generator.args": {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 8, "num_block": 1},
}


def built(step, passed) -> None:
    args = {name: value for name, value in passed.items() if value is not None}
    with arguments_of(step):
        network({**step, "networks.generator.args": args}, "generator")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"widht": 8}, 'RRDBNet takes no argument "widht": the recipe passes it at '),
        ({"num_feat": "8"}, 'num_feat must be a positive integer, is "8": the recipe passes it at '),
        ({"num_in_ch": None}, 'the argument "num_in_ch" (a positive integer): the recipe leaves it out at '),
    ],
)  # fmt: skip
def test_what_the_config_does_not_say_is_the_recipes(change, said):
    with pytest.raises(CannotTraceError) as caught:
        built(STEP, {**STEP["networks.generator.args"], **change})
    assert not isinstance(caught.value, BadArgumentsError)
    assert said in str(caught.value)
    assert "/basicsr/recipes/" in str(caught.value)
    assert "what it takes is at " in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"widht": (8, 8)}, 'takes no argument "widht"'),
        ({"num_feat": "8"}, "num_feat must be a positive integer"),
        ({"num_in_ch": None}, 'needs the argument "num_in_ch"'),
    ],
)
def test_what_it_says_is_its_own(change, said):
    args = {**STEP["networks.generator.args"], **change}
    step = {**STEP, "networks.generator.args": {name: args[name] for name in args if args[name] is not None}}
    with pytest.raises(BadArgumentsError, match=said):
        built(step, args)


def test_a_field_that_the_trainer_passes_on_is_the_configs():
    """A network that does not take the trainer's scale does not work with it, whoever wrote its arguments."""
    with pytest.raises(BadArgumentsError, match='no argument "upscale"'):
        built(
            {**STEP, "upscale": 4, "networks.generator.args": {}},
            {**STEP["networks.generator.args"], "upscale": 4},
        )


def test_the_users_own_recipe_is_named_at_its_line(tmp_path):
    file = tmp_path / "step.py"
    file.write_text(
        "from trainlint.trace.building.build import network\n"
        'RECIPES = {"own.Step": "Step"}\n'
        "class Step:\n"
        "    def __init__(self, step, stage):\n"
        '        network({**step, "networks.generator.args": {"widht": 1}}, "generator")\n'
        "    def train_step(self, batch): ...\n"
        "    def validate(self, height, width): ...\n"
        "    def checkpoint(self): ...\n"
    )
    step = {**STEP, "recipe": "own.Step"}
    blamed = pytest.raises(CannotTraceError, match=r"step\.py:5, not the config")
    with networks_from([file]), blamed, arguments_of(step):
        recipe(step)(step, None)
