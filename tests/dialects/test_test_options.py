# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's option files for test.py: no step is judged, their keys are."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

TEST = """\
name: measured
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  test_1: {name: A, type: PairedImageDataset, dataroot_gt: hr, dataroot_lq: lr, io_backend: {type: disk}}
network_g: {type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 16, upscale: 4}
path: {pretrain_network_g: net.pth, strict_load_g: true}
val:
  save_img: true
  suffix: ~
  metrics: {psnr: {type: calculate_psnr, crop_border: 4, test_y_channel: false}}
"""


def judged(folder, text, *options):
    (folder / "test_x4.yml").write_text(text, "utf-8")
    command = [sys.executable, "-m", "trainlint", "test_x4.yml", "-t", "kaggle-t4x2", "--format", "json"]
    done = subprocess.run(
        [*command, "--no-cache", *options], cwd=folder, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
    )  # fmt: skip
    (result,) = json.loads(done.stdout)["results"]
    return result, [(found["rule"], found["level"]) for found in result["findings"]], done.returncode


def test_what_is_right_is_no_training_job(tmp_path):
    result, found, code = judged(tmp_path, TEST)
    assert (result["outcome"], found, code) == ("skipped", [], 0)
    assert [skip["rule"] for skip in result["skipped"]] == ["not-a-training-job"]


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("  save_img: true\n", "", "missing-key"),
        ("  suffix: ~\n", "", "missing-key"),
        (", io_backend: {type: disk}", "", "missing-key"),
        ("num_feat: 64", "num_features: 64", "network-arguments"),
    ],
)
def test_the_trainer_itself_stops_at(tmp_path, before, after, rule):
    result, found, code = judged(tmp_path, TEST.replace(before, after), "--trainer", "basicsr")
    assert (rule, "fail") in found
    assert (result["outcome"], code) == ("fail", 1)


def test_images_that_are_not_saved_need_no_suffix(tmp_path):
    text = TEST.replace("save_img: true\n  suffix: ~", "save_img: false")
    assert judged(tmp_path, text, "--trainer", "basicsr")[1] == []


def test_what_lies_in_another_file_is_not_asked_for(tmp_path):
    """Without test sets it may be part of a config; nothing is missing for certain."""
    text = TEST.replace("  test_1:", "  somewhere:").replace("  suffix: ~\n", "")
    assert judged(tmp_path, text, "--trainer", "basicsr")[1] == []
