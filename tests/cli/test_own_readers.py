# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own script decides which keys are read: what it takes or never asks for is not wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = {
    "basicsr-own-phases": "options/train/two_sets.yml",
    "legacy-dataset-class-in-script": "code/confs/stage1.yml",
    "timm-fork-two-positionals": "train.sh",
}
"""Repositories cut down to what was called wrong, and what of them is linted."""
CUT_OFF = {"legacy-dataset-class-in-script": ("code/models/SR_model.py", "class SRModel:\n    pass\n")}
"""What the cut took away and the repository imports."""


@pytest.mark.parametrize("name", CASES)
def test_what_the_script_takes_is_no_fail(trainlint, shared: Path, name: str) -> None:
    case = shared / "cases/repositories" / name
    for path in case.rglob("*"):
        if path.is_file() and path.name != "README.md":
            trainlint.write(str(path.relative_to(case)), path.read_text("utf-8"))
    if name in CUT_OFF:
        trainlint.write(*CUT_OFF[name])
    trainlint.write(".git/HEAD", "")
    results = trainlint.json(CASES[name], "-t", "rtx-3090", "--no-trace")["results"]
    assert [
        one["message"] for result in results for one in result["findings"] if one["level"] == "fail"
    ] == []


PARSER = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('data_dir')
SECONDparser.add_argument('--model', default='resnet50', type=str)
parser.add_argument('-b', '--batch-size', type=int, default=128)
parser.add_argument('--opt', default='sgd', type=str)
parser.add_argument('--sched', default='cosine', type=str)
parser.add_argument('--amp', action='store_true', default=False)
"""


@pytest.mark.parametrize(("second", "level"), [("parser.add_argument('depth')\n", []), ("", ["fail"])])
def test_words_without_a_flag_are_held_against_the_parser(trainlint, second: str, level: list[str]) -> None:
    trainlint.write("train.py", PARSER.replace("SECOND", second))
    trainlint.write(
        "train.sh", "python train.py /data /depth --model resnet50 --opt adamw --sched cosine --amp\n"
    )
    trainlint.write(".git/HEAD", "")
    results = trainlint.json("train.sh", "-t", "rtx-3090", "--no-trace")["results"]
    found = [one for result in results for one in result["findings"] if "@args" in one["message"]]
    assert [one["level"] for one in found] == level


FLAGS = """\
import argparse
import timm
parser = argparse.ArgumentParser()
parser.add_argument('--jsd', action='store_true')
parser.add_argument('--native-amp', action='store_true')
"""
SAVED = """\
model: resnet50
batch_size: 64
opt: adamw
sched: cosine
mixup: 0.8
cutmix: 1.0
reprob: 0.25
smoothing: 0.1
lr: 0.001
epochs: 300
jsd: false
native_amp: true
"""


@pytest.mark.parametrize(("key", "rules"), [("", []), ("wegiht_decay: 0.2\n", ["unused-key"])])
def test_a_saved_file_of_flags_sets_defaults_and_is_refused_nothing(
    trainlint, key: str, rules: list[str]
) -> None:
    trainlint.write("train.py", FLAGS)
    trainlint.write("config/a.yaml", SAVED + key)
    trainlint.write(".git/HEAD", "")
    assert _rules(trainlint, "config/a.yaml") == rules


def test_flags_of_a_script_by_another_name_are_its_own(trainlint) -> None:
    trainlint.write("opt.py", FLAGS + "net = timm.create_model(**args.more)\n")
    trainlint.write(
        "config/a.yaml", SAVED.replace("native_amp: true", "native_amp: true\nnative_amp: true\nmore: {}")
    )
    trainlint.write(".git/HEAD", "")
    assert _rules(trainlint, "config/a.yaml") == []


KAIR = """\
{"task": "t", "model": "plain", "gpu_ids": [0], "dist": "True", "scale": 4, "n_channels": 3,
 "path": {"root": "runs"},
 "datasets": {"train": {"dataset_type": "Night-Rain", "dataroot_H": "hr", "H_size": 96,
   "dataloader_shuffle": true, "dataloader_num_workers": 4, "dataloader_batch_size": 8}},
 "netG": {"net_type": "rainnet"},
 "train": {"G_lossfn_type": "l1", "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4,
   "G_scheduler_type": "CyclicLR", "G_scheduler_periods": [10, 20], "G_scheduler_eta_min": [0.1, 0.2],
   "checkpoint_save": 5,
   "checkpoint_print": 1, "checkpoint_test": 5}}
"""
OPTIONS = "import json\ndef parse(path):\n    return json.load(open(path))\n"
NETWORKS = "def define_G(opt):\n    if opt['netG']['net_type'] == 'rainnet':\n        return RainNet()\n"
MODELS = """\
class ModelPlain:
    def define_scheduler(self, opt):
        if opt['G_scheduler_type'] == 'CyclicLR':
            return CyclicLR(opt['G_scheduler_periods'], opt['G_scheduler_eta_min'])
