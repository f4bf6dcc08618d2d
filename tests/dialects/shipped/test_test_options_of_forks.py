# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's and neosr's option files for test.py: their keys, and the memory of whole images."""

from __future__ import annotations

import json
import struct

import pytest

from tests import in_process
from tests.warm_cache import warm

REDUX = """\
name: measured
scale: 4
num_gpu: auto
datasets:
  val: {name: A, type: singleimagedataset, dataroot_lq: [lr]}
network_g: {type: esrgan, num_filters: 8, num_blocks: 1}
path: {pretrain_network_g: net.safetensors}
val:
  val_enabled: false
  save_img: true
  tile_size: 0
"""
NEOSR = """\
name = "measured"
model_type = "image"
scale = 4
[datasets.test_1]
name = "A"
type = "single"
dataroot_lq = "lr"
[val]
[network_g]
type = "esrgan"
num_feat = 8
num_block = 1
[path]
pretrain_network_g = "net.pth"
"""
FILES = {"trainner-redux": ("test_redux.yml", REDUX), "neosr": ("test_neosr.toml", NEOSR)}
EACH = pytest.mark.parametrize("dialect", FILES)
LARGE = "3000x4000"


def judged(folder, dialect, text, *options, target="rtx-3060"):
    name, _ = FILES[dialect]
    (folder / name).write_text(text, "utf-8")
    command = [name, "-t", target, "--trainer", dialect, "--launcher", "none", "--format", "json", *options]
    done = in_process.run(folder, warm(folder / "cache"), *command)
    (result,) = json.loads(done.stdout)["results"]
    assert result["dialect"] == dialect
    return result, [(found["rule"], found["level"]) for found in result["findings"]]


def allocated(folder, dialect, text, size):
    result, _ = judged(folder, dialect, text, "--validation-size", size)
    return result["facts"]["memory"]["gpus"][0]["allocated"]


@EACH
def test_what_is_right_is_no_training_job(tmp_path, dialect):
    result, found = judged(tmp_path, dialect, FILES[dialect][1])
    assert (result["outcome"], found) == ("skipped", [])
    assert {skip["rule"] for skip in result["skipped"]} == {"not-a-training-job"}
    assert "the size of the images is not known" in result["skipped"][1]["reason"]


@pytest.mark.parametrize(
    ("dialect", "before", "after", "rule"),
    [
        ("trainner-redux", "  save_img: true\n", "", "missing-key"),
        ("trainner-redux", "scale: 4\n", "", "missing-key"),
        ("trainner-redux", "net.safetensors", "~", "wrong-type"),
        ("trainner-redux", "save_img: true", "save_img: false\n  metrics_enabled: false", "wrong-value"),
        ("trainner-redux", "  tile_size: 0", "  tile: 0", "unknown-key"),
        ("trainner-redux", "num_filters", "num_filterz", "network-arguments"),
        ("neosr", "scale = 4\n", "", "missing-key"),
        ("neosr", "[val]\n", "", "missing-key"),
        ("neosr", 'name = "A"\n', "", "missing-key"),
        ("neosr", 'dataroot_lq = "lr"\n', "", "missing-key"),
        ("neosr", '"single"', '"paired"', "missing-key"),
        ("neosr", "num_feat", "num_feats", "network-arguments"),
    ],
)
def test_the_trainer_itself_stops_at(tmp_path, dialect, before, after, rule):
    text = FILES[dialect][1]
    assert before in text
    result, found = judged(tmp_path, dialect, text.replace(before, after))
    assert (rule, "fail") in found
    assert result["outcome"] == "fail"


def test_what_only_later_versions_assert_fails_nobody_else(tmp_path):
    """traiNNer-redux's test.py of before October 2024 goes on without weights, and keeps nothing."""
    text = REDUX.replace("net.safetensors", "~").replace("save_img: true", "save_img: false")
    (tmp_path / "test_redux.yml").write_text(text, "utf-8")
    command = ["test_redux.yml", "-t", "rtx-3060", "--no-trace", "--format", "json"]
    done = in_process.run(tmp_path, warm(tmp_path / "cache"), *command)
    found = {one["level"] for result in json.loads(done.stdout)["results"] for one in result["findings"]}
    assert found == {"warn"}


@pytest.mark.rest
def test_training_still_needs_when_to_validate(tmp_path):
    """A test does without neosr's val_freq, train.py does not."""
    text = NEOSR + '[datasets.train]\ntype = "paired"\npatch_size = 32\nbatch_size = 4\n[train]\n'
    _, found = judged(tmp_path, "neosr", text)
    assert ("missing-key", "fail") in found
    assert ("missing-key", "fail") not in judged(tmp_path, "neosr", NEOSR)[1]


def test_a_conversion_is_no_test(tmp_path):
    text = REDUX.replace("val:\n  val_enabled", "onnx: {}\nval:\n  val_enabled")
    result, _ = judged(tmp_path, "trainner-redux", text, "--validation-size", "64x64")
    assert result["outcome"] == "skipped"
    assert "it converts a model" in result["skipped"][0]["reason"]


