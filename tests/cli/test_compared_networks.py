# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own network under a published name is not judged by the published one's figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

KAIR = {
    "task": "x4", "model": "plain", "gpu_ids": [0], "dist": False, "scale": 4, "n_channels": 3,
    "path": {"root": "experiments"},
    "datasets": {
        "train": {
            "name": "train", "dataset_type": "sr", "dataroot_H": "h", "dataroot_L": None, "H_size": 96,
            "dataloader_shuffle": True, "dataloader_num_workers": 2, "dataloader_batch_size": 32,
        },
    },
    "netG": {
        "net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 64, "nb": 16, "gc": 32, "ng": 2,
        "reduction": 16, "act_mode": "R", "upsample_mode": "upconv", "downsample_mode": "strideconv",
        "init_type": "orthogonal", "init_bn_type": "uniform", "init_gain": 0.2,
    },
    "train": {
        "G_lossfn_type": "l1", "G_lossfn_weight": 1.0, "E_decay": 0.999,
        "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4, "G_optimizer_clipgrad": None,
        "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [200000], "G_scheduler_gamma": 0.5,
        "G_regularizer_orthstep": None, "G_regularizer_clipstep": None,
        "checkpoint_test": 5000, "checkpoint_save": 5000, "checkpoint_print": 200,
    },
}  # fmt: skip
NETWORK = """\
import torch.nn as nn
class MSRResNet0(nn.Module):
    def __init__(self, in_nc=3, out_nc=3, nc=64, nb=16, upscale=4, act_mode='R', upsample_mode='upconv'):
        super().__init__()
        self.body = nn.Conv2d(in_nc, 8 * nc, 3, 1, 1)
    def forward(self, x):
        return self.body(x)
"""


@pytest.mark.torch
def test_kairs_networks_are_compared(trainlint) -> None:
    pytest.importorskip("torch")
    trainlint.write("options/a.json", json.dumps(KAIR))
    (alone,) = trainlint.json("options/a.json", "-t", "rtx-3060")["results"]
    assert alone["verdicts"]["memory"] == "pass"
    trainlint.write(".git/HEAD", "")
    trainlint.write("utils/utils_option.py", "def parse(opt_path):\n    pass\n")
    trainlint.write("models/network_msrresnet.py", NETWORK)
    trainlint.write("main_train_psnr.py", "from utils import utils_option as option\n")
    (result,) = trainlint.json("options/a.json", "-t", "rtx-3060")["results"]
    assert result["verdicts"]["memory"] == "not-judged"
    reasons = json.dumps(result["skipped"])
    assert "its own MSRResNet0 (models/network_msrresnet.py:2) differs from the published one" in reasons
    assert "trainlint dry-run" in trainlint("options/a.json", "-t", "rtx-3060").stdout


def test_a_repository_that_is_not_compared_is_not_judged(trainlint, shared: Path) -> None:
    """As mmsr's heirs: an RRDBNet eight times as wide passed with the published one's figures."""
    case = shared / "cases/repositories/legacy-own-network/codes"
    for path in case.rglob("*"):
        if path.is_file():
            trainlint.write(f"codes/{path.relative_to(case)}", path.read_text("utf-8"))
    trainlint.write(".git/HEAD", "")
    (result,) = trainlint.json("codes/options/train/train_sr.yml", "-t", "rtx-3090", "--no-trace")["results"]
    assert result["verdicts"]["memory"] == "not-judged"
    assert "trainlint dry-run" in json.dumps(result["skipped"])
