# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The published guides, each judged for its own machine by the real command: findings and key figures.

docs/guides.md tells the same in words; its figures are held here. GB are 1e9 bytes of live tensors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Command

ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

GB = 1e9
VAE_LINES = [87, 137, 152, 167, 182, 208, 264, 281, 284, 288, 469]
VAE_FRAGMENT = 296
ABRIDGED = {281, 284, 288}
ZOOM23_LINES = [30, 59, 87, 113, 140, 215, 231, 250, 257, 308]
ZOOM23_PEAKS = {512: 2.80, 768: 2.33, 1024: 3.11}
ZOOM23_BATCHES = {512: 8, 768: 2, 1024: 1}

NANO = """\
name: nano
scale: 2
num_gpu: 1
use_amp: true
datasets:
  train:
    name: pairs
    type: pairedimagedataset
    dataroot_gt: pairs/hr
    dataroot_lq: pairs/lr
    lq_size: {side}
    batch_size_per_gpu: {batch}
    num_worker_per_gpu: 4
network_g:
  type: paragonsr2_nano
path: {{}}
train:
  total_iter: 100000
  optim_g:
    type: AdamW
    lr: !!float 1e-4
    betas: [0.9, 0.99]
  losses:
    - type: l1loss
      loss_weight: 1.0
logger:
  print_freq: 100
  save_checkpoint_freq: 5000
  use_tb_logger: false
"""
"""The ParagonSR2 guide's job with an L1 loss, as traiNNer-redux reads it."""


def judged(command, path, target: str, *more: str) -> list[dict[str, Any]]:
    """Return the results of one file on one target; the cache of traces is the test's own."""
    done = command.judge(str(path), "--target", target, *more)
    assert done["errors"] == []
    return done["results"]


def rules(result: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in result["findings"]]


def failed(result: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in result["findings"] if finding["level"] == "fail"]


def gpus(result: dict[str, Any]) -> list[float]:
    """Return the peak of live tensors of each GPU, in GB."""
    return [gpu["allocated"] / GB for gpu in result["facts"]["memory"]["gpus"]]


