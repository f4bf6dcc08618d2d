# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Weights are not initialised while a network is built on meta; a function kept meanwhile works later."""

from __future__ import annotations

import torch

from trainlint.trace.cuda import imitate


def test_a_function_that_a_library_kept_meanwhile_initialises_afterwards() -> None:
    before = torch.nn.init.normal_
    with imitate.no_initialisation():
        kept = torch.nn.init.normal_
        assert not kept(torch.zeros(8)).any()
    assert kept(torch.zeros(8)).any()
    assert torch.nn.init.normal_ is before
    with imitate.no_initialisation():
        assert not kept(torch.zeros(8)).any()
