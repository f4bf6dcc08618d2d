# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies around a config and is read with it: logs, baselines, sweeps, data, environments, source."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile

LOG = "".join(
    f"2026-01-02 10:00:{at:02d},123 INFO: [iter:{at * 100:8,d}, lr:(1e-04,)] [time (data): 0.6{at} (0.003)]\n"
    f"26-01-02 10:00:{at:02d}.500 : <iter:{at * 200:8,d}, lr:1.000e-04> performance: 1.48{at} it/s\n"
    f"12{at}/1000 [00:52<06:21, 2.3{at}it/s]\r"
    for at in range(9)
)
BASELINE = json.dumps(
    {
        "trainlint-baseline": 1,
        "findings": [
            {
                "path": "c.yml", "rule": "workers-over-cores", "pointer": "/datasets/train", "target": None,
                "values": "00", "count": 1,
            }
        ],
    },
    indent=1,
)  # fmt: skip
GRID = "config: c.yml\ngrid:\n  scale: [2, 4]\n  datasets.train.gt_size: {from: 32, to: 128, step: 32}\n"
WANDB = """\
program: train_vae.py
method: grid
command: ["${env}", "${interpreter}", "${program}", "--data_path", "a", "${args}"]
parameters:
  batch_size: {values: [4, 8]}
  image_size: {distribution: q_uniform, min: 64, max: 256, q: 32}
  lr: {min: 1.0e-5, max: 1.0e-3}
"""
META = "a.png (480,480,3)\nb.png (480,480,3)\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 64, 48) + b"\x08\x02\0\0\0"
JPEG = b"\xff\xd8\xff\xe1\0\x08\0\0\0\0\0\0\xff\xc0" + struct.pack(">HBHH", 17, 8, 48, 64) + b"\x03" * 12
ENVIRONMENT = {
    "requirements.txt": "#\ntorch>=1.7,<2.0\ntorchvision==0.17.1+cu121\nbasicsr[a] >= 1.3 ; b\n-r c.txt\n",
    "environment.yml": "dependencies:\n  - pytorch=1.12\n  - cudatoolkit=11.3\n  - pip: [basicsr==1.4.2]\n",
    "pyproject.toml": '[tool.poetry.dependencies]\ntorch = "^2.1"\n[project]\ndependencies = ["numpy<2"]\n',
    "Dockerfile": "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\nRUN pip install torch \\\n  numpy\n",
    "uv.lock": '[[package]]\nname = "torch"\nversion = "2.5.1+cu124"\n',
    "Pipfile.lock": '{"default": {"torch": {"version": "==2.1.0"}, "numpy": {"version": "*"}}}',
    "setup.py": 'setup(install_requires=["torch>=1.7", "numpy"])\n',
    "install.sh": "#!/bin/bash\npip install torch==1.12.1 --index-url https://download.pytorch.org/whl/cu113\n",
}
NETWORK = """\
import torch
from basicsr.utils.registry import ARCH_REGISTRY


@ARCH_REGISTRY.register()
class MSRResNet(torch.nn.Module):
    def __init__(self, num_in_ch=3, num_out_ch=3, num_feat=64, num_block=16, upscale=4):
        super().__init__()
        self.body = torch.nn.Sequential(*[torch.nn.Conv2d(num_feat, num_feat, 3) for _ in range(num_block)])

    def forward(self, x):
        return self.body(x)
"""
MODEL = """\
from basicsr.models.base_model import BaseModel
from basicsr.utils.registry import MODEL_REGISTRY


@MODEL_REGISTRY.register()
class SRModel(BaseModel):
    def __init__(self, opt):
        super().__init__(opt)
        self.rate = opt["train"].get("rate", 3)

    def optimize_parameters(self, current_iter):
        self.optimizer_g.zero_grad()
        self.output = self.net_g(self.lq)
        self.cri_pix(self.output, self.gt).backward()
        self.optimizer_g.step()
"""
SOURCE = {
    "basicsr/archs/msrresnet_arch.py": NETWORK,
    "basicsr/models/sr_model.py": MODEL,
    "basicsr/data/degradations.py": "from torchvision.transforms.functional_tensor import rgb_to_grayscale\n",
    "basicsr/train.py": "from basicsr.models import build_model\n\nif __name__ == '__main__':\n    train()\n",
}


def weights() -> list[bytes]:
    """Return a file of each form that holds a network's weights."""
    header = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    found = [struct.pack("<Q", len(header)) + header]
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", how) as made:
            made.writestr("archive/data.pkl", pickle.dumps({"params": {"a": 1, "b": [1, 2]}}, protocol=2))
        found.append(file.getvalue())
    return found
