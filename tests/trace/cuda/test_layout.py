# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What CUDA's kernels copy, and sums of gradients that are in place: marked on the tape by their keys."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from trainlint.tape import GRADIENT_SUM, HELD
from trainlint.trace.cuda.accumulate import sole_references
from trainlint.trace.cuda.memory_formats import before, inside, resampled, returned
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger


def meta(*shape, **options):
    return torch.empty(*shape, device="meta", **options)


def channels_last(*shape):
    return meta(*shape).to(memory_format=torch.channels_last)


def recorded(run):
    """Return (key, bytes written) of the operators that `run` leads to."""
    book = StorageLedger()
    with Recorder(book):
        run()
    tape = book.close()
    works = [tape.ops[index][0] for kind, index in tape.events if kind == 2]
    return [(work.key, work.written) for work in works]


WEIGHT = meta(8, 6, 3, 3)
SCORES = meta(2, 4, 5, 5).transpose(-1, -2)
TOKENS = meta(2, 6, 4, 4).permute(0, 2, 3, 1)


@pytest.mark.parametrize(
    ("name", "args", "copies"),
    [
        ("convolution", (meta(2, 12, 4, 4)[:, 6:], WEIGHT), [2 * 6 * 16 * 4]),  # a part of the channels
        ("convolution", (meta(2, 6, 4, 4), WEIGHT), []),
        ("convolution", (channels_last(2, 6, 4, 4), WEIGHT), [8 * 6 * 9 * 4]),
        ("convolution", (channels_last(2, 6, 4, 4), meta(8, 6, 1, 1)), []),
        ("convolution_backward", (channels_last(2, 8, 4, 4), meta(2, 6, 4, 4), WEIGHT), [2 * 8 * 16 * 4]),
        (
            "convolution_backward",
            (meta(2, 8, 4, 4), channels_last(2, 6, 4, 4), meta(8, 6, 1, 1)),
            [2 * 8 * 16 * 4],
        ),
        ("native_layer_norm", (TOKENS,), [2 * 6 * 16 * 4]),
        ("native_layer_norm_backward", (TOKENS, TOKENS), [2 * 6 * 16 * 4] * 2),
        ("native_layer_norm_backward", (meta(2, 6), meta(2, 6)), []),
        ("native_batch_norm", (meta(2, 12, 4, 4)[:, 6:],), [2 * 6 * 16 * 4]),
        ("native_batch_norm", (channels_last(2, 12, 4, 4),), []),
        ("max_pool2d_with_indices_backward", (meta(2, 6, 2, 2), channels_last(2, 6, 4, 4)), [2 * 6 * 4 * 4]),
        ("relu", (SCORES,), []),
    ],
)
def test_what_an_operator_copies_first(name, args, copies):
    assert before(name, args) == tuple(copies)
    assert inside(name, args) == ()


@pytest.mark.parametrize(
    ("name", "args", "temporaries"),
    [
        ("_softmax", (SCORES,), [200 * 4]),
        ("_softmax", (meta(2, 4, 5, 5),), []),
        ("_softmax_backward_data", (SCORES, meta(2, 4, 5, 5)), [200 * 4]),  # its gradient alone
        ("sum", (meta(7, 3, dtype=torch.bool),), [21 * 8]),
        ("sum", (meta(7, 3),), []),
        ("bmm", (meta(2, 3, 4).transpose(1, 2), meta(2, 3, 10)[:, :, ::2]), [2 * 3 * 5 * 4]),
    ],
)
def test_what_an_operator_makes_for_itself(name, args, temporaries):
    assert inside(name, args) == tuple(temporaries)
    assert before(name, args) == ()


def test_copies_stand_before_their_operator_every_time():
    tokens = meta(2, 6, 4, 4).permute(0, 2, 3, 1)
    found = recorded(lambda: [F.layer_norm(tokens, (6,)) for _ in range(2)])
    assert [key for key, _ in found] == [HELD, "", HELD, ""]
    assert found[0][1] == 2 * 6 * 16 * 4


def test_a_convolutions_key_tells_channels_last():
    inputs = meta(2, 6, 4, 4), channels_last(2, 6, 4, 4)
    keys = [key for key, _ in recorded(lambda: [F.conv2d(x, WEIGHT) for x in inputs])]
    plain, weights_copy, last = keys
    assert (weights_copy, last) == (HELD, f"{plain} nhwc")


