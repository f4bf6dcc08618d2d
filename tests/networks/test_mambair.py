# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""MambaIR and MambaIRv2: published sizes, what the selective scan keeps, and validation in parts.

Published: MambaIR x2 20.42M (arXiv 2402.15648); MambaIRv2-S 9.6/9.8/9.8M, -B 22.9/23.1/23.1M, -L 34.2M, light
774/781/790K (arXiv 2411.15269). MambaIR light is larger than its paper says (issue 20 there).
"""

from __future__ import annotations

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.trace import toys
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace
from trainlint_zoo.blocks.attention.windows import inverse
from trainlint_zoo.blocks.selective_scan import selective_scan
from trainlint_zoo.forks.recipes.mambair import cuts

SIX, NINE = [6] * 6, [6] * 9
ONE = {"d_state": 16, "depths": SIX, "embed_dim": 180, "mlp_ratio": 2, "upsampler": "pixelshuffle"}
ONE_LIGHT = {
    "d_state": 10, "depths": [6] * 4, "embed_dim": 60, "mlp_ratio": 1.2, "upsampler": "pixelshuffledirect",
}  # fmt: skip
TWO = {
    "embed_dim": 174, "d_state": 16, "depths": SIX, "num_heads": SIX, "window_size": 16, "inner_rank": 64,
    "num_tokens": 128, "mlp_ratio": 2.0, "upsampler": "pixelshuffle",
}  # fmt: skip
TWO_SMALL = {**TWO, "embed_dim": 132, "depths": [4] * 6, "num_heads": [4] * 6}
TWO_LIGHT = {
    "embed_dim": 48, "d_state": 8, "depths": [5] * 4, "num_heads": [4] * 4, "inner_rank": 32,
    "num_tokens": 64, "mlp_ratio": 1.0, "upsampler": "pixelshuffledirect",
}  # fmt: skip
SIZES = [
    ("MambaIR", {**ONE, "upscale": 2}, 20_421_863, 20_420),
    ("MambaIR", {**ONE_LIGHT, "upscale": 2}, 1_055_736, 1_056),
    ("MambaIRv2", {**TWO_SMALL, "upscale": 2}, 9_621_935, 9_600),
    ("MambaIRv2", {**TWO_SMALL, "upscale": 4}, 9_769_647, 9_800),
    ("MambaIRv2", {**TWO, "upscale": 2}, 22_903_001, 22_900),
    ("MambaIRv2", {**TWO, "upscale": 3}, 23_087_641, 23_100),
    ("MambaIRv2", {**TWO, "upscale": 4, "depths": NINE, "num_heads": NINE}, 34_238_235, 34_200),
    ("MambaIRv2Light", {**TWO_LIGHT, "upscale": 2}, 774_092, 774),
    ("MambaIRv2Light", {**TWO_LIGHT, "upscale": 3}, 780_587, 781),
    ("MambaIRv2Light", {**TWO_LIGHT, "upscale": 4}, 789_680, 790),
]
SMALL = {
    "MambaIR": {**ONE, "embed_dim": 32, "depths": [2]},
    "MambaIRv2": {**TWO, "embed_dim": 12, "depths": [2], "num_heads": [2], "window_size": 8},
    "MambaIRv2Light": {**TWO_LIGHT, "embed_dim": 12, "depths": [2], "num_heads": [2], "window_size": 8},
}
L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1, "reduction": "mean"}


def step(arch, args, side=32, scale=4):
    return {
        "recipe": f"basicsr.{arch}Model", "dialect": "basicsr", "scale": scale, "crop.lq": side,
        "crop.hr": side * scale, "networks.generator.arch": arch, "losses": [L1], "ema": 0,
        "networks.generator.args": {**args, "upscale": scale},
        "optimizers": [{"role": "generator", "type": "Adam"}],
    }  # fmt: skip


def allocated(made, batch, validation=None):
    tape = trace(made, verify=False, batches=(batch,), validation=validation)
    return ledger(tape, validation=validation is not None).peak(Samples(batch, batch)).allocated


@pytest.mark.parametrize(("arch", "args", "parameters", "thousands"), SIZES)
def test_parameters(arch, args, parameters, thousands):
    with torch.device("meta"):
        network = build("basicsr", arch, args)
    assert sum(p.numel() for p in network.parameters()) == parameters
    assert parameters / 1000 == pytest.approx(thousands, rel=4e-3)


@pytest.mark.parametrize("arch", SMALL)
def test_any_image_comes_out_larger(arch):
    with torch.device("meta"), torch.no_grad():
        network = build("basicsr", arch, {**SMALL[arch], "upscale": 2}).eval()
        assert network(torch.empty(1, 3, 27, 34)).shape == (1, 3, 54, 68)


@pytest.mark.parametrize("arch", SMALL)
def test_a_step_is_affine(arch):
    assert trace(step(arch, SMALL[arch])).affine == "exact"


def test_the_scan_keeps_its_inputs_and_two_numbers_per_state_and_2048_tokens():
    b, d, n, length = 2, 12, 4, 5000
    shapes = {
        "u": (b, d, length), "delta": (b, d, length), "A": (d, n), "B": (b, 1, n, length),
        "C": (b, 1, n, length), "D": (d,), "bias": (d,),
    }  # fmt: skip
    inputs = [torch.empty(shape, device="meta", requires_grad=True) for shape in shapes.values()]
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(tuple(x.shape)) or x, lambda x: x):
        out = selective_scan(*inputs)
    assert out.shape == (b, d, length)
    assert kept == [*shapes.values(), (b, d, 3, 2 * n)]
    out.sum().backward()
    assert [x.grad.shape for x in inputs] == [x.shape for x in inputs]


def test_half_precision_sums_the_gradients_that_channels_share_in_fp32():
    """In selective_scan.cpp they are zeros of kFloat32, which end as copies of the inputs' type."""
    half, length = torch.float16, 4096
    shared = {"B": (2, 1, 4, length), "C": (2, 1, 4, length)}
    wide = [torch.empty(2, 12, length, device="meta", dtype=half, requires_grad=True) for _ in range(2)]
    named = [torch.empty(s, device="meta", dtype=half, requires_grad=True) for s in shared.values()]
    a, d, bias = (torch.empty(s, device="meta", requires_grad=True) for s in ((12, 4), (12,), (12,)))
    out = selective_scan(*wide, a, *named, d, bias)
    made = []

    class Made(TorchDispatchMode):
        def __torch_dispatch__(self, func, _types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            made.append((tuple(result.shape), result.dtype))
            return result

    with Made():
        out.backward(torch.empty_like(out))
    assert made.count((shared["B"], torch.float32)) == len(named)
    assert [x.grad.dtype for x in named] == [half, half]


def test_one_sample_skips_the_layout_copies():
    made = step("MambaIR", {**ONE, "depths": [6]}, 48)
    tape = trace(made, verify=False)
    line = ledger(tape).peak(Samples(1, 1)).allocated
    assert 1.1 < line / allocated(made, 1) < 1.25


def test_a_permutation_is_inverted():
    order = torch.stack([torch.randperm(9) for _ in range(3)])
    assert torch.equal(torch.gather(order, 1, inverse(order)), torch.arange(9).expand(3, 9))


def test_parts_overlap_by_a_tenth():
    assert cuts(199, 1) == [slice(0, 199)]
    assert cuts(402, 3) == [slice(0, 147), slice(121, 281), slice(255, 402)]


def test_validation_needs_no_more_than_its_largest_part():
    made = step("MambaIR", {**SMALL["MambaIR"], "depths": [2, 2]}, 16)
    small, large = allocated(made, 1, (190, 190)), allocated(made, 1, (190, 1900))
    assert large < 2 * small  # ten times the image, in ten parts whose results are kept


def test_checkpointing_fails_in_the_published_code():
    with torch.device("meta"), pytest.raises(CannotTraceError, match="use_checkpoint"):
        build("basicsr", "MambaIR", {"use_checkpoint": True})


def test_dat_cuts_the_image_where_it_is_told_to():
    args = {"embed_dim": 16, "split_size": [4, 8], "depth": [2], "num_heads": [2], "img_size": 16}
    made = {**step("DAT", args, 16), "recipe": "basicsr.DATModel"}
    whole, cut = (allocated({**made, "options": {"use_chop": on}}, 2, (400, 400)) for on in (False, True))
    assert cut < 0.5 * whole


def test_one_sample_of_dat_says_why_it_cannot_be_trained():
    args = {"embed_dim": 16, "split_size": [4, 8], "depth": [2], "num_heads": [2], "img_size": 16}
    with pytest.raises(CannotTraceError, match="more than 1 value per channel when training"):
        allocated(step("DAT", args, 16), 1)


@pytest.mark.parametrize(("use_chk", "expected"), [(True, 157_161_472), (False, 235_400_192)])
def test_dat_lets_its_padded_halves_go(use_chk, expected):
    """Images of 40 pixels in windows of 8x32 are padded to 64; the original code under the same recorder."""
    args = {"img_size": 64, "embed_dim": 96, "split_size": [8, 32], "depth": [1, 1], "num_heads": [2, 2]}
    args |= {"expansion_factor": 1, "upscale": 4, "upsampler": "pixelshuffledirect", "use_chk": use_chk}
    made = toys.step(net=lambda: build("basicsr", "DAT", args), shape=(3, 40, 40))
    assert toys.replay(toys.run(made, batches=(4,)), 4)[0] == expected
