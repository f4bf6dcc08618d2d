# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Autocast on meta: CUDA's lists, the weight casts, and what they cost in bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.trace.toys import live_at, run, step
from trainlint.trace.cuda import autocast, imitate

HEADER = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"


def _listed(text, name):
    body = re.search(rf"#define AT_FORALL_{name}\(_\)(.*?)\n\n", text, re.DOTALL).group(1)
    entries = re.findall(r"_\((\w+)(?:, (\w+))?\)", body)
    return {".".join(filter(None, entry)) for entry in entries}


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("LOWER_PRECISION_FP", autocast.LOWER_PRECISION),
        ("FP32", autocast.FP32),
        ("FP32_SET_OPT_DTYPE", autocast.FP32_OUTPUT),
        ("PROMOTE", autocast.PROMOTE),
    ],
)
def test_the_lists_are_torch_s_own(name, ours):
    if not HEADER.is_file():
        pytest.skip("this torch has no headers")
    assert set(ours) == _listed(HEADER.read_text(), name)


@pytest.fixture(params=[torch.float16, torch.bfloat16])
def half(request):
    with imitate.cuda(), torch.autocast("cuda", dtype=request.param):
        yield request.param


def meta(*shape, dtype=torch.float32, grad=False):
    return torch.empty(shape, dtype=dtype, device="meta", requires_grad=grad)


def test_results_have_cuda_s_types(half):
    x, wide = meta(4, 4), meta(4, 4, dtype=torch.float64)
    f = torch.nn.functional
    assert (x @ x).dtype == f.linear(x, x).dtype == torch.addmm(x, x, x).dtype == half
    assert f.conv2d(meta(1, 3, 8, 8), meta(2, 3, 3, 3), meta(2)).dtype == half
    low = x.to(half)
    assert (
        torch.exp(low).dtype == f.layer_norm(low, (4,)).dtype == f.mse_loss(low, low).dtype == torch.float32
    )
    assert f.l1_loss(low, low).dtype == f.interpolate(low[None, None], scale_factor=2).dtype == torch.float32
    assert f.softmax(low, -1).dtype == low.sum().dtype == low.norm().dtype == torch.float32
    assert low.sum(0, dtype=half).dtype == half
    assert (low + low).dtype == f.gelu(low).dtype == f.relu(low).dtype == low.mean().dtype == half
    assert (low + x).dtype == torch.addcmul(low, low, x).dtype == torch.float32
    assert torch.addcmul(low, low, low).dtype == half
    assert (wide @ wide).dtype == torch.float64
    assert torch.ones(2, 2).mm(torch.ones(2, 2)).dtype == torch.float32  # a CPU tensor is left alone


def test_it_is_asked_as_on_cuda(half):
    assert torch.is_autocast_enabled("cuda")
    assert torch.get_autocast_dtype("cuda") == half
    with torch.autocast("cuda", enabled=False):
        assert not torch.is_autocast_enabled("cuda")
        assert (meta(2, 2) @ meta(2, 2)).dtype == torch.float32
    assert (meta(2, 2) @ meta(2, 2)).dtype == half


def test_outside_nothing_is_cast():
    with imitate.cuda():
        with torch.autocast("cuda"):
            pass
        assert (meta(2, 2) @ meta(2, 2)).dtype == torch.float32
    assert not torch.is_autocast_enabled("cuda")


def test_gradients_flow_through_the_casts(half):
    weight = meta(4, 8, grad=True)
    (meta(2, 8) @ weight.t()).sum().backward()
    assert weight.grad.dtype == torch.float32


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)

    def forward(self, x):
        return self.b(self.a(self.a(x)))


def test_weight_casts_are_shared_and_live_until_autocast_ends():
    tape = run(step(net=Shared, precision="fp16"))
    casts = [b for b in tape.blocks if b.size.const == 8 * 8 * 2 and b.kind == "activations"]
    assert len(casts) == 2 * 2  # two weights, two steps; `a` is used twice and cast once
    # x in half, a(x), a(a(x)) are saved; so are both casts, for the gradients of a's second input and of b's
    kept = [size for size, kind in live_at(tape, "backward", 100, occurrence=2) if kind == "activations"]
    assert kept == [100 * 8 * 2] * 3 + [8 * 8 * 2] * 2 + [4]  # and the loss


def test_a_cast_that_nobody_saved_dies_with_autocast():
    tape = run(step(precision="bf16"))
    kept = [size for size, kind in live_at(tape, "backward", 100, occurrence=2) if kind == "activations"]
    assert kept == [100 * 8 * 2, 4]  # x in half and the loss: the weight is not needed, as x has no gradient


class Repeats(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 8))

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_checkpoint_keeps_its_input_and_repeats_in_the_same_precision(precision):
    tape = run(step(net=Repeats, precision=precision))
    width = 2 if precision == "fp16" else 4
    kept = [size for size, kind in live_at(tape, "backward", 1000, occurrence=2) if kind == "activations"]
    assert max(kept) < 1000 * 8  # nothing of the inner layers
    wide = [b for b in tape.blocks if b.size.batch == 64 * width and b.kind == "activations"]
    assert len(wide) == 2 * 2 * 2  # two layers' outputs, once forward and once more backward, two steps


class Scaled(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x):
        assert x.dtype == torch.float32
        assert not torch.is_autocast_enabled("cuda")
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        return grad * 2


def test_custom_functions_are_cast_as_they_ask(half):
    x = meta(4, 4, grad=True)
    Scaled.apply(x @ x).sum().backward()
    assert x.grad.dtype == torch.float32


def test_recurrent_layers_run_in_the_lower_precision():
    with torch.device("meta"):
        layer, x = torch.nn.LSTM(8, 8, bidirectional=True), torch.empty(5, 2, 8)
    with imitate.cuda("flash"), torch.autocast("cuda", dtype=torch.float16):
        out, _ = layer(x)
        out.sum().backward()
    assert out.dtype == torch.float16
    assert layer.weight_ih_l0.grad.dtype == torch.float32
