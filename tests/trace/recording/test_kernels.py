# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CUDA's kernels on meta: what dropout, attention and batch norm keep for the backward."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.trace.toys import ALLOC, MARK, live_at, run, step
from trainlint.trace.cuda import imitate
from trainlint.trace.cuda.memory_formats import returned
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger


def saved(net, batch, shape, **fields):
    """Return the sizes of the activations that live when the backward begins, without the loss."""
    tape = run(step(net=net, shape=shape, **fields.pop("recipe", {})), **fields)
    found = [size for size, kind in live_at(tape, "backward", batch, occurrence=2) if kind == "activations"]
    found.remove(4)
    return found


def test_dropout_keeps_one_byte_per_element():
    net = lambda: nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.Linear(16, 4))  # noqa: E731  # called by its name below
    assert saved(net, 1000, (8,)) == [
        1000 * 16 * 4,
        1000 * 16,
    ]  # its output (for the second layer) and the mask


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_nothing_or_all_has_no_mask(p):
    net = lambda: nn.Sequential(nn.Linear(8, 16), nn.Dropout(p), nn.Linear(16, 4))  # noqa: E731  # called by its name below
    assert 1000 * 16 not in saved(net, 1000, (8,))


def test_batch_norm_keeps_its_input_and_two_vectors():
    net = lambda: nn.Sequential(nn.Conv2d(3, 5, 1), nn.BatchNorm2d(5))  # noqa: E731  # called by its name below
    # cuDNN's reserve is empty where only batch norm is fused, which is what PyTorch asks for
    assert saved(net, 100, (3, 8, 8)) == [100 * 5 * 64 * 4, 20, 20]


def test_synchronised_batch_norm_keeps_what_batch_norm_keeps():
    net = lambda: nn.Sequential(nn.Conv2d(3, 5, 1), nn.SyncBatchNorm(5))  # noqa: E731  # called by its name below
    assert saved(net, 100, (3, 8, 8), parallel="ddp") == [100 * 5 * 64 * 4, 20, 20]


class ChannelNorm(nn.Module):
    """A convolution, and a norm over the channels of every pixel."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 16, 3, padding=1), nn.LayerNorm(16)
        self.to(memory_format=self.format)

    def forward(self, x):
        return self.norm(self.conv(x).permute(0, 2, 3, 1).contiguous())


PIXELS = 100 * 16 * 8 * 8 * 4


@pytest.mark.parametrize(("layout", "maps"), [(torch.channels_last, 2), (torch.contiguous_format, 3)])
def test_a_convolution_with_channels_last_returns_channels_last(layout, maps):
    """Its weight's layout is enough (ConvUtils.h): what the norm wants is then a view."""
    tape = run(step(net=type("Net", (ChannelNorm,), {"format": layout}), shape=(3, 8, 8)))
    made = [b for b in tape.blocks if b.size.at(100, 100, 0) == PIXELS and b.kind == "activations"]
    assert len(made) == 2 * maps  # the convolution's output, its copy, the norm's output; two steps


@pytest.mark.parametrize(
    ("x", "weight"),
    [
        ((2, 8, 6, 6), (4, 8, 3, 3)),
        ((2, 8, 6, 6), (8, 1, 3, 3)),  # depthwise
        ((2, 8, 6, 6), (4, 8, 1, 1)),
    ],
)
def test_layouts_of_convolutions(x, weight):
    x, weight = torch.empty(x, device="meta"), torch.empty(weight, device="meta")
    last = torch.channels_last
    out = torch.empty(2, 4, 6, 6, device="meta")
    for given in ((x.to(memory_format=last), weight), (x, weight.to(memory_format=last))):
        assert returned("convolution", given, out).stride() == (4 * 36, 1, 6 * 4, 4)
        assert returned("mm", given, out) is out
    assert returned("convolution", (x, weight), out) is out
    wide = x.to(memory_format=last).double(), weight.double()
    assert returned("convolution", wide, out) is out


class Attention(nn.Module):
    heads, head, masked, causal = 4, 16, False, False

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 3 * self.heads * self.head)
        if self.masked:
            self.bias = nn.Parameter(torch.empty(1, self.heads, 32, 32))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias if self.masked else None)


