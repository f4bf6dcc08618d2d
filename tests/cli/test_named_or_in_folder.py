# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file gives the same verdict named or in its folder, whatever else the folder holds."""

from __future__ import annotations

import json

import pytest

BASICSR = """\
name: a
model_type: SRModel
scale: 4
num_gpu: 2
datasets:
  train: {name: t, type: PairedImageDataset, dataroot_gt: hr, dataroot_lq: lr, gt_size: 128, use_hflip: true,
    io_backend: {type: disk}, num_worker_per_gpu: 4, batch_size_per_gpu: 16}
network_g: {type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 16, upscale: 4}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: Adam, lr: 0.0002}
  scheduler: {type: CosineAnnealingRestartLR, periods: [500], restart_weights: [1]}
  pixel_opt: {type: L1Loss}
  total_iter: 1000
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""
KAIR = {
    "task": "a", "model": "plain", "gpu_ids": [0, 1], "scale": 4, "n_channels": 3, "path": {"root": "runs"},
    "datasets": {"train": {
        "dataset_type": "sr", "dataroot_H": "hr", "H_size": 96, "dataloader_shuffle": True,
        "dataloader_num_workers": 4, "dataloader_batch_size": 32,
    }},
    "netG": {
        "net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 64, "nb": 16, "act_mode": "R", "upscale": 4,
        "upsample_mode": "upconv",
    },
    "train": {
        "G_lossfn_type": "l1", "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4,
        "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [1000], "G_scheduler_gamma": 0.5,
        "checkpoint_save": 500, "checkpoint_print": 100, "checkpoint_test": 500,
    },
}  # fmt: skip
PAGE = """\
```bash
python -m torch.distributed.launch --nproc_per_node=2 {script} {flag} options/{file} {launched}
python {script} {flag} options/{file}
```
"""
TREES = {
    "basicsr": {
        "basicsr/train.py": "from basicsr.utils.options import parse_options\n",
        "basicsr/utils/options.py": "import yaml\ndef parse_options(): pass\n",
        "options/a.yml": BASICSR,
        "options/b.yml": BASICSR.replace("num_gpu: 2", "num_gpu: 1").replace(
            "total_iter: 1000", "total_iter: 500"
        ),
        "README.md": PAGE.format(
            script="basicsr/train.py", flag="-opt", file="a.yml", launched="--launcher pytorch"
        ),
    },
    "kair": {
        "main_train_psnr.py": "import argparse\nfrom utils import utils_option as option\n",
        "utils/utils_option.py": "import json\ndef parse(opt_path):\n    return json.load(open(opt_path))\n",
        "options/a.json": json.dumps(KAIR),
        "options/b.json": json.dumps({**KAIR, "gpu_ids": [3]}),
        "README.md": PAGE.format(
            script="main_train_psnr.py", flag="--opt", file="a.json", launched="--dist True"
        ),
    },
}
"""Small checkouts: two option files, and a page that starts the first in two ways."""


@pytest.mark.rest
@pytest.mark.parametrize("dialect", TREES)
@pytest.mark.parametrize("target", ["rtx-4090", "kaggle-t4x2"])
def test_a_file_is_judged_alike_named_and_in_its_folder(trainlint, dialect: str, target: str) -> None:
    trainlint.write(".git/HEAD", "")
    for name, text in TREES[dialect].items():
        trainlint.write(name, text)
    whole = trainlint.json(".", "-t", target, "--no-trace")["results"]
    for name in (name for name in TREES[dialect] if name.startswith("options/")):
        alone = trainlint.json(name, "-t", target, "--no-trace")["results"]
        assert [_seen(result) for result in alone] == [
            _seen(result) for result in whole if result["path"] == name
        ]
        assert alone


def _seen(result: dict[str, object]) -> dict[str, object]:
    """Return what of a result hangs on the file, not on what else was asked for."""
    return {
        key: value for key, value in result.items() if key in ("variant", "outcome", "verdicts", "findings")
    }
