# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A term of memory that no trace counts: listed, and no verdict that it could turn (by the real command)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.warm_cache import warm

from .conftest import NATIVE_JOB

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

TARGET = "rtx-3060"

NEOSR = """\
name = "terms"
model_type = "image"
scale = 4
[datasets.train]
type = "otf"
dataroot_gt = "photos"
patch_size = 32
batch_size = 2
[network_g]
type = "compact"
[path]
[train]
total_iter = 1000
[train.optim_g]
type = "adamw"
lr = 1e-4
[train.pixel_opt]
type = "L1Loss"
[logger]
save_checkpoint_freq = 500
"""

REDUX = """\
name: terms
scale: 4
num_gpu: 1
datasets:
  train: {name: photos, type: pairedimagedataset, dataroot_gt: hr, dataroot_lq: lr, lq_size: 32,
          batch_size_per_gpu: 2, num_worker_per_gpu: 2}
network_g: {type: compact}
path: {}
train:
  total_iter: 1000
  optim_g: {type: AdamW, lr: !!float 1e-4, betas: [0.9, 0.99]}
  losses:
    - {type: l1loss, loss_weight: 1.0}
logger: {print_freq: 100, save_checkpoint_freq: 500, use_tb_logger: false}
"""

BASICSR = """\
name: terms
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train: {name: photos, type: PairedImageDataset, dataroot_gt: hr, dataroot_lq: lr, io_backend: {type: disk},
          gt_size: 128, num_worker_per_gpu: 2, batch_size_per_gpu: 2}
network_g: {type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 16, num_block: 1, upscale: 4}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: Adam, lr: 0.0001}
  scheduler: {type: MultiStepLR, milestones: [500], gamma: 0.5}
  total_iter: 1000
  pixel_opt: {type: L1Loss}
logger: {print_freq: 10, save_checkpoint_freq: 250}
"""


KAIR = """\
{"task": "terms", "model": "plain", "gpu_ids": [0], "scale": 4, "n_channels": 3,
 "path": {"root": "terms"},
 "datasets": {"train": {"name": "t", "dataset_type": "sr", "dataroot_H": "photos", "H_size": 96,
   "dataloader_shuffle": true, "dataloader_num_workers": 4, "dataloader_batch_size": 2}},
 "netG": {"net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 16, "nb": 1, "act_mode": "R",
   "upsample_mode": "upconv"},
 "train": {"G_lossfn_type": "l1", "G_lossfn_weight": 1.0, "G_optimizer_type": "adam", "G_optimizer_lr": 2e-4,
   "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [500], "G_scheduler_gamma": 0.5,
   "checkpoint_test": 500, "checkpoint_save": 500, "checkpoint_print": 200}}
"""


@pytest.fixture
def trainlint(trainlint, tmp_path_factory):
    """The command with a cache that these tests share: several judge the same step."""
    trainlint.env["XDG_CACHE_HOME"] = str(warm(tmp_path_factory.getbasetemp() / "uncounted"))
    return trainlint


def judged(trainlint, text: str, name: str = "job.yml") -> dict[str, Any]:
    trainlint.write(name, text)
    (result,) = json.loads(trainlint("--format", "json", "-t", TARGET, name).stdout)["results"]
    return result


def skipped(result: dict[str, Any]) -> dict[str, str]:
    return {skip["rule"]: skip["reason"] for skip in result["skipped"]}


@pytest.mark.slow
def test_what_may_go_either_way_takes_back_a_pass_and_a_fail(trainlint) -> None:
    for batch in (2, 200000):
        text = NATIVE_JOB.replace("batch: 2", f"batch: {batch}") + "compile: true\n"
        result = judged(trainlint, text)
        assert result["outcome"] == "skipped"
        assert result["facts"]["memory"]["uncounted"] == [
            {"what": 'torch.compile ("compile")', "direction": "unknown"}
        ]
        assert skipped(result)["vram-budget"] == (
            'torch.compile ("compile") is not counted and may add memory or save it'
        )


def test_a_figure_that_something_may_save_from_is_no_least(trainlint) -> None:
    for more, least in (("", True), ("compile: true\n", False)):
        trainlint.write("job.yml", NATIVE_JOB.replace("batch: 2", "batch: 200000") + more)
        for shown in ("text", "concise", "markdown"):
            said = trainlint("--format", shown, "-t", TARGET, "job.yml").stdout
            assert ("at least" in said) == least, said


def test_text_and_fit_say_what_is_not_counted(trainlint) -> None:
    trainlint.write("job.yml", NATIVE_JOB + "compile: true\n")
    text = trainlint("-t", TARGET, "job.yml").stdout
    assert text.startswith(f"job.yml on {TARGET} ")
    assert ": skip\n" in text
    said = 'not counted: torch.compile ("compile"); trainlint measure CONFIG shows it'
    assert said in " ".join(text.split())
    table = trainlint("fit", "-t", TARGET, "job.yml").stdout.partition("target ")[2]
    assert "skipped" in table
    assert "pass" not in table
    assert "torch.compile" in table