@pytest.mark.slow
@EACH
def test_whole_images_and_the_tiles_that_fit(tmp_path, dialect):
    pytest.importorskip("torch")
    text = FILES[dialect][1]
    result, found = judged(tmp_path, dialect, text, "--validation-size", "96x64")
    assert (result["outcome"], found, result["verdicts"]["memory"]) == ("pass", [], "pass")
    assert result["facts"]["memory"]["peak_phase"] == "test"
    assert set(result["facts"]["memory"]["parts"]) & {"gradients", "optimizer state"} == set()
    result, found = judged(tmp_path, dialect, text, "--validation-size", LARGE)
    assert (result["outcome"], found) == ("fail", [("vram-validation", "fail")])
    fix = result["findings"][0]["fixes"][0]
    assert fix["verified"]
    (edit,) = fix["edits"]
    tiled = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    result, found = judged(tmp_path, dialect, tiled, "--validation-size", LARGE)
    assert (result["outcome"], found) == ("pass", [])
    assert result["facts"]["memory"]["validation_image"]["tile"] in {512, 256, 128, 64}


@pytest.mark.slow
@EACH
def test_mixed_precision(tmp_path, dialect):
    """traiNNer-redux restores under autocast, neosr in fp32 whatever use_amp says."""
    pytest.importorskip("torch")
    text = FILES[dialect][1]
    first, switch = text.split("\n", 1)[0], {"trainner-redux": "use_amp: true", "neosr": "use_amp = true"}
    mixed = text.replace(first, f"{first}\n{switch[dialect]}", 1)
    plain, half = (allocated(tmp_path, dialect, each, "512x512") for each in (text, mixed))
    assert (half < plain) == (dialect == "trainner-redux")


@pytest.mark.slow
@EACH
def test_a_target_is_on_the_gpu_too(tmp_path, dialect):
    pytest.importorskip("torch")
    text = FILES[dialect][1]
    paired = (
        text.replace("singleimagedataset, ", "PairedImageDataset, dataroot_gt: [hr], ")
        .replace('"single"', '"paired"')
        .replace('dataroot_lq = "lr"', 'dataroot_lq = "lr"\ndataroot_gt = "hr"')
    )
    with_targets, without = (allocated(tmp_path, dialect, each, "128x192") for each in (paired, text))
    assert with_targets - without == 4 * 3 * 512 * 768


@pytest.mark.slow
def test_a_pass_has_no_unknown_term(tmp_path):
    """bfloat16 on a card that emulates it, and a metric that has a network of its own."""
    pytest.importorskip("torch")
    bfloat = REDUX.replace("scale: 4", "scale: 4\nuse_amp: true\namp_bf16: true")
    size = ("--validation-size", "96x64")
    result, _ = judged(tmp_path, "trainner-redux", bfloat, *size, target="colab-t4")
    assert (result["outcome"], result["verdicts"]["memory"]) == ("skipped", "not-judged")
    metric = REDUX.replace(
        "save_img: true", "save_img: true\n  metrics_enabled: true\n  metrics: {a: {type: calculate_topiq}}"
    )
    result, _ = judged(tmp_path, "trainner-redux", metric, *size)
    assert (result["outcome"], result["verdicts"]["memory"]) == ("skipped", "not-judged")
    assert "calculate_topiq" in json.dumps(result["skipped"])


@pytest.mark.rest
@pytest.mark.parametrize(
    ("dialect", "before", "after", "reason"),
    [
        ("trainner-redux", "scale: 4", "scale: 4\nhigh_order_degradation: true", "other than SRModel"),
        ("trainner-redux", "singleimagedataset", "singlevideodataset", "what its data sets load"),
        ("neosr", '"image"', '"otf"', "other than image"),
        ("neosr", "scale = 4", "scale = 4\ncompile = true", "torch.compile"),
    ],
)
def test_what_is_not_known_is_not_judged(tmp_path, dialect, before, after, reason):
    pytest.importorskip("torch")
    text = FILES[dialect][1].replace(before, after, 1)
    result, _ = judged(tmp_path, dialect, text, "--validation-size", "96x64")
    assert result["outcome"] == "skipped"
    assert reason in json.dumps(result["skipped"])


@pytest.mark.rest
@EACH
def test_the_largest_image_that_lies_there(tmp_path, dialect):
    pytest.importorskip("torch")
    (tmp_path / "lr").mkdir()
    for name, (height, width) in (("a.png", (40, 40)), ("b.png", (96, 64))):
        header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0"
        (tmp_path / "lr" / name).write_bytes(header)
    look = ("--data", str(tmp_path))
    result, _ = judged(tmp_path, dialect, FILES[dialect][1], *look)
    image = result["facts"]["memory"]["validation_image"]
    assert (image["height"], image["width"]) == (96, 64)
    (tmp_path / "lr" / "below").mkdir()  # traiNNer-redux goes into it, neosr does not
    result, _ = judged(tmp_path, dialect, FILES[dialect][1], *look)
    assert result["outcome"] == ("skipped" if dialect == "trainner-redux" else "pass")
