# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository has of its own next to a trainer that is installed, and from where that is."""

from __future__ import annotations

import pytest

from trainlint.api import check

CONFIG = """\
name: own
model_type: RealESRGANModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: train
    type: RealESRGANPairedDataset
    io_backend: {type: disk}
    batch_size_per_gpu: 4
network_g: {type: RRDBNet, num_in_ch: 3, num_out_ch: 3}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: Adam, lr: 0.0002}
  scheduler: {type: MultiStepLR, milestones: [100]}
  total_iter: 1000
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""
DATA = """\
@DATASET_REGISTRY.register()
class RealESRGANPairedDataset(data.Dataset):
    \"\"\"Takes pairs: dataroot_gt (str) is their path.\"\"\"

    def __init__(self, opt):
        {}
"""
OTHER = "class RealESRGANDataset(data.Dataset):\n    def __init__(self, opt): self.gt = opt['dataroot_gt']\n"
STARTS = "from basicsr.train import train_pipeline\nimport own.data\n\ntrain_pipeline('.')\n"


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def said(config, **files):
        (tmp_path / ".git").mkdir()
        for path, text in {"own/train.py": STARTS, **files, "own.yml": config}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        results = check("own.yml", "rtx-3090", trace=False).results
        return [finding for result in results for finding in result.findings]

    return said


@pytest.mark.parametrize(
    ("line", "lacks"), [("self.root = opt['dataroot']", False), ("self.gt = opt['dataroot_gt']", True)]
)
def test_a_data_set_of_the_repository_says_which_keys_it_reads(found, line, lacks):
    files = {"own/data/own_dataset.py": DATA.format(line), "own/data/other_dataset.py": OTHER}
    assert any('missing key "dataroot_gt"' in finding.message for finding in found(CONFIG, **files)) is lacks


@pytest.mark.parametrize(
    ("address", "level"),
    [
        ("git+https://github.com/somebody/BasicSR.git", "warn"),
        ("git+https://github.com/XPixelGroup/BasicSR@v1.4.2", "fail"),
        ("basicsr==1.4.2", "fail"),
        ("git+https://github.com/somebody/basicsr-tools.git", "fail"),
    ],
)
def test_what_is_installed_from_a_fork_is_not_what_was_published(found, address, level):
    config = CONFIG.replace("total_iter: 1000", "total_iter: 1000\n  warmup_iter: 2000")
    files = {"own/data/own_dataset.py": DATA.format("pass"), "install.sh": f"pip install {address}\n"}
    (said,) = {finding for finding in found(config, **files) if finding.rule == "warmup-beyond"}
    assert str(said.level) == level
    assert ("somebody/BasicSR" in said.message) is (level == "warn")


@pytest.mark.parametrize(
    ("gives", "is_said"), [("def __getitem__(self, index): return stack(index)", False), ("x = 1", True)]
)
def test_what_an_own_data_set_gives_is_not_known(found, gives, is_said):
    config = CONFIG.replace("num_in_ch: 3", "num_in_ch: 6")
    files = {"own/data/own_dataset.py": f"{DATA.format('pass')}\n    {gives}\n"}
    assert any(finding.rule == "data-channels" for finding in found(config, **files)) is is_said


CHECKOUT = {"basicsr/utils/options.py": "def parse_options(root_path): return {}\n"}
LATE = CONFIG.replace("total_iter: 1000", "total_iter: 1000\n  warmup_iter: 2000")
LOOP = """\
from {}.models import build_model
from {}.utils.options import parse_options

opt = parse_options('.')
model = build_model(opt)
for _ in range(opt['train']['total_iter']):
    {}
    model.optimize_parameters(1)
"""
GIVES = "model.update_learning_rate(1, warmup_iter=opt['train'].get('warmup_iter', -1))"


@pytest.mark.parametrize("place", ["installed", "checkout"])
@pytest.mark.parametrize(
    ("line", "level"), [(GIVES, "fail"), ("model.update_learning_rate(1)", "warn")], ids=["gives", "forgets"]
)
def test_a_loop_of_the_repository_says_which_of_its_keys_are_read(found, place, line, level):
    files = {"own/train.py": LOOP.format("basicsr", "basicsr", line)}
    if place == "checkout":
        files = {"basicsr/train.py": files["own/train.py"], **CHECKOUT, "own/train.py": STARTS}
    (said,) = {finding for finding in found(LATE, **files) if finding.rule == "warmup-beyond"}
    assert str(said.level) == level
    assert ("train.py never reads that" in said.message) is (level == "warn")


@pytest.mark.parametrize("place", ["installed", "checkout"])
def test_a_key_of_a_loop_that_the_repositorys_own_never_reads_is_not_missing(found, place):
    files = {"own/train.py": LOOP.format("basicsr", "basicsr", "pass")}
    if place == "checkout":
        files = {"basicsr/train.py": files["own/train.py"], **CHECKOUT, "own/train.py": STARTS}
    config = CONFIG.replace(", save_checkpoint_freq: 100", "")
    assert not any("save_checkpoint_freq" in finding.message for finding in found(config, **files))


def test_a_key_that_an_installed_loop_reads_is_missing(found):
    config = CONFIG.replace(", save_checkpoint_freq: 100", "")
    assert any("save_checkpoint_freq" in finding.message for finding in found(config))


@pytest.mark.parametrize("place", ["installed", "checkout"])
def test_what_an_own_script_reads_by_itself_is_no_fail(found, place):
    reads = "import yaml\nopt = yaml.load(open('options/own.yml'))\nmodel.optimize_parameters(1)\n"
    files = {"own/other.py": reads.replace("options/", "own/../")}
    if place == "checkout":
        files = {"basicsr/train.py": LOOP.format("basicsr", "basicsr", GIVES), **CHECKOUT, **files}
    (said,) = {finding for finding in found(LATE, **files) if finding.rule == "warmup-beyond"}
    assert (str(said.level), "own/other.py reads this file itself" in said.message) == ("warn", True)


@pytest.mark.parametrize("place", ["installed", "checkout"])
@pytest.mark.parametrize(
    ("reads", "is_said"),
    [("self.lq, self.gt = opt['dataroot_lq'], opt['dataroot_gt']", True), ("pass", False)],
)
def test_a_rule_of_a_data_set_rests_on_the_repositorys_own(found, place, reads, is_said):
    config = CONFIG.replace("    io_backend", "    dataroot_gt: data\n    dataroot_lq: data\n    io_backend")
    text = DATA.format(reads).replace("RealESRGANPairedDataset", "PairedImageDataset")
    files = {"own/data/own_dataset.py": text}
    if place == "checkout":
        files = {"basicsr/train.py": LOOP.format("basicsr", "basicsr", GIVES), **CHECKOUT,
                 "basicsr/data/own_dataset.py": text}  # fmt: skip
    config = config.replace("RealESRGANPairedDataset", "PairedImageDataset")
    assert any(finding.rule == "same-images" for finding in found(config, **files)) is is_said
