# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint fit --solve` and `--best`: what is named was judged, and what is above it does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLE = (Path(__file__).parents[2] / "examples" / "realesrgan_x4.yml").read_text(encoding="utf-8")
"""Its step is stored in the package, at several crops."""
BATCH = "batch_size_per_gpu: 12"


@pytest.fixture
def fit(trainlint):
    trainlint.write("a.yml", EXAMPLE)

    def run(*options):
        out = trainlint("fit", "a.yml", "--no-trace", "--format", "json", *options).stdout
        return {one["target"]: one for one in json.loads(out)["jobs"][0]["targets"]}

    return run


def fails(trainlint, target: str, batch: int, crop: int = 256) -> list[str]:
    assert BATCH in EXAMPLE
    text = EXAMPLE.replace(BATCH, f"batch_size_per_gpu: {batch}")
    trainlint.write("b.yml", text.replace("gt_size: 256", f"gt_size: {crop}"))
    done = trainlint("b.yml", "--no-trace", "-t", target, "--format", "json")
    findings = [found for one in json.loads(done.stdout)["results"] for found in one["findings"]]
    return [one["rule"] for one in findings if one["level"] == "fail"]


@pytest.mark.rest
def test_the_largest_batch_passes_and_the_next_one_fails(fit, trainlint) -> None:
    found = fit("--solve", "batch", "-t", "rtx-4090", "-t", "2GiB")
    assert found["rtx-4090"]["key"].endswith("batch_size_per_gpu")
    assert fails(trainlint, "rtx-4090", found["rtx-4090"]["value"]) == []
    assert fails(trainlint, "rtx-4090", found["rtx-4090"]["above"]) == ["vram-budget"]
    assert found["2GiB"]["value"] is None
    assert found["2GiB"]["why"] == "too little memory"


def test_a_value_that_another_rule_forbids_is_passed_over(fit, trainlint) -> None:
    """A pool of 180 samples is no multiple of 7 or 8."""
    found = fit("--solve", "batch", "-t", "rtx-3060")["rtx-3060"]
    assert found["value"] == 6
    assert "queue-not-divisible" in fails(trainlint, "rtx-3060", 8)
    assert (found["above"], found["why"]) == (9, "too little memory")
    assert fails(trainlint, "rtx-3060", 9) == []
    assert "vram-budget" in fails(trainlint, "rtx-3060", 10)


@pytest.mark.rest
def test_a_rule_that_allows_a_larger_value_again_does_not_end_the_search(fit, trainlint) -> None:
    """Of the batches above 60 only 90 and 180 divide the pool; 148 would be small enough for the card."""
    found = fit("--solve", "batch", "-t", "b200")["b200"]
    assert (found["value"], found["above"]) == (90, 91)
    assert fails(trainlint, "b200", 90) == []
    assert fails(trainlint, "b200", 91) == ["queue-not-divisible"]
    assert found["why"].startswith("queue-not-divisible: ")


def test_the_next_value_is_the_one_that_its_reason_is_about(fit) -> None:
    found = fit("--solve", "crop", "-t", "a100-80gb")["a100-80gb"]
    assert (found["value"], found["above"]) == (384, 416)
    assert found["why"].startswith("crop-over-400: a training crop of 416 ")


@pytest.mark.rest
def test_a_crop_is_the_same_to_all_who_look_for_one(trainlint) -> None:
    """Not even one sample fits: the crop that a report recommends is the one that --solve calls safe."""
    text = EXAMPLE.replace(BATCH, "batch_size_per_gpu: 1").replace("gt_size: 256", "gt_size: 384")
    trainlint.write("a.yml", text)
    words = ("a.yml", "-t", "4GiB", "--launcher", "none", "--no-trace", "--format", "json")
    (result,) = json.loads(trainlint(*words).stdout)["results"]
    (solved,) = json.loads(trainlint("fit", *words, "--solve", "crop").stdout)["jobs"][0]["targets"]
    (best,) = json.loads(trainlint("fit", *words, "--best").stdout)["jobs"][0]["targets"]
    advice = result["recommended"]["summary"]
    assert advice.startswith("gt_size: 384 -> 320 ")
    assert (solved["value"], solved["safe"], solved["recommended"]) == (352, 320, advice)
    assert best["changes"] == [advice]
    assert " 352 " in trainlint("fit", *words[:6], "--crop").stdout


@pytest.mark.rest
def test_a_precision_that_a_card_lacks_goes_before_its_memory(trainlint) -> None:
    text = """base_model: unsloth/Llama-3.2-1B
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
adapter: lora
lora_target_linear: true
sequence_len: 512
micro_batch_size: 1
gradient_accumulation_steps: 4
num_epochs: 1
bf16: true
"""
    trainlint.write("a.yml", text)
    words = ("fit", "a.yml", "--no-trace", "--best", "-t", "colab-t4", "-t", "colab-l4", "--format", "json")
    old, new = json.loads(trainlint(*words).stdout)["jobs"][0]["targets"]
    assert old["changes"][0].startswith("bf16: true -> false, add fp16: true ")
    assert new["changes"] == []


def test_what_the_config_does_not_write_is_not_solved(fit, trainlint) -> None:
    found = fit("--solve", "frames", "-t", "rtx-3060")["rtx-3060"]
    assert (found["value"], found["why"]) == (None, "the config does not write its frames")
    shown = trainlint("fit", "a.yml", "--no-trace", "--solve", "frames", "-t", "rtx-3060").stdout
    assert "not looked for: the config does not write its frames" in shown


