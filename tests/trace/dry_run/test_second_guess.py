# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Two more rounds with other values show what a second run would; what goes wrong in them shows nothing."""

from __future__ import annotations

import pytest

from tests.trace.dry_run.programs import dry_run

PROGRAM = """
    import torch
    from torch import nn
    from torch.nn import functional as F

    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    {before}
    for step in range(20):
        loss = F.mse_loss(net(torch.rand(32, 64, device="cuda")), torch.zeros(32, 64, device="cuda"))
        optimizer.zero_grad()
        loss.backward()
        {read}
        optimizer.step()
"""
USUAL = {"value": 1, "boolean": True}
OTHER = {"value": 0, "boolean": False, "sizes": "high"}


@pytest.mark.parametrize(
    ("before", "read", "alike"),
    [
        pytest.param("", "print(loss.item())", True, marks=pytest.mark.torch),
        pytest.param(
            "", 'more = torch.ones(int(loss * 2**20), device="cuda")', False, marks=pytest.mark.slow
        ),
        pytest.param("", "print(1 / loss.item())", None, marks=pytest.mark.slow),
        pytest.param("print(net(torch.rand(2, 64).cuda()).sum().item())", "", None, marks=pytest.mark.slow),
        pytest.param("", "if step < 1: print(loss.item())", None, marks=pytest.mark.slow),
        pytest.param("", "if not loss < 1: raise SystemExit(3)", None, marks=pytest.mark.slow),
    ],
)
def test_the_steps_take_as_much_or_not(before, read, alike, tmp_path):
    ran = dry_run(
        tmp_path, PROGRAM.format(before=before, read=read), guess={**OTHER, **USUAL}, other_guess=OTHER
    )
    outcome = ran.outcome
    assert (outcome["status"], outcome["rounds"], outcome["crash"]) == ("recorded", 3, None), ran.printed
    tried = outcome.get("tried") or []
    assert (len(set(tried)) == 1 if tried else None) is alike
    assert len(tried) in (0, 3)


@pytest.mark.slow
def test_two_rounds_have_the_tape_of_three(tmp_path):
    program = PROGRAM.format(before="", read="print(loss.item())")
    two, three = (dry_run(tmp_path, program, f"of_{rounds}", rounds=rounds) for rounds in (2, 3))
    assert [ran.outcome["rounds"] for ran in (two, three)] == [2, 3]
    assert two.outcome["optimizers"] == 1
    assert two.recording.read_bytes() == three.recording.read_bytes()
