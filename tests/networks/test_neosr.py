# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's networks: published parameter counts, sizes, and steps with a small trace.

Published counts (x4): CRAFT 753K (arXiv 2308.05022), EIMN-L 1,002K and EIMN-A 880K (their README), LMLT-Base
672K (2409.03516), MAN 8,712K, MAN-light 840K and MAN-tiny 150K (2209.14145), RCAN 15,592K (1807.02758),
GRFormer 800K (2408.07484), HiT-SRF 866K (2407.05878),
CFSR 307K (2401.05633).
"""

from __future__ import annotations

import pytest
import torch

from tests.sampling import paired
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.build import build

COUNTS = {
    "rcan": 15_592_355, "man": 8_712_612, "eimn": 1_002_496, "lmlt": 671_808,
    "mosrv2": 4_179_888, "cugan": 1_406_812, "moesr": 16_547_008, "spanplus": 2_228_507,
    "ditn": 444_112, "hit_srf": 866_420, "ninasr": 1_030_194, "sebica": 40_896, "hma": 5_537_111,
    "esc": 974_879, "plainusr": 1_248_825,
    "flexnet": 3_045_136,
}  # fmt: skip
PUBLISHED = {
    "rcan": 15592,
    "man": 8712,
    "man_light": 840,
    "man_tiny": 150,
    "eimn": 1002,
    "lmlt": 672,
    "hit_srf": 866,
}


def made(arch, **args):
    with torch.device("meta"):
        return build("neosr", arch, args)


def parameters(arch, **args):
    return sum(p.numel() for p in made(arch, **args).parameters())


@pytest.mark.parametrize(("arch", "count"), COUNTS.items())
def test_parameters(arch, count):
    assert parameters(arch, scale=4) == count


@pytest.mark.parametrize(("arch", "thousands"), PUBLISHED.items())
def test_published_sizes(arch, thousands):
    assert parameters(arch, scale=4) / 1000 == pytest.approx(thousands, rel=4e-3)


@pytest.mark.parametrize(("arch", "scale", "training"), paired([*COUNTS], [(2, True), (3, False), (4, True)]))
def test_every_scale_enlarges_by_it(arch, scale, training):
    net = made(arch, scale=scale).train(training)
    batch = 2 if training else 1  # ESC tests one image at a time
    with torch.device("meta"):
        assert net(torch.empty(batch, 3, 64, 64)).shape == (batch, 3, 64 * scale, 64 * scale)


@pytest.mark.parametrize("arch", ["ditn", "lmlt", "hit_srf"])
def test_odd_sides_are_padded(arch):
    net = made(arch, scale=2).eval()
    with torch.device("meta"):
        assert net(torch.empty(1, 3, 41, 70)).shape == (1, 3, 82, 140)


def test_hit_srf_keeps_the_table_of_its_largest_window():
    """64 x 64 tokens looked up pairwise: every group saves an index of 4096 x 4096 int64 for backward."""
    kept = []

    def pack(tensor):
        kept.append(tensor)
        return tensor

    net = made("hit_srf")
    with torch.device("meta"), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        net(torch.empty(1, 3, 64, 64))
    tables = {id(t) for t in kept if t.dtype == torch.int64 and t.numel() == 4096**2}
    assert len(tables) == 4


def test_esc_keeps_a_table_per_block_outside_its_files():
    """Windows of 1024 tokens and four heads: 4 x 1024 x 1024 pairs of int64."""
    net = made("esc")
    tables = [buffer for _, buffer in net.named_buffers() if buffer.dtype == torch.int64]
    assert [table.numel() * 8 for table in tables] == [4 * 1024**2 * 2 * 8] * 5
    assert not any("rpe" in name for name in net.state_dict())


@pytest.mark.parametrize("upsampler", ["dys", "ps"])
def test_spanplus_tails(upsampler):
    with torch.device("meta"):
        assert made("spanplus", upsampler=upsampler)(torch.empty(1, 3, 32, 32)).shape[2:] == (128, 128)


def test_refusals():
    with pytest.raises(BadArgumentsError, match="only 1x"):
        made("spanplus", upsampler="conv", scale=2)
    with pytest.raises(CannotTraceError, match="freeze_param"):
        made("eimn", freeze_param=True)
    with pytest.raises(CannotTraceError, match="unknown network"):
        made("asid")
