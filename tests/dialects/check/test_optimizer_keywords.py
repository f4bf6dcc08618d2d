# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of torch's signatures is what the installed torch says."""

from __future__ import annotations

import json

import pytest

from trainlint.dialects.check.optimizer_keywords import TABLE, unknown_arguments

NOTE = {"of": "schedulers", "own": {"OwnLR": ["period"], "AliasLR": "CosineAnnealingLR"}}


def said(value, note=NOTE):
    return [
        (p.path[-1], p.suggestion, p.doubt is not None) for p in unknown_arguments(note, ("train",), value)
    ]


def test_torchs_own_classes_are_certain_and_a_trainers_are_not():
    assert said({"type": "StepLR", "step_size": 3, "verbose": True}) == []
    assert said({"type": "StepLR", "step_sizes": 3}) == [("step_sizes", "step_size", False)]
    assert said({"type": "OwnLR", "perod": 3}) == [("perod", "period", True)]
    assert said({"type": "AliasLR", "T_max": 3, "eta_min": 0}) == []
    assert said({"type": "AliasLR", "eta_mins": []}) == [("eta_mins", "eta_min", False)]


def test_a_class_that_is_not_known_takes_anything():
    assert said({"type": "FooLR", "bar": 1}) == []
    assert said({"bar": 1}) == []
    assert said(None) == []


def test_case_counts_unless_it_is_folded():
    assert said({"type": "steplr", "x": 1}) == []
    assert said({"type": "steplr", "x": 1}, NOTE | {"folded": True}) == [("x", None, False)]


def test_the_table_knows_what_the_installed_torch_takes():
    torch = pytest.importorskip("torch")
    from bench.tables.torch_signatures import signatures  # noqa: PLC0415  # imports torch

    table = json.loads(TABLE.read_text(encoding="utf-8"))
    found = {
        "optimizers": signatures(torch.optim, torch.optim.Optimizer),
        "schedulers": signatures(torch.optim.lr_scheduler, torch.optim.lr_scheduler.LRScheduler),
    }
    for kind, classes in found.items():
        for name, taken in classes.items():
            assert set(taken) <= set(table[kind][name]), name