def test_gradients_that_nobody_else_holds_are_summed_in_place():
    if sole_references() is None:
        pytest.skip("this torch does not count references")
    stem, first, second = (nn.Linear(4, 4, device="meta") for _ in range(3))

    def residual():
        kept = stem(meta(3, 4))
        (kept + second(F.relu(first(kept)))).sum().backward()

    sums = [written for key, written in recorded(residual) if key == GRADIENT_SUM]
    assert sums == []  # the shortcut's gradient is a view of one that the branch had too

    def twice():
        kept = stem(meta(3, 4))
        (first(kept) + second(kept)).sum().backward()

    assert [written for key, written in recorded(twice) if key == GRADIENT_SUM] == [3 * 4 * 4]


@pytest.mark.parametrize(
    "paths",
    [
        lambda kept: (kept.sin(), kept.cos()),
        lambda kept: (kept.sin(), kept.view(16).cos()),  # the view's gradient comes first
        lambda kept: (kept.view(16).cos(), kept.sin()),
        lambda kept: (kept.sin(), kept.t().cos()),
        lambda kept: (kept.view(16).sin(), kept.view(16).cos()),
        lambda kept: (torch.bmm(kept[None], kept[None].transpose(1, 2)), kept.cos()),  # a Gram matrix
    ],
)
def test_gradients_are_summed_in_place_where_torchs_own_profiler_says_so(paths):
    def step(device):
        first, second = paths(torch.ones(4, 4, device=device, requires_grad=True) * 1)
        (first.sum() + second.sum()).backward()

    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        step("cpu")
    in_place = sum(event.name == "aten::add_" for event in profiled.events())
    assert sum(key == GRADIENT_SUM for key, _ in recorded(lambda: step("meta"))) == in_place


def test_a_sum_in_a_backward_of_ones_own_is_not_the_engines():
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(_context, x):
            return x * 1

        @staticmethod
        def backward(_context, gradient):
            doubled = gradient * 2
            total = doubled + gradient
            return total * doubled

    found = recorded(lambda: Own.apply(meta(3, 4, requires_grad=True)).sum().backward())
    assert GRADIENT_SUM not in [key for key, _ in found]


def test_a_layer_norm_gives_its_inputs_gradient_contiguous():
    """layer_norm_kernel.cu, layer_norm_backward_cuda: dX is made contiguous, whatever the layout of dY."""
    x, scale = meta(2, 4, 4, 6), meta(6)
    _, mean, rstd = torch.native_layer_norm(x, [6], scale, scale, 1e-5)
    args = (TOKENS, x, [6], mean, rstd, scale, scale, [True, True, True])
    result = torch.ops.aten.native_layer_norm_backward(*args)
    assert not result[0].is_contiguous()
    laid_out = returned("native_layer_norm_backward", args, result)
    assert laid_out[0].is_contiguous()
    assert laid_out[0].shape == x.shape
    assert laid_out[1:] == tuple(result[1:])


def test_a_layer_norm_whose_input_needs_no_gradient_has_none():
    args = (TOKENS, TOKENS, [6], meta(2, 4, 4, 1), meta(2, 4, 4, 1), meta(6), meta(6), [False, True, True])
    result = torch.ops.aten.native_layer_norm_backward(*args)
    assert returned("native_layer_norm_backward", args, result)[0] is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 6, 4, 5), (1, 1, 8, 8), (3, 64, 1, 1), (2, 1, 4, 4)])
@pytest.mark.parametrize("size", [(8, 10), (4, 4), (2, 3), (1, 1)])
@pytest.mark.parametrize("corners", [False, True])
def test_a_plain_bilinear_upsampling_is_torchs(shape, size, dtype, corners):
    x = meta(*shape, dtype=dtype)
    expected = torch.ops.aten.upsample_bilinear2d.default(x, size, corners)
    found = resampled("upsample_bilinear2d", (x, size, corners))
    if shape[1] > 1:
        assert found is not None
    if found is not None:
        assert (found.shape, found.stride(), found.dtype) == (
            expected.shape,
            expected.stride(),
            expected.dtype,
        )
        assert found.untyped_storage().nbytes() == expected.untyped_storage().nbytes()


@pytest.mark.parametrize(
    ("x", "size"),
    [
        (channels_last(2, 6, 4, 4), (8, 8)),
        (meta(2, 12, 4, 4)[:, 6:], (8, 8)),
        (meta(2, 6, 4, 4).transpose(2, 3), (8, 8)),
        (meta(2, 6, 4, 4), (0, 8)),
        (meta(2, 6, 4, 4, dtype=torch.uint8), (8, 8)),
        (meta(6, 4, 4), (8, 8)),
    ],
)
def test_any_other_upsampling_is_left_to_torch(x, size):
    assert resampled("upsample_bilinear2d", (x, size, False)) is None
    assert resampled("upsample_nearest2d", (meta(2, 6, 4, 4), (8, 8))) is None
