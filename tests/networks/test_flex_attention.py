# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""FlexAttention by its shapes: what it keeps for the backward, and which gradients it makes."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.flex_attention import flex_attention

SIDE, HEADS, WIDTH = 4, 2, 8
TOKENS = SIDE * SIDE


def inputs(batch: int = 3):
    return [torch.empty(batch, HEADS, TOKENS, WIDTH, device="meta", requires_grad=True) for _ in range(3)]


@pytest.fixture
def bias():
    return torch.empty(HEADS, 2 * TOKENS - 1, device="meta", requires_grad=True)


@pytest.mark.parametrize("from_a_table", [False, True])
def test_it_keeps_its_inputs_its_output_and_one_number_for_each_row(bias, from_a_table):
    table = torch.empty(TOKENS, TOKENS, dtype=torch.int64, device="meta")

    def score(found, _b, head, query, key):
        return found + bias[head, table[query, key] if from_a_table else key - query + TOKENS - 1]

    query, key, value = inputs()
    out = flex_attention(query, key, value, score_mod=score)
    assert (out.shape, out.stride()) == (query.shape, query.stride())
    kept = {tuple(tensor.shape) for tensor in out.grad_fn.saved_tensors}
    assert kept == {tuple(query.shape), (3, HEADS, TOKENS), tuple(bias.shape)}
    out.sum().backward()
    assert [tuple(t.grad.shape) for t in (query, value, bias)] == [
        (3, HEADS, TOKENS, WIDTH), (3, HEADS, TOKENS, WIDTH), tuple(bias.shape)
    ]  # fmt: skip


def test_without_a_score_of_its_own(bias):
    query, key, value = inputs()
    out = flex_attention(query, key, value)
    assert len(out.grad_fn.saved_tensors) == 5


def test_what_is_not_known_is_refused():
    query, key, value = inputs()
    with pytest.raises(CannotTraceError, match="without a block mask"):
        flex_attention(query, key, value, block_mask=object())
    with pytest.raises(CannotTraceError, match=r"score_mod of flex_attention cannot be followed"):
        flex_attention(query, key, value, score_mod=lambda *_: 1 / 0)
