# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trainers' own programs took on an H100, against what is said of the same inputs from stored steps."""

from __future__ import annotations

import pytest

from bench.finetune.own_runs import judged, runs

STORED = (
    ("LLaMA-Factory", "8B QLoRA 1x2048"),
    ("LLaMA-Factory", "8B QLoRA 2x2048"),
)


@pytest.mark.parametrize("stored", STORED)
def test_a_stored_step_takes_what_the_trainer_took(stored):
    (run,) = (run for run in runs() if (run.program, run.name) == stored)
    ours = judged(run)
    assert ours.live == pytest.approx(run.allocated, rel=0.002)
    assert ours.reserved == pytest.approx(run.reserved, rel=0.03)
    needs = ours.least - ours.context
    assert needs < min(run.ran, default=needs + 1)


def test_every_limit_belongs_to_a_run():
    free = {(run.program, run.name): run for run in runs()}
    assert len(free) == 72
    limited = [run for run in free.values() if run.ran or run.failed or run.loads]
    assert len(limited) == 6
    assert all(max(run.failed, default=0) < min(run.ran, default=1 << 50) for run in limited)
