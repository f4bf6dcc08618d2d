# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""By how much a generator enlarges: what is written, the default, or what the network makes of it."""

from __future__ import annotations

import pytest

from trainlint.estimate.run.network_scale import with_network_scale
from trainlint.model.spec import TrainSpec, Value


def scale_of(arch: str, **args) -> int | None:
    fields = {
        "dialect": Value("basicsr"),
        "networks.generator.arch": Value(arch),
        "networks.generator.args": Value(args, (("network_g",),)),
    }
    return with_network_scale(TrainSpec(fields)).get("networks.generator.scale")


def test_a_scale_is_what_is_written_or_the_default() -> None:
    assert (scale_of("SwinIR", upscale=3), scale_of("RRDBNet")) == (3, 4)
    assert scale_of("SRVGGNetCompact", upscale=8) == 8


@pytest.mark.torch
@pytest.mark.parametrize("scale", [1, 2, 3, 4, 8])
def test_rrdbnet_enlarges_by_what_it_makes_of_a_scale(scale) -> None:
    """It takes any number, and up-samples by 4 for all but three of them: that is what trains."""
    torch = pytest.importorskip("torch")
    from trainlint_zoo.basicsr.networks.rrdbnet import RRDBNet  # noqa: PLC0415 - needs torch

    with torch.device("meta"):
        network = RRDBNet(num_in_ch=3, num_out_ch=3, scale=scale, num_feat=8, num_block=1, num_grow_ch=4)
        image = torch.empty(1, 3, 16, 16)
    assert network(image).shape[-1] == 16 * scale_of("RRDBNet", scale=scale)