@pytest.mark.rest
def test_the_best_settings_are_those_that_a_report_recommends(fit, trainlint) -> None:
    found = fit("--best", "-t", "rtx-4090", "-t", "rtx-3060", "-t", "1GiB")
    assert (found["rtx-4090"]["fits"], found["rtx-4090"]["changes"]) == (True, [])
    best = found["rtx-3060"]
    assert (best["fits"], best["effective_batch_kept"]) == (True, False)
    (settings,) = best["settings"]
    assert (settings["batch"], settings["crop"]) == (6, 256)
    assert fails(trainlint, "rtx-3060", 6) == []
    done = trainlint("a.yml", "--no-trace", "-t", "rtx-3060", "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert best["changes"] == [result["recommended"]["summary"]]
    solved = fit("--solve", "batch", "-t", "rtx-3060")["rtx-3060"]
    assert solved["recommended"] == result["recommended"]["summary"]
    assert (found["1GiB"]["fits"], found["1GiB"]["why"]) == (False, "too little memory")


@pytest.mark.rest
def test_the_effective_batch_is_kept_where_it_can_be(trainlint) -> None:
    trainlint.write(
        "job.yml",
        "trainlint: 1\nmodel: MSRResNet\nargs: {num_feat: 16, num_block: 2}\ninput: [3, 48, 48]\n"
        "batch: 96\naccumulate: 1\n",
    )
    out = trainlint("fit", "job.yml", "--best", "-t", "1GiB", "--format", "json").stdout
    best = json.loads(out)["jobs"][0]["targets"][0]
    assert (best["fits"], best["effective_batch_kept"]) == (True, True)
    settings = best["settings"][0]
    assert settings["batch"] * settings["accumulate"] == settings["effective_batch"] == 96
    assert settings["batch"] < 96


def test_the_tables(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE)
    heading, table, row = trainlint(
        "fit", "a.yml", "--no-trace", "--solve", "batch", "-t", "rtx-4090"
    ).stdout.splitlines()
    assert heading == "a.yml (largest datasets.train.batch_size_per_gpu; memory in GiB)"
    assert table.split()[0] == "target"
    assert row.split()[:4] == ["rtx-4090", "18", "15", "12"]
    markdown = trainlint("fit", "a.yml", "--no-trace", "--best", "-t", "rtx-4090", "--format", "markdown")
    assert markdown.stdout.splitlines()[-1].endswith("| fits as it is |")


def test_one_of_the_two(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE)
    done = trainlint("fit", "a.yml", "--best", "--solve", "batch", "-t", "rtx-4090")
    assert done.returncode == 2
    assert "give one of the two" in done.stderr


@pytest.mark.slow
@pytest.mark.torch
def test_a_crop_that_fits_as_it_is_is_safe_whatever_the_limit(trainlint) -> None:
    """The four values below the limit are tight: from the present one upwards some are not."""
    pytest.importorskip("torch")
    words = "--img_size 512 --patch_size 16 --embed_dim 512 --num_heads 8 --num_layers 6 --batch_size 16"
    trainlint.write("train.sh", f"python3 train_zoom23_autoencoder.py {words} --epochs 50 --device cuda\n")
    done = trainlint("fit", "train.sh", "--solve", "crop", "-t", "rtx-4090", "--format", "json")
    (found,) = json.loads(done.stdout)["jobs"][0]["targets"]
    assert found["now"] == 512 <= found["safe"] < found["value"]


SDXL = (
    "python sdxl_train_network.py --pretrained_model_name_or_path a.safetensors --resolution {side}"
    " --train_batch_size {batch} --network_module networks.lora --network_dim 32 --sdpa"
    " --mixed_precision bf16 --optimizer_type AdamW8bit --cache_latents --cache_text_encoder_outputs"
    " --network_train_unet_only --gradient_checkpointing\n"
)
"""Its step is stored at 512, 768 and 1024."""


def _resolutions(trainlint, name, text):
    trainlint.write(name, text)
    words = ("fit", name, "--no-trace", "--solve", "resolution", "--format", "json")
    done = trainlint(*words, "-t", "rtx-3060", "-t", "rtx-4090")
    return {one["target"]: one for one in json.loads(done.stdout)["jobs"][0]["targets"]}


@pytest.mark.parametrize("side", ["1024", "1024,1024"])
def test_the_largest_images_that_fit_are_looked_for_among_stored_steps(trainlint, side) -> None:
    found = _resolutions(trainlint, "a.sh", SDXL.format(side=side, batch=12))
    assert [(found[card]["key"], found[card]["value"]) for card in ("rtx-3060", "rtx-4090")] == [
        ("resolution", 512),
        ("resolution", 1024),
    ]
    assert (found["rtx-3060"]["above"], found["rtx-3060"]["why"]) == (768, "too little memory")
    assert "no stored profile" in found["rtx-4090"]["why"]


def test_a_resolution_that_is_not_one_number_is_not_looked_for(trainlint) -> None:
    found = _resolutions(trainlint, "b.sh", SDXL.format(side="1024,768", batch=1))["rtx-3060"]
    assert (found["value"], found["why"]) == (None, "the config does not write its resolution")


def test_a_list_of_resolutions_is_not_edited(trainlint) -> None:
    """ai-toolkit's, each of which is a data set of its own."""
    example = Path(__file__).parents[2] / "examples" / "trainers" / "flux_lora.yaml"
    found = _resolutions(trainlint, "flux.yaml", example.read_text(encoding="utf-8"))["rtx-4090"]
    assert (found["value"], "of a list" in found["why"]) == (None, True)
