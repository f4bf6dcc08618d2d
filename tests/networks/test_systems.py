# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The guides' networks: parameter counts of the original code, by child where the projects publish them.

Counts were measured by instantiating darknight-007/dreams-lab-portal d920523d (zoom23),
marduk191/ae_training_marduk191 14ad419 (VAE), xufangchn/GLF-CR d55611a and mohit-epic/glf-crP dd16b95,
Phhofm/traiNNer-redux 2f64430b and Phhofm/ParagonSR2 921e57d1 (ParagonSR2).
"""

from __future__ import annotations

import pytest
import torch

from trainlint.trace.building.build import build

ZOOM23 = {"img_size": 512, "patch_size": 16, "embed_dim": 512, "num_heads": 8, "num_layers": 6}

AUTOENCODERS = [
    ({"img_size": 256}, 24_983_808, 20_492_288, 4_491_520),
    ({}, 37_984_512, 20_885_504, 17_099_008),
    ({"img_size": 768}, 59_652_352, 21_540_864, 38_111_488),
    ({"img_size": 1024}, 89_987_328, 22_458_368, 67_528_960),
    ({"patch_size": 32}, 26_239_488, 21_671_936, 4_567_552),
    ({"embed_dim": 384}, 28_962_048, 11_928_576, 17_033_472),
    ({"embed_dim": 768, "num_layers": 8}, 77_676_288, 60_446_208, 17_230_080),
]

VAES = [
    ([128, 256, 512, 512], 16, 68_700_243),
    ([192, 384, 768, 768], 32, 154_687_779),
    ([96, 192, 384, 384], 8, 38_615_979),
    ([64, 128, 256, 256], 8, 17_193_707),
]

GLFCR = {
    "SFENet1": 124_896, "SFENet2": 83_040, "SFENet1_SAR": 19_296, "SFENet2_SAR": 83_040, "RDBs": 9_652_320,
    "DF": 4_385_664,
    "sar_fuse_1x1conv": 55_872, "opt_distribute_1x1conv": 55_872, "GFF": 138_432, "UPNet": 228_941,
}  # fmt: skip

PARAGON = [
    ("paragonsr2_nano@v2", 83_715, 83_139),
    ("paragonsr2_xs@v2", 200_755, None),
    ("paragonsr2_s@v2", 1_361_859, None),
    ("paragonsr2_m@v2", 4_597_699, None),
    ("paragonsr2_l@v2", 20_275_491, None),
    ("paragonsr2_xl@v2", 59_172_227, None),
    ("paragonsr2_nano@v1", 25_350, 24_774),
    ("paragonsr2_static_nano", 27_042, 26_466),
    ("paragonsr2_static_micro", 12_019, None),
    ("paragonsr2_static_s", 177_819, None),
    ("paragonsr2_nano@v5", 10_595, 10_523),
    ("paragonsr2_micro@v5", 19_429, None),
    ("paragonsr2_tiny@v5", 42_484, None),
    ("paragonsr2_xs@v5", 77_755, None),
    ("paragonsr2_s@v5", 215_262, None),
    ("paragonsr2_m@v5", 1_785_092, None),
    ("paragonsr2_l@v5", 5_153_788, None),
    ("paragonsr2_xl@v5", 14_481_548, None),
    ("paragonsr2_realtime", 16_780, None),
    ("paragonsr2_stream", 110_092, None),
    ("paragonsr2_photo", 745_292, None),
    ("paragonsr2_pro", 1_993_420, None),
    ("paragonsr2_realtime@v10", 16_732, None),
    ("paragonsr2_stream@v10", 109_900, None),
]


def count(module, *, trainable=False):
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable)


def on_meta(dialect, arch, args):
    with torch.device("meta"):
        return build(dialect, arch, args)


@pytest.mark.parametrize(("args", "total", "encoder", "decoder"), AUTOENCODERS)
def test_zoom23(args, total, encoder, decoder):
    network = on_meta("zoom23", "MultispectralAutoencoder", ZOOM23 | args)
    assert (count(network), count(network.encoder), count(network.decoder)) == (total, encoder, decoder)
    assert list(network.buffers()) == []


@pytest.mark.parametrize(("channels", "z", "total"), VAES)
def test_vae(channels, z, total):
    network = on_meta("vae", "VAE", {"channels": channels, "z_channels": z})
    assert count(network) == total


def test_the_vae_halves_twice():
    network = on_meta("vae", "VAE", {})
    with torch.no_grad():
        image = torch.empty(1, 3, 64, 64, device="meta")
        reconstruction, mean, _ = network(image)
    assert reconstruction.shape == image.shape
    assert mean.shape == (1, 16, 16, 16)


def test_glfcr():
    network = on_meta("glfcr", "RDN_residual_CR", {"crop": 128})
    assert count(network) == 14_827_373
    assert {name: count(child) for name, child in network.named_children() if name in GLFCR} == GLFCR
    whole = [buffer for buffer in network.buffers() if buffer.dtype == torch.int64]
    masks = [buffer for buffer in network.buffers() if buffer.dtype == torch.float32]
    assert sum(b.numel() for b in whole) == 122_880
    assert sum(b.numel() for b in masks) == 3_145_728


@pytest.mark.parametrize(("arch", "total", "trainable"), PARAGON)
def test_paragonsr2(arch, total, trainable):
    network = on_meta("trainner-redux", arch, {"scale": 2})
    assert count(network) == total
    if trainable is not None:
        assert count(network, trainable=True) == trainable
