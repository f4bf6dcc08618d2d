# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks of the user's own: run when the user asks for it, and never because the linted tree does."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

NETWORK = """\
from torch import nn

BUILDERS = {"OwnNet": "OwnNet"}


class OwnNet(nn.Module):
    def __init__(self, width: int = 8):
        super().__init__()
        self.body = nn.Conv2d(3, width, 3, padding=1)
        self.up = nn.Sequential(nn.Conv2d(width, 48, 3, padding=1), nn.PixelShuffle(4))

    def forward(self, x):
        return self.up(self.body(x))
"""
OLD = """\
  type: MSRResNet
  num_in_ch: 3
  num_out_ch: 3
  num_feat: 64
  num_block: 16
  upscale: 4
"""
PARAMETERS = 3 * 9 * 16 + 16 + 16 * 9 * 48 + 48
BOOBY_TRAP = "open('executed', 'w').close()\nraise SystemExit\n"


@pytest.fixture
def project(trainlint, variant):
    trainlint.write("a.yml", variant((OLD, "  type: OwnNet\n  width: 16\n")))
    trainlint.write("b.yml", variant((OLD, '  type: "own:OwnNet"\n  width: 16\n')))
    trainlint.write("mine/own.py", NETWORK)
    return trainlint


def outcome(project, *arguments: str) -> dict:
    done = project("--format", "json", "-t", "rtx-3060", *arguments)
    return json.loads(done.stdout)["results"][0]


def test_without_permission_the_network_is_unknown(project) -> None:
    result = outcome(project, "a.yml")
    assert result["outcome"] == "warn"  # a name that no version has, and memory is not judged
    assert any("OwnNet" in skip["reason"] for skip in result["skipped"])


def test_with_permission_it_is_built(project) -> None:
    result = outcome(project, "a.yml", "--networks", "mine")
    assert result["networks"][0]["parameters"] == PARAMETERS
    assert result["facts"]["memory"]["gpus"][0]["allocated"] > 0


@pytest.mark.slow
def test_an_edited_network_is_traced_again(project) -> None:
    before = outcome(project, "a.yml", "--networks", "mine")
    project.write("mine/own.py", NETWORK.replace("48, 3, padding=1", "48, 3, padding=1, bias=False"))
    after = outcome(project, "a.yml", "--networks", "mine")
    assert before["networks"][0]["parameters"] - after["networks"][0]["parameters"] == 48


@pytest.mark.slow
def test_another_interpreter_builds_it(project) -> None:
    result = outcome(project, "b.yml", "--python", sys.executable, "--networks", "mine")
    assert result["networks"][0]["parameters"] == PARAMETERS


@pytest.mark.parametrize("extra", [(), ("--python", sys.executable)])
def test_modules_of_the_linted_tree_are_never_imported(project, extra) -> None:
    for name in ("torch", "yaml", "click", "json"):
        project.write(f"{name}.py", BOOBY_TRAP)
    project("a.yml", "-t", "rtx-3060", *extra)
    assert not (project.folder / "executed").exists()


def test_a_linted_trees_settings_cannot_grant_permission(project) -> None:
    project.write("trainlint.toml", 'networks = "mine"\n')
    done = project("a.yml", "-t", "rtx-3060")
    assert done.returncode == 2
    assert "would run code of the linted tree" in done.stderr


def test_no_trace_wins_over_permission(project) -> None:
    result = outcome(project, "a.yml", "--networks", "mine", "--no-trace")
    assert result["outcome"] == "skipped"