def test_without_the_term_nothing_is_said(trainlint) -> None:
    result = judged(trainlint, NATIVE_JOB + "compile: false\n")
    assert result["facts"]["memory"]["uncounted"] == []
    assert "vram-budget" not in skipped(result)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("job.toml", "compile = true\n" + NEOSR, 'torch.compile ("compile")'),
        ("job.yml", "use_compile: true\n" + REDUX, 'torch.compile ("use_compile")'),
        ("job.yml", "use_amp: true\n" + BASICSR, 'mixed precision ("use_amp")'),
        (
            "job.yml",
            BASICSR.replace("train:\n  optim", "train:\n  use_amp: true\n  optim"),
            "mixed precision",
        ),
        ("job.yml", "gradient_checkpointing: true\n" + BASICSR, "activation checkpointing"),
        ("job.yml", "_base_: other.yml\n" + BASICSR, 'what other files set ("_base_")'),
        ("job.yml", "defaults: [other]\n" + BASICSR, 'what other files set ("defaults")'),
        ("job.yml", "compile: true\n" + BASICSR, "torch.compile"),
        ("job.toml", "gradient_checkpointing = true\n" + NEOSR, "activation checkpointing"),
        ("job.toml", NEOSR.replace("[train]", "[train]\nfp16 = true"), 'mixed precision ("fp16")'),
        ("job.toml", "enable_qat = true\n" + NEOSR, 'training with quantisation ("enable_qat")'),
        ("job.json", KAIR.replace('"train": {"G', '"train": {"fp16": true, "G'), 'mixed precision ("fp16")'),
        (
            "job.json",
            KAIR.replace('"train": {"G', '"train": {"amp": {"enable": true}, "G'),
            'mixed precision ("amp")',
        ),
        ("job.json", KAIR.replace('"train": {"G', '"train": {"use_lora": true, "G'), "low-rank adapters"),
        ("job.yml", "auto_vram_management: {enabled: true}\n" + REDUX, "a batch that changes"),
        (
            "job.yml",
            REDUX.replace("train:\n  total", "train:\n  training_automations: {enabled: true}\n  total"),
            "batches and crops that change",
        ),
        ("job.yml", "gradient_checkpointing: true\n" + REDUX, "activation checkpointing"),
    ],
)
def test_what_may_save_memory_leaves_it_unjudged(trainlint, name, text, said) -> None:
    result = judged(trainlint, text, name)
    assert result["facts"]["memory"] is not None, result["skipped"]
    assert said in result["facts"]["memory"]["uncounted"][0]["what"]
    assert said in skipped(result)["vram-budget"]
    assert result["outcome"] != "pass"


@pytest.mark.parametrize(
    "line",
    [
        "network_d2: {type: UNetDiscriminatorSN, num_in_ch: 3}\n",
        "network_g_teacher: {type: MSRResNet}\n",
        "lpips: true\n",
    ],
)
def test_what_can_only_add_leaves_a_fail_and_takes_back_a_pass(trainlint, line) -> None:
    passing = judged(trainlint, line + BASICSR)
    assert passing["facts"]["memory"]["uncounted"][0]["direction"] == "more"
    assert passing["outcome"] == "skipped"
    assert set(skipped(passing)) >= {"vram-budget"}
    failing = judged(trainlint, line + BASICSR.replace("batch_size_per_gpu: 2", "batch_size_per_gpu: 20000"))
    assert failing["outcome"] == "fail"
    (finding,) = (one for one in failing["findings"] if one["rule"] == "vram-budget")
    assert finding["fixes"] == []
    assert any("leaves out" in note for note in finding["notes"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("job.toml", NEOSR.replace("[path]", '[network_t]\ntype = "compact"\n[path]')),
        ("job.json", KAIR.replace('"root": "terms"', '"root": "terms", "pretrained_netTeacher": "t.pth"')),
        ("job.json", KAIR.replace('"netG"', '"netF": {"net_type": "dncnn"}, "netG"')),
        ("job.json", KAIR.replace('"train": {"G', '"train": {"G_fft_loss_weight": 0.1, "G')),
        ("job.json", KAIR.replace('"train": {"G', '"train": {"feature_lossfn_weight": 0.1, "G')),
        ("job.yml", "network_t: {type: compact}\n" + REDUX),
    ],
)
def test_further_networks_and_losses_of_forks_can_only_add(trainlint, name, text) -> None:
    result = judged(trainlint, text, name)
    (term,) = result["facts"]["memory"]["uncounted"]
    assert term["direction"] == "more"
    assert "adds memory" in skipped(result)["vram-budget"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("job.toml", "gradient_checkpointing = false\n" + NEOSR.replace("[train]", "[train]\nfp16 = false")),
        ("job.json", KAIR.replace('"train": {"G', '"train": {"amp": {"enable": false}, "fp16": false, "G')),
        ("job.yml", "auto_vram_management: {enabled: false}\n" + REDUX),
    ],
)
def test_a_forks_key_that_is_off_is_no_term(trainlint, name, text) -> None:
    result = judged(trainlint, text, name)
    assert result["facts"]["memory"]["uncounted"] == []
    assert "vram-budget" not in skipped(result)


