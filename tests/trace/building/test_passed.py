# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network refuses an argument: whether the config is to blame or the recipe that passes it."""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace import optimizers
from trainlint.trace.building.argument_origin import arguments_of
from trainlint.trace.building.build import network, networks_from, recipe
from trainlint.trace.recording.storage_ledger import StorageLedger

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


def optimizer(step, kind, **options) -> None:
    weight = torch.nn.Parameter(torch.empty(2, device="meta"))
    with arguments_of({**STEP, **step}):
        optimizers.build(StorageLedger(), "generator", [weight], kind, options)


def entry(**options) -> dict:
    return {"optimizers": [{"role": "generator", **options}]}


@pytest.mark.parametrize(
    ("step", "kind", "options", "does"),
    [
        ({}, "Adm", {}, "names it"),
        (entry(type="Adam"), "Adm", {}, "names it"),
        (entry(type="Adam"), "Adam", {"lrr": 8}, "passes lrr"),  # eight is what num_feat is
        (entry(type="Adam"), "SGD", {"nesterov": True}, "passes nesterov"),
        (entry(type="Adam"), "Adam", {"fused": True, "foreach": True}, "passes fused and foreach"),
    ],
)
def test_an_optimizer_that_no_config_names_is_the_recipes(step, kind, options, does):
    with pytest.raises(CannotTraceError, match=rf"the recipe {does} at .*/recipes/.*, not the con") as caught:
        optimizer(step, kind, **options)
    assert not isinstance(caught.value, BadArgumentsError)


@pytest.mark.parametrize(
    ("step", "options"),
    [
        (entry(type="Adam", lrr=1), {"lrr": 1}),
        ({"options": {"opt_kwargs": ["lrr=1"]}}, {"lrr": 1}),  # as timm's command line has it
        (entry(type="Adam", wd=-3), {"weight_decay": -3}),  # under another name
        (entry(type="Adam", fused=True), {"fused": True, "foreach": True}),
    ],
)
def test_an_option_that_the_config_may_name_is_its_own(step, options):
    with pytest.raises(BadArgumentsError, match="Adam cannot be built: ") as caught:
        optimizer(step, "Adam", **options)
    assert "recipe" not in str(caught.value)
    assert caught.value.about == "optimizers:generator"


def test_an_unknown_optimizer_of_the_config_is_not_the_recipes():
    with pytest.raises(CannotTraceError) as caught:
        optimizer(entry(type="lion"), "Lion")  # kair's recipe spells names as torch does
    assert str(caught.value) == 'unknown optimizer "Lion"'