ODD = """\
import torch
from torch import nn

library = torch.library.Library("trainlint_odd", "FRAGMENT")
library.define("blur(Tensor x) -> Tensor")
library.impl("blur", lambda x: x.clone(), "CUDA")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.tail = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 3, 3, padding=1)
        self.seen = []

    def forward(self, x):
        return self.tail(self.change(self.body(x)))


class Item(Net):
    def change(self, h):
        return h[:, :, : int(h.max().item())]


class Branch(Net):
    def change(self, h):
        return torch.tanh(h) * 2 if h.sum() > 0 else h


class Nonzero(Net):
    def change(self, h):
        return h * len(torch.nonzero(h))


class Custom(Net):
    def change(self, h):
        return torch.ops.trainlint_odd.blur(h)


class Numbers(Net):
    def change(self, h):
        return h * sum(h.mean((1, 2, 3)).tolist())


class Hoard(Net):
    def change(self, h):
        self.seen.append(h.detach())
        return h
"""
REASONS = {
    "Item": '"generator" reads the value of a tensor',
    "Branch": '"generator" reads the value of a tensor',
    "Nonzero": '"generator" uses "aten::nonzero", whose result depends on the data',
    "Custom": '"generator" uses "trainlint_odd::blur", which has no shape function',
    "Numbers": '"generator" cannot be traced: RuntimeError: tolist()',
    "Hoard": '"generator:body" keeps what it makes: after every step 0.0156 MiB more are never freed',
}


@pytest.mark.slow
def test_networks_that_cannot_be_traced_are_skipped_with_the_reason(trainlint) -> None:
    trainlint.write("mine/odd.py", ODD)
    files = [f"{name}.yml" for name in REASONS]
    for file, name in zip(files, REASONS, strict=True):
        trainlint.write(file, f"trainlint: 1\nmodel: odd:{name}\ninput: [3, 16, 16]\nbatch: 4\n")
    own = ("--python", sys.executable, "--networks", "mine")
    done = trainlint("--format", "json", "-t", "rtx-3060", *own, *sorted(files))
    results = json.loads(done.stdout)["results"]
    assert len(results) == len(REASONS)
    for result, name in zip(results, sorted(REASONS), strict=True):
        reason = REASONS[name]
        assert result["outcome"] == "skipped"
        assert not result["findings"]
        assert any(reason in skip["reason"] for skip in result["skipped"]), result["skipped"]


GPU_IDIOMS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.body, self.tail = nn.Conv2d(3, 8, 3, padding=1).to(self.device), nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x):
        with torch.autocast(device_type=x.device.type, enabled=False):
            return self.tail(self.change(self.body(x.float())))

    def change(self, h):
        if not h.is_cuda:
            raise ValueError("the input must be on a GPU")
        return h + torch.zeros(1, device=self.device) + torch.ones(1).cuda()


class Old(Net):
    def change(self, h):
        if torch.cuda.get_device_capability()[0] < 9:
            raise ValueError("this needs a Hopper card")
        return h


class Wide(Net):
    def change(self, h):
        return torch.cat([h, h], 1)
"""


@pytest.mark.slow
def test_own_code_sees_a_gpu(trainlint) -> None:
    trainlint.write("mine/odd.py", GPU_IDIOMS)
    for name in ("Net", "Old", "Wide"):
        trainlint.write(
            f"{name}.yml", f"trainlint: 1\nmodel: odd:{name}\ninput: [3, 16, 16]\nbatch: 4\nprecision: fp16\n"
        )
    own = ("--python", sys.executable, "--networks", "mine")
    done = trainlint("--format", "json", "-t", "rtx-3060", *own, "Net.yml", "Old.yml", "Wide.yml")
    plain, guessed, wrong = json.loads(done.stdout)["results"]
    assert plain["outcome"] == "pass"
    assert guessed["outcome"] == "skipped"
    assert any("asks torch.cuda.get_device_capability()" in skip["reason"] for skip in guessed["skipped"])
    assert [finding["rule"] for finding in wrong["findings"]] == ["refused-when-built"]


def test_a_mistyped_class_of_ones_own_module_fails_at_its_name(project, variant) -> None:
    project.write("typo.yml", variant((OLD, '  type: "own:OwnNett"\n  width: 16\n')))
    result = outcome(project, "typo.yml", "--python", sys.executable, "--networks", "mine")
    (finding,) = (one for one in result["findings"] if one["level"] == "fail")
    assert finding["rule"] == "refused-when-built"
    assert finding["message"] == 'module "own" has no "OwnNett"; did you mean "own:OwnNet"?'
    line = variant((OLD, '  type: "own:OwnNett"\n')).splitlines()[finding["line"] - 1]
    assert "own:OwnNett" in line
