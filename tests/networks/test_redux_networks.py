# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's networks: parameters, sizes of the output, and what their constructors refuse."""

from __future__ import annotations

import pytest
import torch

from tests.sampling import paired
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.build import build

PUBLISHED = [  # parameters that are trained, in thousands, as the papers' tables round them
    ("man", 4, 8712), ("man_light", 4, 840), ("man_tiny", 2, 134), ("elan", 4, 8312), ("elan_light", 2, 582),
    ("elan_light", 4, 601), ("eimn_l", 4, 1002), ("eimn_a", 4, 880), ("eimn_a", 2, 860),
    ("lmlt_tiny", 4, 251), ("lmlt_base", 2, 652), ("lmlt_base", 4, 672), ("lmlt_large", 4, 1295),
    ("cascadedgaze", 1, 119_220), ("hit_sir", 2, 772), ("hit_sir", 4, 792),
]  # fmt: skip
ORIGINAL = [("dwt", 4, 12_059_175), ("dwt_s", 4, 11_900_199)]  # the framework's own code
FROM_THE_LAYERS = [("artcnn_r16f96", 4, 4_113_168), ("artcnn_r8f48", 2, 526_140), ("dis_fast", 1, 158_755)]
OTHERS = [
    "dis_balanced", "lkfmixer_t", "moesr2", "fdat_tiny", "gaterv3_s", "emt", "escrealm", "flexnet", "dwt_s",
]  # fmt: skip
SCALED = [*OTHERS, "elan_light", "lmlt_tiny", "eimn_a", "man_tiny", "artcnn_r8f48"]


def network(arch, **args):
    with torch.device("meta"):
        return build("trainner-redux", arch, args)


def trained(arch, scale):
    return sum(p.numel() for p in network(arch, scale=scale).parameters() if p.requires_grad)


@pytest.mark.parametrize(("arch", "scale", "thousands"), PUBLISHED)
def test_parameters_as_published(arch, scale, thousands):
    assert trained(arch, scale) / 1000 == pytest.approx(thousands, rel=4e-3)


@pytest.mark.parametrize(("arch", "scale", "parameters"), [*FROM_THE_LAYERS, *ORIGINAL])
def test_parameters_as_the_layers_add_up(arch, scale, parameters):
    assert trained(arch, scale) == parameters


@pytest.mark.parametrize(("arch", "scale"), paired(SCALED, [2, 3, 4]))
def test_every_scale_enlarges_by_it(arch, scale):
    net = network(arch, scale=scale)
    for mode in (net.train(), net.eval()):
        with torch.device("meta"):
            assert mode(torch.empty(2, 3, 72, 56)).shape == (2, 3, 72 * scale, 56 * scale)


@pytest.mark.parametrize(
    "upsampler", ["conv", "pixelshuffle", "nearest+conv", "dysample", "pixelshuffledirect"]
)
def test_upsamplers(upsampler):
    scale = 1 if upsampler == "conv" else 2
    net = network("moesr2", scale=2, n_blocks=1, n_block=1, upsampler=upsampler)
    with torch.device("meta"):
        assert net(torch.empty(1, 3, 9, 7)).shape == (1, 3, 9 * scale, 7 * scale)


@pytest.mark.parametrize(
    ("arch", "args", "error", "message"),
    [
        ("cascadedgaze", {"scale": 4}, BadArgumentsError, "scale 1"),
        ("gaterv3", {"attention": True}, CannotTraceError, "attention"),
        ("elan", {"norm": True}, CannotTraceError, "norm"),
        ("dis_balanced", {"scale": 8}, BadArgumentsError, "scale factor"),
        ("fdat_xl", {"scale": 8}, BadArgumentsError, r"transpose\+conv"),
        ("man", {"n_feat": 64}, BadArgumentsError, 'did you mean "n_feats"'),
    ],
)
def test_what_is_refused(arch, args, error, message):
    with pytest.raises(error, match=message):
        network(arch, **args)


@pytest.mark.parametrize(
    ("arch", "args", "parameters", "shape"),
    [
        ("unetdiscriminatorsn", {"num_in_ch": 3}, 4_376_897, (2, 1, 128, 128)),  # as in Real-ESRGAN
        ("vggstylediscriminator", {"num_in_ch": 3, "num_feat": 64}, 14_499_401, (2, 1)),  # as in BasicSR
        ("unetdiscriminatorsn@2025", {}, 4_376_897, (2, 1, 128, 128)),
        ("vggstylediscriminator@2025", {}, 14_499_401, (2, 1)),
        ("patchgandiscriminatorsn", {}, 2_764_737, (2, 1, 19, 19)),
        ("multiscalepatchgandiscriminatorsn", {}, 3 * 2_764_737, ()),
        ("metagan2", {}, 3_621_256, (2, 4, 4, 192)),
    ],
)
def test_discriminators(arch, args, parameters, shape):
    net = network(arch, **args)
    assert sum(p.numel() for p in net.parameters()) == parameters
    with torch.device("meta"):
        assert net(torch.empty(2, 3, 128, 128)).shape == shape