"""
ANY = "def define_Dataset(opt):\n    dataset_type = opt['dataset_type'].lower()\n    return D(opt)\n"
LISTED = """\
def define_Dataset(opt):
    dataset_type = opt['dataset_type'].lower()
    if dataset_type in ['night-rain']:
        return D(opt)
    elif dataset_type in ['sr']:
        return E(opt)
    raise NotImplementedError
"""


@pytest.mark.parametrize(
    ("choice", "found"), [(ANY, []), (LISTED, []), (LISTED.replace("night", "day"), ["misspelt-name"])]
)
def test_kairs_data_sets_are_those_that_it_chooses_among(trainlint, choice: str, found: list[str]) -> None:
    """Nor is a list wrong for a scheduler of its own, or what a script overwrites."""
    trainlint.write("utils/utils_option.py", OPTIONS)
    trainlint.write("data/select_dataset.py", choice)
    trainlint.write("models/select_network.py", NETWORKS)
    trainlint.write("models/model_plain.py", MODELS)
    trainlint.write("options/a.json", KAIR)
    trainlint.write(".git/HEAD", "")
    assert _rules(trainlint, "options/a.json") == found


PHASES = """\
def of_phase(value, phase):
    return value[phase] if isinstance(value, list) else value

def main(opt, phase):
    size = of_phase(opt["datasets"]["train"]["H_size"], phase)
    batch = of_phase(opt["datasets"]["train"].get("dataloader_batch_size", 8), phase)
"""


@pytest.mark.parametrize(("asks", "found"), [("list", []), ("str", ["wrong-type"])])
def test_a_list_for_its_own_phases_is_right_and_what_is_said_twice_is_not_lost(
    trainlint, asks: str, found: list[str]
) -> None:
    text = KAIR.replace('"H_size": 96', '"H_size": [96, 64]').replace(
        '_batch_size": 8', '_batch_size": [8, 4]'
    )
    twice = '"path": {"root": "runs"}'
    trainlint.write("main_train_psnr.py", PHASES.replace("list", asks))
    trainlint.write("utils/utils_option.py", OPTIONS)
    trainlint.write("data/select_dataset.py", LISTED)
    trainlint.write("models/select_network.py", NETWORKS)
    trainlint.write("models/model_plain.py", MODELS)
    trainlint.write("options/a.json", text.replace(twice, f'{twice}, "path":  {{ "root": "runs" }}'))
    trainlint.write(".git/HEAD", "")
    assert _rules(trainlint, "options/a.json") == found


BASICSR = """\
name: own
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: train
    type: EventDataset
    meta_info_file: [a.txt]
    dataroot_gt: gt
    dataroot_lq: lq
    gt_size: 128
    io_backend: {type: h5}
    num_worker_per_gpu: 4
    batch_size_per_gpu: 4
network_g: {type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 16, upscale: 4}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: AdamW, lr: 0.0002}
  scheduler:
    {type: CosineAnnealingRestartCyclicLR, periods: [10, 20], restart_weights: [1, 1], eta_mins: [0.1, 0.01]}
  pixel_opt: {type: L1Loss}
  total_iter: 1000
  warmup_iter: -1
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""
LOOP = """\
def main(opt):
    while epoch < opt['train']['LENGTH']:
        model.optimize_parameters(step)
        model.update_learning_rate(step, warmup_iter=opt['train'].get('warmup_iter', -1))
"""
SCHEDULES = """\
if kind == 'CosineAnnealingRestartCyclicLR':
    schedule = Cyclic(opt['train']['total_iter'])
"""
DATA = """\
class EventDataset(data.Dataset):
    def __init__(self, opt):
        files = opt['meta_info_file']
        if not isinstance(files, LISTS):
            files = [files]
        if isinstance(opt['meta_info_file'], LISTS):
            files = opt['meta_info_file']
"""


@pytest.mark.parametrize(
    ("length", "lists", "found"),
    [
        ("total_epochs", "list", []),
        ("total_iter", "list", ["schedule-sums"]),
        ("total_epochs", "str", ["wrong-type"]),
    ],
)
def test_an_own_loop_and_an_own_data_set_say_what_they_read(
    trainlint, length: str, lists: str, found: list[str]
) -> None:
    trainlint.write("basicsr/train.py", LOOP.replace("LENGTH", length))
    trainlint.write("basicsr/utils/options.py", "import yaml\n")
    trainlint.write("basicsr/models/base_model.py", SCHEDULES)
    trainlint.write("basicsr/data/event_dataset.py", DATA.replace("LISTS", lists))
    trainlint.write("options/a.yml", BASICSR)
    trainlint.write(".git/HEAD", "")
    assert _rules(trainlint, "options/a.yml") == found


def _rules(trainlint, path: str) -> list[str]:
    results = trainlint.json(path, "-t", "rtx-3090", "--no-trace")["results"]
    return [one["rule"] for result in results for one in result["findings"] if one["level"] != "info"]
