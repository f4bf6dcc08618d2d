# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Choices that a source ends with an error: which names are in no chain, and which may be elsewhere."""

from __future__ import annotations

import pytest

from trainlint.repository.choices.closed_choices import is_closed, looked_up
from trainlint.repository.trainer.mentioned_words import Words

CHAIN = """\
def define_G(opt):
    net_type = opt['net_type']
    if net_type == 'one':
        from net import One as net
    elif net_type in ['two', 'three']:
        from net import Two as net
    else:
        raise NotImplementedError(net_type)
    return net()
"""
DIRECT = """\
class Model:
    def define_optimizer(self):
        if self.opt_train['net_type'] == 'adam':
            self.optimizer = Adam()
        else:
            raise NotImplementedError

    def other(self):
        raise ValueError
"""


@pytest.mark.parametrize(
    "text",
    [
        CHAIN,
        DIRECT,
        CHAIN.replace("opt['net_type']", "opt.get('net_type').lower()"),
        CHAIN + "\ndef main(opt):\n    if opt['net_type'] == 'two':\n        print(opt)\n",
        "'''\nselects a network\n'''\n" + CHAIN,
    ],
)
def test_a_chain_that_raises_in_the_end_has_no_other_choice(text):
    assert is_closed(Words([text]), "net_type")


@pytest.mark.parametrize(
    "text",
    [
        "",
        CHAIN.replace("        raise NotImplementedError(net_type)\n", "        net = Plain\n"),
        CHAIN.replace("    return net()", "    return getattr(nets, net_type)()"),
        CHAIN + "\ndef define_also(opt):\n    return REGISTRY[opt['net_type']]\n",
        CHAIN
        + "\ndef define_H(opt):\n    n = opt['net_type']\n    if n == 'a': pass\n    elif n == 'b': pass\n",
        "def f(opt):\n    return KNOWN[opt['net_type']]\n\ndef g(a):\n    if a == 'x': raise E\n",
    ],
)
def test_what_may_be_chosen_elsewhere_is_open(text):
    assert not is_closed(Words([text]), "net_type")


TABLE = """\
def define_Model(opt):
    model = opt['model']
    if {}:
        from models.model_plain import ModelPlain as M
    else:
        raise NotImplementedError(model)
"""


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("model == 'plain'", None),
        ("model in ['plain', 'plain2']", None),
        ("model in MODELS", 3),
        ("MODELS[model]", 3),
        ("MODELS.get(model)", 3),
        ("hasattr(models, model.title())", 3),
        ("import_module(f'models.{model}')", None),  # no module's function: one of its own
        ("importlib.import_module(f'models.{model}')", 3),
    ],
)
def test_a_value_may_be_looked_up_in_what_has_more_names(asked, line):
    words = Words([TABLE.format(asked)], ["models/select_model.py"])
    found = looked_up(words, "model", None)
    assert found == (line and f"models/select_model.py:{line}")


def test_a_key_that_many_mappings_have_is_one_of_its_own():
    text = "def build(opt):\n    name = opt['scheduler'].pop('type')\n    return TABLE[name]\n"
    words = Words([text], ["models/base_model.py"])
    assert looked_up(words, "type", "scheduler") == "models/base_model.py:3"
    assert looked_up(words, "type", "optim_g") is None


def test_a_file_has_a_name_where_imports_are_made_by_names():
    files = ["models/network_own.py"]
    assert Words(["net = importlib.import_module('models.network_' + kind)\n"], files).names_file("own")
    assert not Words(["from models.network_own import Own\n"], files).names_file("own")
    assert not Words(["net = importlib.import_module('models.network_' + kind)\n"], files).names_file("wn")