def attention(**attributes):
    return type("Attention", (Attention,), attributes)


B, L, H, D = 10, 32, 4, 16
QKV, OUT, LSE, SCORES = B * L * 3 * H * D, B * L * H * D, B * H * L * 4, B * H * L * L


def test_fp32_attention_is_memory_efficient():
    kept = saved(attention(), B, (L, 8))
    assert kept == [QKV * 4, OUT * 4, LSE, 8, 8]  # q, k, v share a storage; seed and offset


def test_half_attention_without_a_mask_is_flash():
    kept = saved(attention(), B, (L, 8), recipe={"precision": "bf16"})
    assert kept[:3] == [QKV * 2, OUT * 2, B * L * 8 * 2] or kept[:3] == [QKV * 2, B * L * 8 * 2, OUT * 2]
    assert LSE in kept
    assert SCORES * 2 not in kept


def test_a_mask_is_kept_but_not_expanded():
    kept = saved(attention(masked=True), B, (L, 8), recipe={"precision": "bf16"})
    assert max(kept) == QKV * 2
    assert H * 32 * 32 * 2 in kept  # the bias in half precision, once for all samples


def test_before_ampere_bf16_attention_materialises_the_scores():
    kept = saved(attention(), B, (L, 8), recipe={"precision": "bf16"}, attention="efficient")
    assert SCORES * 4 in kept  # the math kernel works in fp32
    fp16 = saved(attention(), B, (L, 8), recipe={"precision": "fp16"}, attention="efficient")
    assert SCORES * 4 not in fp16


def test_math_only():
    assert SCORES * 4 in saved(attention(), B, (L, 8), attention="math")


def test_a_head_size_that_no_fused_kernel_takes():
    kept = saved(attention(head=15), B, (L, 8))  # fp32 on tensor cores wants multiples of 4
    assert SCORES * 4 in kept
    padded = saved(attention(head=15), B, (L, 8), recipe={"precision": "bf16"})  # flash pads to 16
    assert SCORES * 4 not in padded
    assert padded.count(B * L * H * 16 * 2) == 4  # q, k, v padded, and the padded output


def test_attention_backward_makes_three_gradients():
    tape = run(step(net=attention(), shape=(L, 8)))
    made = [b.size.at(B, B, 0) for b in tape.blocks if b.owner == "generator:" and b.kind == "other"]
    assert made.count(OUT * 4) >= 2 * 3


class MultiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.mha = nn.MultiheadAttention(H * D, H, batch_first=True)

    def forward(self, x):
        return self.mha(x, x, x, need_weights=self.weights)[0]


@pytest.mark.parametrize(
    ("card", "precision", "batch", "weights", "maps"),
    [
        # memory-efficient: (batch, length, heads, size) in memory; MultiheadAttention turns that into a copy
        ("efficient", "fp32", B, False, ["turned input", "out", "out turned"]),
        ("flash", "fp32", B, False, ["turned input", "out", "out turned"]),
        ("efficient", "fp16", B, False, ["turned input", "out", "out turned"]),
        # with one sample both layouts are the same
        ("flash", "fp32", 1, False, ["out"]),
        # flash attention returns its query's layout, which is the one wanted
        ("flash", "fp16", B, False, ["turned input", "out"]),
        # scores times values is a product that nobody needs again; query and key are scaled first
        ("math", "fp32", B, False, ["turned input", "scaled query", "scaled key", "out turned"]),
        ("flash", "fp32", B, True, ["turned input", "scaled query", "out turned"]),
    ],
)
def test_what_multihead_attention_keeps_of_its_width(card, precision, batch, weights, maps):
    """An attention kernel keeps its own output; the projection that follows keeps what it is given.

    Sources: attention.cu (_efficient_attention_forward), flash_api.cpp (mha_fwd),
    torch.nn.functional.multi_head_attention_forward.
    """
    net = type("Net", (MultiHead,), {"weights": weights})
    batches = (1,) if batch == 1 else (2, 3)
    tape = run(step(net=net, shape=(L, H * D), precision=precision), attention=card, batches=batches)
    size = batch * L * H * D * (4 if precision == "fp32" else 2)
    kept = live_at(tape, "backward", batch, occurrence=2)
    assert kept.count((size, "activations")) == len(maps)
    assert (3 * size, "activations") in kept  # query, key and value


