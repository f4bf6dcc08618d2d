# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys whose readers take nothing for a value."""

from __future__ import annotations

import pytest

from trainlint.repository.keys.asked_for_none import may_be_none
from trainlint.repository.trainer.mentioned_words import Words

ASKS = "if self.opt['network_d'] is not None:\n    self.net_d = build(self.opt['network_d'])\n"
NEEDS = "self.net_d = build(self.opt['network_d'])\n"


@pytest.mark.parametrize(
    "text",
    [
        ASKS,
        "if opt.get('network_d'):\n    pass\n",
        "if not opt['network_d']:\n    pass\n",
        "size = opt['network_d'] or 96\n",
        "size = opt['network_d'] if opt['network_d'] else 96\n",
        "self.d = opt.get('network_d', None)\nif self.d is None:\n    pass\n",
        "if train and opt.network_d:\n    pass\n",
        "if opt['n']:\n    opt['train']['network_d'] = opt['n']\n",
    ],
)
def test_a_question_takes_nothing(text):
    assert may_be_none(Words([text], ["models/own_model.py"]), "network_d", everywhere=True)


@pytest.mark.parametrize(
    "text",
    [
        NEEDS,
        "opt['network_d'] = None\n",
        "logs['network_d'] = 1\n",
        "if opt['network_d'] == 'none':\n    pass\n",
        "if 'network_d' in opt:\n    pass\n",
        "d = opt['network_d']\nif opt['other'] is None:\n    pass\n",
    ],
)
def test_no_question_takes_none(text):
    assert not may_be_none(Words([text], ["models/own_model.py"]), "network_d", everywhere=False)


def test_another_class_may_need_it_and_no_script():
    of_class = Words([ASKS, NEEDS], ["models/own_model.py", "models/gan_model.py"])
    assert may_be_none(of_class, "network_d", everywhere=False)
    assert not may_be_none(of_class, "network_d", everywhere=True)
    of_script = Words([ASKS, NEEDS], ["models/own_model.py", "train.py"])
    assert not may_be_none(of_script, "network_d", everywhere=False)
    handed = Words([ASKS, "part['network_d'] = opt['network_d']\n"], ["models/own_model.py", "train.py"])
    assert may_be_none(handed, "network_d", everywhere=True)