def near(value: float) -> Any:
    return pytest.approx(value, rel=0.03)


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Return the command in a folder of its own, with one cache of traces for all guides."""
    made = Command(tmp_path_factory.mktemp("guides"))

    def judge(*arguments: str) -> dict[str, Any]:
        return json.loads(made("--format", "json", *arguments).stdout)

    made.judge = judge  # type: ignore[attr-defined]  # for this module alone
    return made


@pytest.fixture(scope="module")
def vae(command, shared):
    found = judged(command, shared / "guides" / "vae-rtx5090.md", "rtx-5090")
    return {result["line"]: result for result in found}


@pytest.fixture(scope="module")
def zoom23(command, shared):
    found = judged(command, shared / "guides" / "zoom23-2x-titan-rtx.md", "2x-titan-rtx")
    return {result["line"]: result for result in found}


def test_glfcr_fits_and_yet_runs_on_two_cards_at_no_version(command, shared) -> None:
    found = judged(command, shared / "guides" / "glf-cr-kaggle-t4x2.md", "kaggle-t4x2")
    own = {
        "glf-crP of 2025-12-09": {"nested-data-parallel"},
        "glf-crP of 2025-12-10": set(),
        "glf-crP since 2025-12-12": {"unknown-key"},
    }
    assert [(result["line"], result["variant"]) for result in found] == [(233, name) for name in own]
    for result in found:
        assert (result["outcome"], failed(result)) == ("warn", [])
        assert set(rules(result)) == {"decay-unreached", *own[result["variant"]]}
        single = result["variant"] == "glf-crP of 2025-12-10"
        assert gpus(result)[0] == near(11.2 if single else 5.75)
        assert result["facts"]["memory"]["largest_batch"] == 5
        assert result["facts"]["disk"]["per_checkpoint"] == near(192e6)
        assert result["networks"][0]["parameters"] == 14827373


@pytest.mark.slow
def test_every_command_of_the_vae_guide_fails(vae) -> None:
    assert sorted(vae) == sorted([*VAE_LINES, VAE_FRAGMENT])
    assert {result["outcome"] for result in vae.values()} == {"fail"}
    for line in set(VAE_LINES) - {208}:
        judged_whole = line not in ABRIDGED
        assert ({"vram-budget", "vram-validation"} <= set(rules(vae[line]))) is judged_whole
        assert vae[line]["facts"]["memory"]["largest_batch"] == 0
    assert {vae[line]["verdicts"]["memory"] for line in (208, *ABRIDGED)} == {"not-judged"}


@pytest.mark.slow
def test_each_command_of_the_vae_guide_is_told_what_fits(trainlint: Command, shared) -> None:
    """On the first screen, at most 60 lines: the edit, and what the command needs then."""
    lines = trainlint(str(shared / "guides" / "vae-rtx5090.md"), "-t", "rtx-5090").stdout.splitlines()
    assert len(lines) <= 60
    edits = {line.split(":")[0].split()[-1]: line for line in lines if " -> " in line and "FAIL" in line}
    assert {int(line): row.split(" -> ")[1].split(",")[0] for line, row in edits.items()} == {
        87: "128", 137: "224", 152: "160", 167: "128", 182: "96", 264: "288", 296: "128", 469: "128",
    }  # fmt: skip
    assert all(" GiB" in row for row in edits.values())
    assert edits.pop("296").endswith(" GB")
    left = {line: row.rpartition("; ")[2] for line, row in edits.items()}
    of_keys = dict.fromkeys(("264", "469"), "2 errors remain")
    assert left == dict.fromkeys(edits, "1 error remains") | of_keys
    assert sum('with "...": ' in line for line in lines) == 4


@pytest.mark.slow
def test_hours_per_thousand_images_hold_for_few_and_many(trainlint: Command) -> None:
    trainlint.write("train.sh", "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10\n")
    open_ones = trainlint.json("train.sh", "-t", "kaggle-t4x2")["results"]
    counted = trainlint.json("train.sh", "-t", "kaggle-t4x2", "--dataset-size", "1000")["results"]
    many = trainlint.json("train.sh", "-t", "kaggle-t4x2", "--dataset-size", "1000000")["results"]
    for one, known, most in zip(open_ones, counted, many, strict=True):
        assert one["facts"]["time"]["total_hours"] is None
        low, _, high = one["facts"]["time"]["thousand_hours"]
        each = [hours / 1000 for hours in most["facts"]["time"]["total_hours"]]
        assert low == min(known["facts"]["time"]["total_hours"][0], each[0])
        assert high == max(known["facts"]["time"]["total_hours"][2], each[2])
        assert known["facts"]["time"]["thousand_hours"] is None
    shown = trainlint("train.sh", "-t", "kaggle-t4x2").stdout
    assert "h per 1,000 images" in shown
    assert "a 9 h session does " in shown


def test_the_vae_guide_needs_terabytes(vae) -> None:
    assert gpus(vae[87]) == [near(13870)]
    saved = {line: vae[line]["facts"]["memory"]["saved_per_sample"] / GB for line in (87, 137, 182, 281)}
    assert saved == {87: near(604.7), 137: near(8912), 182: near(207), 281: near(41.3)}
    assert vae[87]["facts"]["disk"]["per_checkpoint"] == near(824e6)
    assert vae[87]["facts"]["disk"]["total"] == near(82.4e9)


def test_the_vae_guides_flags(vae) -> None:
    assert rules(vae[87]).count("unused-key") == 5
    assert all("autocast-arguments" in rules(vae[line]) for line in set(VAE_LINES) - ABRIDGED)
    assert [line for line in VAE_LINES if "loss-on-cpu" in rules(vae[line])] == sorted(ABRIDGED)
    unknown = [line for line in VAE_LINES if "unknown-key" in rules(vae[line])]
    assert unknown == [264, 469]
    assert "resume-past-end" in rules(vae[288])
    assert [line for line in VAE_LINES if "resume-folder" in rules(vae[line])] == [284, 288]


def test_the_vae_guides_install_line(vae) -> None:
    told = {line: {"install-redirected", "torch-floor"} & set(rules(result)) for line, result in vae.items()}
    assert {line for line, found in told.items() if found} == {87}
    (place,) = {finding["line"] for finding in vae[87]["findings"] if finding["rule"] == "torch-floor"}
    assert place == 392


def test_the_vae_guides_json_is_never_loaded(vae) -> None:
    result = vae[VAE_FRAGMENT]
    assert {"config-not-loaded", "vram-budget"} <= set(rules(result))
    assert result["networks"][0]["parameters"] == 154687779
    assert result["facts"]["memory"]["largest_batch"] == 0


def test_the_vae_fits_at_256_pixels_only(command) -> None:
    """Three samples, or four with expandable segments: a softmax's backward takes 1.07 GB for each."""
    command.write("vae.sh", "python train_vae.py --data_path d --image_size 256 --batch_size 3")
    command.write("vae4.sh", "python train_vae.py --data_path d --image_size 256 --batch_size 4")
    command.write("amp.sh", "python train_vae.py --data_path d --image_size 256 --mixed_precision")
    (four,) = judged(command, "vae4.sh", "rtx-5090")
    assert "vram-budget" not in rules(four)
    assert "vram-fragmentation" in rules(four)
    (single,) = judged(command, "vae.sh", "rtx-5090")
    assert "vram-budget" not in rules(single)
    (amp,) = judged(command, "amp.sh", "rtx-5090")
    assert gpus(amp) == [near(25.3)]
    assert amp["facts"]["memory"]["largest_batch"] == 3
    (gpu,) = amp["facts"]["memory"]["gpus"]
    assert gpu["expandable"] < gpu["capacity"] < gpu["least"]