def test_inference_mode_is_decomposed():
    net, x = nn.Linear(8, 4, device="meta"), torch.empty(100, 8, device="meta")
    with Recorder(StorageLedger()) as recorder, torch.inference_mode():
        F.dropout(net(x), 0.5, training=False)
    assert [b.nbytes for b in recorder.ledger.close().blocks] == [100 * 4 * 4]


class Sequence(nn.Module):
    kind, options = nn.LSTM, {}

    def __init__(self):
        super().__init__()
        self.rnn = self.kind(8, 16, batch_first=True, **self.options)

    def forward(self, x):
        return self.rnn(x)[0]


@pytest.mark.parametrize(
    ("kind", "options", "numbers"),
    [
        (nn.LSTM, {}, 6),
        (nn.LSTM, {"num_layers": 2, "bidirectional": True}, 6 * 4),
        (nn.GRU, {}, 5),
        (nn.RNN, {}, 2),
    ],
)
def test_recurrent_layers_keep_a_reserve(kind, options, numbers):
    net = type("Toy", (Sequence,), {"kind": kind, "options": options})
    kept = saved(net, 10, (5, 8))
    out = 10 * 5 * 16 * 4 * (2 if options else 1)
    assert kept[0] == numbers * 10 * 5 * 16 * 4  # 10 samples, 5 time steps, 16 hidden units
    assert out in kept  # the output
    assert 10 * 5 * 8 * 4 in kept  # the input, time first
    assert len(kept) <= 7  # nothing per time step
    tape = run(step(net=net, shape=(5, 8)))
    assert tape.notes == ("cuDNN's reserve for recurrent layers is an estimate",)


def test_rms_norm_keeps_its_input_and_one_number_per_row():
    net = lambda: nn.Sequential(nn.Linear(8, 16), nn.RMSNorm(16))  # noqa: E731  # called by its name below
    assert saved(net, 100, (8,)) == [100 * 16 * 4, 100 * 4]


ACTIVATIONS = (
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "Mish", "PReLU", "ReLU", "ReLU6", "SELU", "Sigmoid", "SiLU", "Softplus", "Softshrink",
    "Tanh", "Threshold",
)  # fmt: skip
MAP = 100 * 16 * 4
"""Bytes of what an activation is given in these tests."""


def activated(kind):
    """Return the bytes alive when the backward begins, and the sizes of the maps that the backward makes."""
    arguments = {"Threshold": (1.0, 0.0)}.get(kind, ())
    net = lambda: nn.Sequential(nn.Linear(8, 16), getattr(nn, kind)(*arguments))  # noqa: E731  # called by its name below
    tape = run(step(net=net, shape=(8,)))
    found = [size for size, _ in live_at(tape, "backward", 100, occurrence=2) if size == MAP]
    start = tape.events.index((MARK, tape.marks.index("backward")))
    end = tape.events.index((MARK, tape.marks.index("optimizer")))
    made = [tape.blocks[i].size.at(100, 100, 0) for event, i in tape.events[start:end] if event == ALLOC]
    return found, [size for size in made if size == MAP]


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_an_activation_s_backward_is_one_kernel(kind):
    kept, made = activated(kind)
    assert kept == [MAP]  # its input, or where that is enough its output
    # PReLU has a map of its slopes' gradients too, before they are summed
    assert made == [MAP] * (2 if kind == "PReLU" else 1)


def test_mish_s_second_derivative_goes_step_by_step():
    """FunctionsManual.cpp, infinitely_differentiable_mish_backward."""
    with imitate.cuda():
        x = torch.empty(4, device="meta", requires_grad=True)
        slope = torch.autograd.grad(F.mish(x).sum(), x, create_graph=True)[0]
        assert slope.grad_fn.name() == "MulBackward0"
        slope.sum().backward()
    assert x.grad is not None
