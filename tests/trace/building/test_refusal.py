# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a network refuses is kept apart from what cannot be done without values or on this machine."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.refusal import constructed, fitting
from trainlint.trace.recording.tensor_owners import Owners


class Values(nn.Module):
    """Wants values when it is built, as constructors do that read their rates off a linspace."""

    def __init__(self, depth: int = 4) -> None:
        super().__init__()
        self.rates = [rate.item() for rate in torch.linspace(0, 1, depth)]
        self.layer = nn.Linear(depth, depth)


class Heads(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"{width} is not divisible by {heads}")
        self.layer = nn.Linear(width, width)


def raising(error: Exception):
    def make() -> None:
        raise error

    return make


def test_a_constructor_that_wants_values_gets_them_on_the_cpu():
    with torch.device("meta"):
        net = constructed("Values", Values)
    assert net.rates == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert net.layer.weight.device.type == "meta"


def test_what_is_refused_with_values_too_is_the_configs_fault():
    with (
        torch.device("meta"),
        pytest.raises(BadArgumentsError, match="Heads cannot be built: 10 is not") as told,
    ):
        constructed("Heads", Heads, 10, heads=3)
    assert told.value.about == "networks.generator.args"


def test_a_short_message_is_told_with_its_kind():
    with pytest.raises(BadArgumentsError, match="Net cannot be built: KeyError: 'depth'"):
        constructed("Net", raising(KeyError("depth")))


@pytest.mark.parametrize(
    "error",
    [
        ImportError("No module named 'einops'"),
        FileNotFoundError("weights.pth"),
        AssertionError("Torch not compiled with CUDA enabled"),
        RuntimeError("Found no NVIDIA driver on your system."),
        NotImplementedError("this kernel"),
    ],
)
def test_what_the_machine_lacks_is_no_fault_of_the_config(error):
    with pytest.raises(CannotTraceError, match="cannot be built here") as told:
        constructed("Net", raising(error))
    assert not isinstance(told.value, BadArgumentsError)


def test_a_forward_names_the_module_and_what_it_was_given():
    net, owners = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Linear(4, 4)), Owners()
    owners.name("generator", net)
    message = r"does not take this input, at 1 \(given 2 x 8 x 7 x 7\): "
    told = pytest.raises(BadArgumentsError, match=message)
    with told as error, owners.watching(), fitting("Net does not take this input", "options.input"):
        net(torch.empty(2, 3, 9, 9, device="meta"))
    assert error.value.about == "options.input"


def test_a_forward_that_wants_values_is_only_not_traceable():
    with pytest.raises(RuntimeError, match="meta"), fitting("Net does not take this input", "options.input"):
        torch.empty(1, device="meta").item()


class Odd(nn.Module):
    """Refuses an odd side behind a batch norm, which fake CUDA tensors do not pass where torch lacks CUDA."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(3)
        self.down = nn.Conv2d(3, 3, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(3, 3, 2, stride=2)

    def forward(self, x):
        return torch.cat([x, self.up(self.down(self.norm(x)))], 1)


def test_a_build_without_cuda_confirms_what_a_network_refuses():
    with torch.device("meta"):
        net, image = Odd(), torch.empty(4, 3, 65, 65)
    refused = pytest.raises(BadArgumentsError, match="Odd does not take this input")
    with refused, fitting("Odd does not take this input", "crop.hr", net, (image,)), Owners().watching():
        net(image)
