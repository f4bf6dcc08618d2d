# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Building networks: a limit, so that a typing mistake does not take the machine's memory."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.trace_here import MODULES
from trainlint.trace.building.build import bounded, build


def test_a_network_beyond_the_limit_is_given_up():
    args = {"num_in_ch": 3, "num_out_ch": 3, "num_block": 10**6}
    with torch.device("meta"), bounded(500), pytest.raises(CannotTraceError, match="more than 500 modules"):
        build("basicsr", "RRDBNet", args)


def test_the_limit_ends_with_the_building():
    before = nn.Module.__init__
    with bounded(3):
        nn.Linear(1, 1)
    assert nn.Module.__init__ is before


def test_a_lint_traces_no_network_of_more_modules_than_it_should() -> None:
    step = {
        "recipe": "basicsr.SRModel",
        "dialect": "basicsr",
        "networks.generator.arch": "MSRResNet",
        "networks.generator.args": {"num_block": MODULES // 3},
    }
    with pytest.raises(CannotTraceError, match=f"the networks have more than {MODULES:,} modules"):
        TapeSource().tape(step)
