# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's option files for test.py: no step is judged, their keys are."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

import pytest

from tests import in_process
from tests.warm_cache import warm

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


SMALL = TEST.replace("num_feat: 64, num_block: 16", "num_feat: 8, num_block: 1")
KNOWN = SMALL.replace("dataroot_gt: hr, dataroot_lq: lr", "dataroot_gt: Set14/GTmod12, dataroot_lq: Set14/x4")
BARE = SMALL.replace("PairedImageDataset, dataroot_gt: hr,", "SingleImageDataset,")
HAT = (
    BARE.replace("SRModel", "HATModel")
    .replace("MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 8, num_block: 1, upscale: 4",
             "HAT, upscale: 4, window_size: 16, depths: [1], embed_dim: 60, num_heads: [6], "
             "upsampler: pixelshuffle")
)  # fmt: skip


def png(height, width):
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0"


def judged(folder, text, *options):
    (folder / "test_x4.yml").write_text(text, "utf-8")
    command = ["test_x4.yml", "-t", "kaggle-t4x2", "--format", "json", *options]
    done = in_process.run(folder, warm(folder / "cache"), *command)
    (result,) = json.loads(done.stdout)["results"]
    return result, [(found["rule"], found["level"]) for found in result["findings"]], done.return_value


def test_what_is_right_is_no_training_job(tmp_path):
    result, found, code = judged(tmp_path, TEST)
    assert (result["outcome"], found, code) == ("skipped", [], 0)
    assert {skip["rule"] for skip in result["skipped"]} == {"not-a-training-job"}
    assert "memory not judged: the size of the images is not known" in result["skipped"][1]["reason"]


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


@pytest.mark.slow
def test_whole_images_of_a_known_set(tmp_path):
    pytest.importorskip("torch")
    result, found, code = judged(tmp_path, KNOWN)
    memory = result["facts"]["memory"]
    assert (result["outcome"], found, code, result["verdicts"]["memory"]) == ("pass", [], 0, "pass")
    assert (memory["peak_phase"], memory["validation_image"]["width"]) == ("test", 192)
    assert [network["role"] for network in result["networks"]] == ["generator"]
    assert set(memory["parts"]) & {"gradients", "optimizer state"} == set()
    larger, found, code = judged(tmp_path, KNOWN, "--validation-size", "6000x8000")
    assert (larger["outcome"], found, code) == ("fail", [("vram-validation", "fail")], 1)
    assert "the test runs out of memory: one image of 8000x6000" in larger["findings"][0]["message"]


@pytest.mark.slow
def test_what_may_take_all_of_the_card_is_tight(tmp_path):
    """It fits by what is expected, and cuDNN's trials would take more than the card has."""
    pytest.importorskip("torch")
    result, found, code = judged(tmp_path, BARE, "--validation-size", "2200x2200")
    gpu = result["facts"]["memory"]["gpus"][0]
    assert gpu["expect"] < gpu["capacity"] < gpu["worst"]
    assert (result["outcome"], found, code) == ("warn", [("vram-tight", "warn")], 0)
    assert result["verdicts"]["memory"] == "warn"
    message = result["findings"][0]["message"]
    assert message.startswith("memory is tight: the test may take all of the 14.56 GiB"), message


@pytest.mark.slow
def test_explain_shows_where_a_test_s_memory_goes(tmp_path):
    pytest.importorskip("torch")
    result, *_ = judged(tmp_path, KNOWN)
    command = [sys.executable, "-m", "trainlint", "explain", "test_x4.yml", "-t", "kaggle-t4x2"]
    done = subprocess.run(
        [*command, "--html", "page.html", "--snapshot", "events.pickle"], cwd=tmp_path,
        capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(warm(tmp_path / "cache"))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "test of 192x128" in done.stdout
    assert "validation of" not in done.stdout
    expect = result["facts"]["memory"]["gpus"][0]["expect"]
    assert f"{expect / 2**20:.0f}  what nvidia-smi will show" in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert (tmp_path / "events.pickle").stat().st_size > 1_000


@pytest.mark.slow
def test_a_target_is_on_the_gpu_too(tmp_path):
    pytest.importorskip("torch")
    needs = []
    for text in (KNOWN, BARE):
        result, *_ = judged(tmp_path, text, "--validation-size", "128x192")
        needs.append(result["facts"]["memory"]["gpus"][0]["allocated"])
    assert needs[0] - needs[1] == 4 * 3 * 512 * 768


@pytest.mark.slow
def test_the_largest_image_that_lies_there(tmp_path):
    """HAT's tiles are the fix, written where the config has none."""
    pytest.importorskip("torch")
    (tmp_path / "lr").mkdir()
    for name, size in (("a.png", (100, 100)), ("b.png", (4000, 4000))):
        (tmp_path / "lr" / name).write_bytes(png(*size))
    look = ("--data", str(tmp_path))
    result, found, _ = judged(tmp_path, HAT, *look)
    assert found == [("vram-validation", "fail")]
    fix = result["findings"][0]["fixes"][0]
    assert fix["verified"]
    (edit,) = fix["edits"]
    assert (edit["start"], edit["text"].split(":")[0]) == (0, "tile")
    tiled = edit["text"] + HAT
    result, found, _ = judged(tmp_path, tiled, *look)
    assert (result["outcome"], found) == ("pass", [])
    assert result["facts"]["memory"]["validation_image"]["tile"] in {512, 256, 128, 64}
    (tmp_path / "lr" / "c.gif").write_bytes(b"GIF89a")  # one image of no known size: the largest is not known
    result, *_ = judged(tmp_path, HAT, *look)
    assert result["outcome"] == "skipped"


@pytest.mark.rest
def test_what_a_model_class_does_in_a_test_may_not_be_known(tmp_path):
    pytest.importorskip("torch")
    text = KNOWN.replace("SRModel", "VideoBaseModel")
    result, *_ = judged(tmp_path, text)
    reasons = " ".join(skip["reason"] for skip in result["skipped"])
    assert "what VideoBaseModel does in a test is not known" in reasons
