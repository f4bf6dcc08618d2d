# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A language model's step under DistributedDataParallel follows from the step alone."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pytest
import torch

from tests.recipes.test_language import LITGPT, SFT
from trainlint.estimate.replay.gpu_ledger import Samples, check_closed, ledger
from trainlint.tape import ddp_buckets
from trainlint.tape.ddp_buckets import alone, with_buckets
from trainlint.trace.parallel import distributed
from trainlint.trace.trace import trace


def test_buckets_are_those_of_the_tracer() -> None:
    assert ddp_buckets.FIRST_BUCKET_BYTES == distributed.FIRST_BUCKET_BYTES
    assert ddp_buckets.BUCKET_BYTES == distributed.BUCKET_BYTES
    sizes = [300_000, 800_000, 20 << 20, 8 << 20, 40 << 20, 4]
    parameters = [torch.empty(size // 4, device="meta") for size in sizes]
    traced = [[p.numel() * 4 for p in group] for group in distributed.buckets(parameters)]
    assert ddp_buckets._groups(sizes) == traced == [[300_000, 800_000], [20 << 20, 8 << 20], [40 << 20], [4]]


def test_steps_that_keep_more_than_buckets_do_not_follow() -> None:
    assert alone(SFT) is None
    assert alone(SFT | {"parallel": "dp"}) is None
    assert alone(SFT | {"parallel": "ddp"}) == SFT
    assert alone(SFT | {"parallel": "ddp", "options": {"find_unused_parameters": True}}) is None


@pytest.mark.torch
@pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("peft") is None,
    reason="transformers or peft is not installed",
)
@pytest.mark.parametrize("changes", [{}, {"adapter.rank": 64}, {"accumulate": 2, "checkpointing": True}])
def test_it_is_as_a_trace_of_it_has_it(changes) -> None:
    step = SFT | changes | {"parallel": "ddp"}
    traced = trace(step, batches=(2,), verify=False)
    made = with_buckets(trace(SFT | changes, batches=(2,), verify=False), step)
    assert made is not None
    check_closed(made)
    assert made.key == traced.key
    buckets = [[b for b in tape.blocks if b.owner.endswith("DDP buckets")] for tape in (made, traced)]
    assert buckets[0] == buckets[1] != []
    samples = Samples(2, 2)
    assert ledger(made).peak(samples).allocated == ledger(traced).peak(samples).allocated


@pytest.mark.torch
def test_a_step_whose_gradients_are_not_all_there_has_none() -> None:
    tape = trace(LITGPT, batches=(2,), verify=False)
    (network,) = tape.networks
    assert network.trainable
    more = replace(tape, networks=(replace(network, trainable=network.trainable + 1),))
    assert with_buckets(more, LITGPT | {"parallel": "ddp"}) is None