def test_zoom23_fits_with_room_to_spare(zoom23) -> None:
    assert sorted(zoom23) == ZOOM23_LINES
    failed = {line for line, result in zoom23.items() if result["outcome"] == "fail"}
    assert failed == {140, 257}
    assert {result["outcome"] for line, result in zoom23.items() if line not in failed} == {"pass"}
    assert rules(zoom23[140]) == ["unknown-key"]
    assert rules(zoom23[257]) == ["unknown-key", "weights-resolution", "unknown-key"]


@pytest.mark.parametrize(("line", "side"), [(30, 512), (59, 768), (87, 1024)])
def test_zoom23_peaks(zoom23, line: int, side: int) -> None:
    """Six layers also keep a copy of the attention's output, which the reference's stand-in did not make."""
    copies = 6 * ZOOM23_BATCHES[side] * ((side // 16) ** 2 + 1) * 512 * 4 / GB
    peak = max(gpus(zoom23[line]))
    assert peak == near(ZOOM23_PEAKS[side] + copies)
    assert zoom23[line]["facts"]["memory"]["gpus"][0]["expect"] < 6e9


def test_the_paragonsr2_fragment_is_called_a_part_of_a_config(command, shared) -> None:
    (result,) = judged(command, shared / "guides" / "paragonsr2-rtx3060.md", "rtx-3060")
    assert (result["line"], result["dialect"], result["outcome"]) == (79, "trainner-redux", "warn")
    assert rules(result) == ["missing-key"]  # its keys are right where they belong, in datasets.train


def test_a_page_without_a_job_has_the_figures_of_our_example(trainlint: Command, shared) -> None:
    page = shared / "guides" / "paragonsr2-rtx3060.md"
    lines = trainlint(str(page), "-t", "rtx-3060").stdout.splitlines()
    assert len(lines) <= 25
    settings = "batch 8, crop 192, 100,000 iterations"
    at = lines.index(f"examples/trainers/paragonsr2_x2.yml with these lines ({settings}): warn")
    assert "FAIL, nano v5 full: does not fit" in lines[at + 1]  # crops of 96, and 8 of them
    assert "0.48 to 0.50 of 11.58 GiB     nano v2: fits" in lines[at + 2]
    said = " ".join(" ".join(lines).split())
    assert "batch_size_per_gpu: 7 is the limit, 4 is safe if it is nano v5 full; possible fix: " in said
    assert "batch_size_per_gpu: 8 -> 4, accum_iter: 2 -> 4, then 6.59 to 7.86 GiB, " in said
    shown = trainlint(str(shared / "guides" / "real-esrgan-rtx4090.md"), "-t", "rtx-4090").stdout
    settings = "batch 12, crop 256, 100,000 iterations"
    assert f"\nexamples/realesrgan_x4.yml as it is ({settings}) on rtx-4090: pass\n" in shown
    assert "fits, batch_size_per_gpu 15 is safe, 18 is the limit" in shown


def test_a_network_of_three_versions_on_two_cards_is_one_screen(trainlint: Command) -> None:
    example = ROOT / "examples" / "trainers" / "paragonsr2_x2.yml"
    shown = trainlint(str(example), "-t", "kaggle-t4x2", "--no-trace").stdout
    lines = shown.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert "ok (if it is nano v2; 3 MB if it is nano v5 windowed)" in shown
    assert "; if it is nano v5 full: save-loses-much 37, schedule-in-session 29," in shown
    assert lines[-1] == "7 findings (6 warnings, 1 hint)"


def test_paragonsr2_is_one_of_three_networks(command) -> None:
    command.write("nano.yml", NANO.format(side=128, batch=16))
    found = {result["variant"]: result for result in judged(command, "nano.yml", "rtx-3060")}
    assert {name: gpus(result) for name, result in found.items()} == {
        "nano v2": [near(0.815)], "nano v5 windowed": [near(2.72)], "nano v5 full": [near(51.6)],
    }  # fmt: skip
    outcomes = {name: result["outcome"] for name, result in found.items()}
    lacking = "warn"  # the published trainer has no such network
    assert outcomes == {"nano v2": lacking, "nano v5 windowed": lacking, "nano v5 full": lacking}


def test_the_real_esrgan_guide_has_no_command(command, shared) -> None:
    (result,) = judged(command, shared / "guides" / "real-esrgan-rtx4090.md", "rtx-4090")
    assert (result["outcome"], result["findings"]) == ("skipped", [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "outcome", "expected"),
    [
        (("batch_size_per_gpu: 12", "batch_size_per_gpu: 12"), "pass", []),
        (("batch_size_per_gpu: 12", "batch_size_per_gpu: 15"), "pass", []),
        (("batch_size_per_gpu: 12", "batch_size_per_gpu: 16"), "fail", ["queue-not-divisible", "vram-tight"]),
        (("batch_size_per_gpu: 12", "batch_size_per_gpu: 18"), "warn", ["vram-tight"]),
        (
            ("batch_size_per_gpu: 12", "batch_size_per_gpu: 24"),
            "fail",
            ["queue-not-divisible", "vram-budget"],
        ),
        (("gt_size: 256", "gt_size: 320"), "warn", ["vram-fragmentation"]),
        (("gt_size: 256", "gt_size: 408"), "fail", ["crop-over-400", "vram-budget"]),
    ],
)
def test_real_esrgan_and_the_guides_advice(
    command, shared, change, outcome: str, expected: list[str]
) -> None:
    text = (shared / "corpus" / "systems" / "realesrgan" / "train_realesrgan_x4plus.yml").read_text("utf-8")
    assert change[0] in text
    command.write("x4.yml", text.replace(*change))
    (result,) = judged(command, "x4.yml", "rtx-4090")
    assert (result["outcome"], sorted(rules(result))) == (outcome, expected)
    if change[0] == change[1]:
        assert gpus(result) == [near(15.81)]
        assert result["facts"]["memory"]["largest_batch"] == 18
        assert result["facts"]["disk"]["per_checkpoint"] == near(320e6)


def test_real_esrgan_does_not_fit_16_gb(command, shared) -> None:
    path = shared / "corpus" / "systems" / "realesrgan" / "train_realesrgan_x4plus.yml"
    (result,) = judged(command, path, "t4")
    assert rules(result) == ["vram-budget"]


def test_the_tenth_that_train_vae_validates_on_is_in_its_hours(trainlint: Command) -> None:
    trainlint.write("train.sh", "python train_vae.py --data_path images --image_size 256 --num_epochs 20\n")
    (result,) = trainlint.json("train.sh", "-t", "rtx-5090", "--dataset-size", "18000")["results"]
    time = result["facts"]["time"]
    steps = [20 * 4500 * each / 3600 for each in time["step_seconds"]]
    images = [20 * 2000 * each / 3600 for each in time["image_seconds"]]
    assert time["validation_hours"] == pytest.approx([0, *images[1:]], rel=0.001)
    assert images[1] / steps[1] > 0.03
    assert time["total_hours"][1] >= steps[1] + images[1]


def test_how_long_the_guides_runs_take(trainlint: Command) -> None:
    """docs/guides.md, "Their times": ranges of hours, and of seconds where the run's length is not known."""
    text = (Path(__file__).parents[2] / "examples/realesrgan_x4.yml").read_text(encoding="utf-8")
    trainlint.write("real.yml", text.replace("total_iter: 100000", "total_iter: 400000"))
    cards = ("-t", "rtx-4090", "-t", "p100", "-t", "t4")
    found = trainlint.json("real.yml", *cards)["results"]
    hours = {one["target"]: [round(each) for each in one["facts"]["time"]["total_hours"]] for one in found}
    ends = {target: (low, high) for target, (low, _, high) in hours.items()}
    assert ends == {"rtx-4090": (28, 72), "p100": (116, 279), "t4": (210, 504)}
    trainlint.write("train.sh", "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10\n")
    asked = ("-t", "kaggle-t4x2", "--dataset-size", "1000")
    counted = trainlint.json("train.sh", *asked)["results"]
    assert {one["verdicts"]["time"] for one in counted} == {"pass"}
    assert all(one["facts"]["time"]["validation_assumed"] for one in counted)
    highest = max(one["facts"]["time"]["total_hours"][2] for one in counted)
    assert 107 / 60 < highest < 9  # validation on as many images as training at most
    found = trainlint.json("train.sh", *asked, "--validation-images", "200")["results"]
    assert {one["verdicts"]["time"] for one in found} == {"pass"}
    minutes = {one["variant"]: [round(60 * x) for x in one["facts"]["time"]["total_hours"]] for one in found}
    assert minutes == {
        "glf-crP of 2025-12-09": [21, 39, 76],
        "glf-crP of 2025-12-10": [26, 49, 96],
        "glf-crP since 2025-12-12": [21, 39, 76],
    }


@pytest.mark.rest
def test_the_most_samples_of_a_config_bound_its_hours(trainlint: Command) -> None:
    """LLaMA-Factory takes `max_samples` of each data set at the most."""
    text = (ROOT / "examples" / "trainers" / "llamafactory_lora.yaml").read_text(encoding="utf-8")
    trainlint.write("lora.yaml", f"{text}max_samples: 500\n")
    words = ("lora.yaml", "-t", "rtx-4090", "--reading", "with samples of cutoff_len")
    (bounded,) = trainlint.json(*words)["results"]
    (known,) = trainlint.json(*words, "--dataset-size", "1000")["results"]
    assert bounded["facts"]["time"]["most_hours"] == known["facts"]["time"]["total_hours"][2]
    assert known["facts"]["time"]["most_hours"] is None
    assert " h per 1,000 samples, at most " in trainlint(*words[:2], "rtx-4070").stdout
