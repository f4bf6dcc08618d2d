# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A key that has nothing for a value is not worth a warning where its readers take that."""

from __future__ import annotations

import json

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES
from tests.dialects.reader.test_own_ways import found as found  # noqa: PLC0414 - a fixture
from trainlint.api import check

PLAIN = CONFIG.replace("{type: MineNet, num_feat: 64}", "{type: EDSR}")
NONE = PLAIN.replace("\nnetwork_g:", "\nnetwork_d: ~\nnetwork_g:")
OWN = PLAIN.replace("SRModel", "OwnModel")
TRAINING = {
    "basicsr/train.py": FILES["basicsr/train.py"].replace(
        "    model = ", "    logs = opt['logger'].get('use_tb_logger')\n    model = "
    )
}
MODEL = "@MODEL_REGISTRY.register()\nclass OwnModel:\n    def __init__(self, opt):\n        {}\n"


@pytest.mark.parametrize(
    ("asks", "warned"),
    [("if opt['scale'] is not None: self.scale(opt['scale'])", False), ("self.scale(opt['scale'])", True)],
)
def test_a_model_that_asks_takes_none(found, asks, warned):
    data = "@DATASET_REGISTRY.register()\nclass PairedImageDataset: ...\n"
    files = {"basicsr/models/own_model.py": MODEL.format(asks), "basicsr/data/paired_image_dataset.py": data}
    assert ("wrong-type" in found(OWN.replace("scale: 4", "scale: ~"), **files)) is warned


def test_a_network_that_the_model_does_without(found):
    assert "wrong-type" not in found(NONE)


def test_a_gan_needs_its_discriminator(found):
    config = NONE.replace("SRModel", "SRGANModel")
    path = "basicsr/models/srgan_model.py"
    built = "@MODEL_REGISTRY.register()\nclass SRGANModel:\n    def f(self): build(self.opt['network_d'])\n"
    assert 'for "network_d", found nothing (~)' in found(config, **{path: built})["wrong-type"][1]


def test_a_switch_without_a_value_is_off(found):
    config = PLAIN.replace("print_freq", "use_tb_logger: ~, print_freq")
    assert "wrong-type" not in found(config, **TRAINING)


def test_another_value_of_a_switch_is_said(found):
    config = PLAIN.replace("print_freq", "use_tb_logger: on_, print_freq")
    assert "counts as true" in found(config, **TRAINING)["wrong-type"][1]


def test_kair_takes_what_is_absent(tmp_path):
    options = {
        "task": "a", "model": "gan", "gpu_ids": [0], "n_channels": None, "path": {"root": "r"},
        "datasets": {"train": {"name": "a", "dataset_type": "sr", "H_size": None}},
        "netG": {"net_type": "rrdbnet"}, "netD": {"net_type": "discriminator_unet"},
        "train": {"D_init_iters": None, "G_optimizer_reuse": None, "checkpoint_save": 1},
    }  # fmt: skip
    (tmp_path / "own.json").write_text(json.dumps(options))
    (result,) = check(str(tmp_path / "own.json"), "t4", trace=False).results
    assert "kair" in str(result.dialect)
    assert not [finding for finding in result.findings if finding.rule == "wrong-type"]


@pytest.mark.parametrize(
    ("read", "said"),
    [("opt['train']['warmup_iter']", True), ("opt['train']['warmup_iters']", False), ("opt['other']", False)],
)
def test_a_slip_is_of_a_key_that_is_read(found, read, said):
    config = PLAIN.replace("total_iter:", "warmup_iters: 5\n  total_iter:")
    script = FILES["basicsr/train.py"].replace("    model = ", f"    warmup = {read}\n    model = ")
    assert ("unknown-key" in found(config, **{"basicsr/train.py": script})) is said
