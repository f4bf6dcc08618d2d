# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A saved file's length against files that torch really writes."""

from __future__ import annotations

import copy
from collections import OrderedDict

import pytest
import torch
from torch import nn

from trainlint.trace.recording.checkpoint_size import SAFETENSORS_TYPES, saved_bytes
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger


def network():
    return nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(64), nn.LSTM(16, 8))


def state():
    net = network()
    optimizer = torch.optim.Adam(net.parameters())
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    return {
        "epoch": 3,
        "iter": 5000,
        "optimizers": [optimizer.state_dict()],
        "schedulers": [{"steps": [1, 2.5]}],
    }


def shared_storage():
    weight = torch.zeros(100, 7)
    return {
        "a": weight,
        "b": weight.view(-1)[3:9],
        "c": torch.zeros(3, dtype=torch.bfloat16),
        "d": torch.zeros(2) > 0,
    }


CASES = {
    "net_g_5000.pth": lambda: {"params": network().state_dict(), "params_ema": network().state_dict()},
    "5000.state": state,
    "parameters.pt": lambda: OrderedDict(network().named_parameters()),
    "shared.pth": shared_storage,
    "whole_module_state.tar": lambda: {
        "model": network().state_dict(),
        "args": {"lr": 1e-4, "name": "x", "none": None},
    },
    "eight_bits.pth": lambda: {
        "weight": nn.Parameter(torch.zeros(5, 3).to(torch.float8_e4m3fn), requires_grad=False),
        "scale": torch.zeros(3).to(torch.float8_e5m2),
        "steps": torch.zeros(7, dtype=torch.uint16),
    },
    "empty.pth": dict,
}


@pytest.mark.parametrize("name", CASES)
def test_exact_on_the_cpu(tmp_path, name):
    content = CASES[name]()
    torch.save(content, tmp_path / name)
    assert saved_bytes(content, name) == (tmp_path / name).stat().st_size


def test_meta_tensors_count_as_saved_from_the_gpu(tmp_path):
    with torch.device("meta"):
        net = network()
    torch.save(network().state_dict(), tmp_path / "net.pth")
    on_cpu = (tmp_path / "net.pth").stat().st_size
    with Recorder(StorageLedger()):
        host = {name: tensor.cpu() for name, tensor in net.state_dict().items()}
    tensors = len(host)
    assert saved_bytes(host, "net.pth") == saved_bytes(network().state_dict(), "net.pth") - _metadata(net)
    assert 0 <= saved_bytes(net.state_dict(), "net.pth") - on_cpu <= tensors * 20 + 64


def _metadata(net):
    """Return what a plain dict saves over state_dict's OrderedDict with its _metadata."""
    plain = {name: torch.zeros_like(tensor, device="cpu") for name, tensor in net.state_dict().items()}
    full = copy.copy(network().state_dict())
    return saved_bytes(full, "net.pth") - saved_bytes(plain, "net.pth")


def test_safetensors():
    tensors = {"b": torch.zeros(2, 3), "a": torch.zeros(5, dtype=torch.float16)}
    header = (
        '{"b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},'
        '"a":{"dtype":"F16","shape":[5],"data_offsets":[24,34]}}'
    )
    length = len(header) + -len(header) % 8
    assert saved_bytes(tensors, "net.safetensors") == 8 + length + 34


def test_every_type_that_safetensors_writes(tmp_path):
    """A step whose base weights are float8 died with KeyError."""
    writer = pytest.importorskip("safetensors.torch")
    for dtype in SAFETENSORS_TYPES:
        tensors = {"weight": torch.empty(5, 3, dtype=dtype)}
        writer.save_file(tensors, tmp_path / "net.safetensors")
        assert saved_bytes(tensors, "net.safetensors") == (tmp_path / "net.safetensors").stat().st_size


def test_bytes_are_themselves():
    assert saved_bytes(b"12345", "args.yaml") == 5