METRIC = """\
val: {val_enabled: true, val_freq: 100, save_img: false, metrics_enabled: true,
      metrics: {d: {type: calculate_dists}, p: {type: calculate_psnr}}}
"""
SET = "  val: {name: DIV2K, type: pairedimagedataset, dataroot_gt: DIV2K/hr, dataroot_lq: DIV2K/lr}\n"


def test_a_metric_that_is_a_network_leaves_validation_unjudged_and_training_judged(trainlint) -> None:
    text = REDUX.replace("network_g:", f"{SET}network_g:") + METRIC
    result = judged(trainlint, text)
    assert result["facts"]["memory"]["uncounted"] == [
        {"what": "the metric calculate_dists on whole images", "direction": "more", "only": "validation"}
    ]
    assert (result["outcome"], result["verdicts"]["memory"]) == ("pass", "pass")
    assert set(skipped(result)) >= {"vram-validation"}
    assert "vram-budget" not in skipped(result)
    off = judged(trainlint, text.replace("metrics_enabled: true", "metrics_enabled: false"))
    assert off["facts"]["memory"]["uncounted"] == []
    assert "vram-validation" not in skipped(off)


def test_a_fix_is_checked_for_the_trainer_that_reads_the_config(trainlint) -> None:
    text = KAIR.replace('"msrresnet0"', '"msrresnet_0"').replace('"train": {"G', '"train": {"fp16": true, "G')
    result = judged(trainlint, text, "job.json")
    (finding,) = result["findings"]
    assert (finding["rule"], finding["level"]) == ("misspelt-name", "fail")
    assert [fix["summary"] for fix in finding["fixes"]] == ["netG.net_type: msrresnet_0 -> msrresnet0"]


def test_a_key_that_is_off_is_no_term(trainlint) -> None:
    result = judged(trainlint, "use_amp: false\ngradient_checkpointing: false\nlpips: 0\n" + BASICSR)
    assert result["facts"]["memory"]["uncounted"] == []
    assert "vram-budget" not in skipped(result)


def test_the_original_passes_a_forks_keys_over(trainlint) -> None:
    text = "use_amp: true\nnetwork_d2: {type: UNetDiscriminatorSN}\n" + BASICSR
    trainlint.write("job.yml", text)
    done = trainlint("--format", "json", "-t", TARGET, "--trainer", "basicsr", "job.yml")
    (result,) = json.loads(done.stdout)["results"]
    assert result["facts"]["memory"]["uncounted"] == []
    assert "vram-budget" not in skipped(result)
    said = [(one["rule"], one["level"], one["line"]) for one in result["findings"]]
    assert said == [("unused-key", "warn", 1), ("unused-key", "warn", 2)]


def test_a_trainers_own_source_says_whether_it_reads_a_key(trainlint) -> None:
    trainlint.write("repo/basicsr/utils/options.py", "")
    trainlint.write("repo/basicsr/models/own_model.py", "def amp(opt):\n    return opt.get('use_amp')\n")
    trainlint.write("repo/.git/HEAD", "ref: refs/heads/main\n")
    result = judged(trainlint, "use_amp: true\n_base_: a.yml\n" + BASICSR, "repo/job.yml")
    assert [term["what"] for term in result["facts"]["memory"]["uncounted"]] == [
        'mixed precision ("use_amp")'
    ]
    assert [one["message"] for one in result["findings"]] == [
        '"_base_" has no effect: BasicSR does not read it'
    ]


def test_reduxs_teacher_can_only_add(trainlint) -> None:
    result = judged(trainlint, "network_g_teacher: {type: compact}\n" + REDUX)
    assert result["facts"]["memory"]["uncounted"] == [
        {"what": 'the teacher ("network_g_teacher")', "direction": "more"}
    ]
    assert "adds memory" in skipped(result)["vram-budget"]


@pytest.mark.parametrize(
    ("command", "figure"),
    [
        ("python train_zoom23_autoencoder.py --img_size 512 --batch_size 16", "2.09 to 2.13"),
        pytest.param(
            "python train_CR_kaggle.py --batch_sz 400",
            "not judged",  # --crop_size may be in the rest
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_a_command_leaves_out_may_change_any_verdict(trainlint, command, figure) -> None:
    trainlint.write("train.sh", f'{command} "$@"\n')  # is read as without further arguments
    assert "stands for" not in trainlint("train.sh", "-t", "rtx-5090").stdout
    trainlint.write("train.sh", f"{command} ...\n")
    found = trainlint.json("train.sh", "-t", "rtx-5090")["results"]
    assert {one["verdicts"]["memory"] for one in found} == {"not-judged"}
    assert "fail" not in {one["outcome"] for one in found}
    shown = trainlint("train.sh", "-t", "rtx-5090").stdout
    assert 'write out what "..." stands for' in shown
    assert figure in shown
