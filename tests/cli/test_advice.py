# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What --fix writes was shown, shortens nothing, and leaves documentation alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from trainlint.documents.documentation import is_documentation
from trainlint.model.document import Span
from trainlint.model.finding import Edit
from trainlint.report.change_lines import changed_lines

EXAMPLES = Path(__file__).parents[2] / "examples"
LINT = ("-t", "kaggle-t4x2", "--no-trace", "--format", "json")
LARGER = ("-t", "rtx-3060", "--no-trace", "--format", "json")


def lines(text: str, key: str) -> list[str]:
    return [line for line in text.splitlines() if key in line]


@pytest.mark.rest
def test_every_edit_that_is_written_was_listed_is_said_and_is_in_json(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    config = trainlint.write("a.yml", text)
    listed = json.loads(trainlint("a.yml", *LINT).stdout)["results"]
    offered = {fix["summary"] for one in listed for found in one["findings"] for fix in found["fixes"]}
    done = trainlint("a.yml", *LINT, "--fix", "--unsafe-fixes")
    written = json.loads(done.stdout)["fixes"]
    after = config.read_text(encoding="utf-8")
    changed = [
        (old, new) for old, new in zip(text.splitlines(), after.splitlines(), strict=True) if old != new
    ]
    assert changed
    assert {fix["summary"] for fix in written} <= offered
    assert len(changed) == sum(len(fix["edits"]) for fix in written)
    said = done.stderr
    for fix in written:
        assert f"fixed a.yml:{fix['edits'][0]['line']}: {fix['summary']}" in said
    for key in ("total_iter", "milestones"):
        assert lines(after, key) == lines(text, key)
    assert re.search(r"sees [\d,]+ samples instead of 2,400,000", said)


def test_a_second_look_says_which_keys_changed_and_how_many_samples_fewer_are_seen(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text)
    trainlint.write("b.yml", text.replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 6"))
    shown = trainlint("diff", "a.yml", "b.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert "changed datasets.train.batch_size_per_gpu: 12 -> 6" in shown
    assert "learns  from 1,200,000 samples instead of 2,400,000" in shown


def test_where_a_session_is_too_short_saving_more_often_is_advised(trainlint) -> None:
    """It takes 4 sessions instead of 5 then, and what is learned stays as it is."""
    trainlint.write("a.yml", (EXAMPLES / "realesrnet_x2.yml").read_text(encoding="utf-8"))
    (result,) = json.loads(trainlint("a.yml", *LINT, "--seconds-per-iteration", "0.6").stdout)["results"]
    advice = result["recommended"]
    assert [(edit["old"], edit["new"]) for edit in advice["edits"]] == [("!!float 2e4", "!!float 5000")]
    assert (result["facts"]["time"]["sessions"][1], advice["after"]["sessions"][1]) == (5, 4)
    assert not advice["changes_training"]
    notes = " ".join(next(one for one in result["findings"] if one["rule"] == "session-budget")["notes"])
    assert "start each later session with --auto_resume" in notes
    assert "a faster machine takes fewer sessions (trainlint fit compares them)" in notes


def test_a_batch_of_all_gpus_is_no_smaller_than_they_are_many(trainlint) -> None:
    """KAIR's trainer divides it; a batch of one for two GPUs was tried, and no other one after it."""
    text = (EXAMPLES / "trainers" / "kair_rrdb_x4.json").read_text(encoding="utf-8")
    trainlint.write("a.json", text)
    (result,) = json.loads(trainlint("a.json", "-t", "t4", *LINT[2:]).stdout)["results"][-1:]
    assert [(edit["old"], edit["new"]) for edit in result["recommended"]["edits"]] == [("32", "12")]


def test_a_job_has_one_recommended_edit_with_what_follows_from_it(trainlint) -> None:
    trainlint.write("a.yml", (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8"))
    results = json.loads(trainlint("a.yml", *LINT).stdout)["results"]
    assert len({one["recommended"]["summary"] for one in results}) == 1
    advice = results[0]["recommended"]
    assert (advice["edits"][0]["line"], advice["edits"][0]["new"]) == (64, "6")
    assert advice["also_fixes"] == ["queue-not-divisible"]
    assert advice["after"]["sessions"][1] < results[0]["facts"]["time"]["sessions"][1]
    assert max(advice["after"]["memory"]) < 14.56 * 2**30
    assert advice["after"]["samples"] == 1_200_000


@pytest.mark.rest
def test_the_recommended_edit_says_what_a_larger_one_breaks(trainlint) -> None:
    trainlint.write("a.yml", (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8"))
    shown = trainlint("a.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert (
        "= fix (changes training, 50% fewer samples): 12 -> 6 (7 breaks queue-not-divisible), then" in shown
    )


def scale_fixes(trainlint, example: str) -> tuple[Path, list[dict]]:
    """Return a config made for 8, and the fixes of its generator, which enlarges by 2."""
    text = (EXAMPLES / example).read_text(encoding="utf-8")
    assert "\nscale: 2\n" in text
    config = trainlint.write("a.yml", text.replace("\nscale: 2\n", "\nscale: 8\n").replace("_x2", ""))
    (result,) = json.loads(trainlint("a.yml", *LARGER).stdout)["results"]
    fixes = (finding["fixes"] for finding in result["findings"] if finding["rule"] == "network-scale")
    return config, next(fixes)


@pytest.mark.rest
def test_fix_writes_the_edit_that_is_recommended_where_other_rules_have_one_too(trainlint) -> None:
    """The pool's rule may take another batch that fits, and does not say what memory it needs."""
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text.replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 72"))
    shown = trainlint("a.yml", "-t", "12GiB", "--no-trace", "--format", "json").stdout
    (result,) = json.loads(shown)["results"]
    done = trainlint("a.yml", "-t", "12GiB", "--no-trace", "--fix", "--unsafe-fixes")
    assert f"fixed a.yml:64: {result['recommended']['summary']} [vram-budget]" in done.stderr


def test_a_network_that_nobody_traced_is_not_called_checked(trainlint) -> None:
    """EDSR knows the scale 8, and no profile of it is stored."""
    config, fixes = scale_fixes(trainlint, "edsr_x2.yml")
    said = [(fix["summary"], fix["verified"]) for fix in fixes]
    assert said == [("scale: 8 -> 2", True), ("network_g.upscale: 2 -> 8", False)]
    assert fixes[1]["unknown"].startswith("no stored profile of this step")
    trainlint("a.yml", *LARGER, "--fix", "--unsafe-fixes")
    assert "\nscale: 2\n" in config.read_text(encoding="utf-8")


def test_a_scale_that_a_network_does_not_know_is_no_fix(trainlint) -> None:
    """RRDBNet enlarges by 4 if it is given 8."""
    _, fixes = scale_fixes(trainlint, "realesrnet_x2.yml")
    assert [(fix["summary"], fix["verified"]) for fix in fixes] == [("scale: 8 -> 2", True)]


def test_a_fix_says_what_could_not_be_judged_before_it(trainlint) -> None:
    """A step whose output is no image of the target's size stops, so that nothing is known of its hours."""
    text = (EXAMPLES / "realesrgan_x4_kaggle.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text.replace("\nscale: 4\n", "\nscale: 8\n"))
    words = ("a.yml", "-t", "kaggle-t4x2", "--no-trace")
    (result,) = trainlint.json(*words)["results"]
    advice = result["recommended"]
    assert (advice["summary"], advice["uncovers"]) == ("scale: 8 -> 4", ["session-budget"])
    assert "; then session-budget fails" in " ".join(trainlint(*words).stdout.split())
    assert "+scale: 4\n" in trainlint(*words, "--diff", "--unsafe-fixes").stdout


def test_a_scale_that_no_edit_can_choose_has_none(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4_kaggle.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text.replace("scale: 4\n", "scale: 8\n"))
    shown = " ".join(trainlint("a.yml", "-t", "kaggle-t4x2", "--no-trace").stdout.split())
    assert "FAIL, RRDBNet knows the scales 1, 2 and 4, not 8" in shown
    assert "= take EDSR or SwinIR for 8, or write 4 in both places" in shown
    assert "= fix" not in shown


@pytest.fixture
def unknown_step(trainlint) -> Path:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    text = text.replace("model_type: RealESRGANModel", "model_type: MyOwnModel")
    return trainlint.write("a.yml", text.replace("num_gpu: auto", "num_gpu: 8"))


@pytest.mark.usefixtures("unknown_step")
def test_an_edit_of_a_step_that_nobody_knows_is_not_called_checked(trainlint) -> None:
    shown = trainlint("a.yml", "-t", "rtx-3060", "--no-trace").stdout
    assert "= possible fix, not made by --fix as its memory is unknown: 8 -> 1\n" in shown
    said = "unknown model class MyOwnModel: trainlint dry-run -- COMMAND plays the program itself"
    assert said in " ".join(shown.split())
    assert "--unsafe-fixes shows the edits" not in shown


@pytest.mark.rest
def test_an_edit_of_a_step_that_nobody_knows_is_not_made(trainlint, unknown_step) -> None:
    trainlint("a.yml", "-t", "rtx-3060", "--no-trace", "--fix", "--unsafe-fixes")
    assert "num_gpu: 8" in unknown_step.read_text(encoding="utf-8")


@pytest.mark.rest
def test_what_only_some_readings_have_is_neither_written_nor_said_to_be_shown(trainlint) -> None:
    """Three versions of the script: only one of them runs out of memory."""
    text = "python train_CR_kaggle.py --batch_sz 8 --max_epochs 10 --save_freq 1 --gpu_ids 0,1\n"
    config = trainlint.write("train.sh", text)
    shown = trainlint("train.sh", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert "no-reading-works" in shown
    assert "shows the edits" not in shown
    empty = trainlint("train.sh", "-t", "kaggle-t4x2", "--no-trace", "--diff", "--unsafe-fixes")
    assert (empty.stdout, empty.stderr) == ("", "trainlint: nothing would be edited\n")
    assert config.read_text(encoding="utf-8") == text


def test_a_number_in_quotes_is_not_replaced_by_itself(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text.replace("    gt_size: 256", '    gt_size: "256"'))
    shown = trainlint("a.yml", "-t", "rtx-3060", "--no-trace").stdout
    assert '= fix: "256" -> 256' in shown


def test_a_number_in_quotes_is_fixed_though_memory_is_only_judged_then(trainlint) -> None:
    """What the session lasts is no finding that the edit brings: nothing was known of the run before."""
    text = (EXAMPLES / "realesrgan_x4_kaggle.yml").read_text(encoding="utf-8")
    quoted = text.replace("gt_size: 256", 'gt_size: "256"')
    assert quoted.count('gt_size: "256"') == 2
    config = trainlint.write("a.yml", quoted)
    trainlint("a.yml", "-t", "kaggle-t4x2", "--no-trace", "--fix")
    assert config.read_text(encoding="utf-8") == text
    trainlint.write("b.yml", quoted)
    shown = trainlint("diff", "b.yml", "a.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert 'changed gt_size: "256" -> 256' in shown
    assert "new     error: takes " in shown


def test_the_limit_of_a_crop_is_none_where_the_network_is_another_one(trainlint) -> None:
    """The script's network takes its img_size: tapes of other crops are those of other networks."""
    command = (
        "python3 train_zoom23_autoencoder.py --img_size 512 --patch_size 16 --embed_dim 512 --num_heads 8 "
        "--num_layers 6 --batch_size 16 --epochs 50 --device cuda --multi_gpu\n"
    )
    trainlint.write("train.sh", command)
    words = ("train.sh", "-t", "kaggle-t4x2", "--no-trace")
    assert trainlint(*words).stdout.startswith("pass")
    assert "largest crop" not in trainlint("fit", *words).stdout
    solved = json.loads(trainlint("fit", *words, "--solve", "crop", "--format", "json").stdout)
    assert solved["jobs"][0]["targets"][0]["value"] == 512


def test_an_edit_is_shown_where_it_is_in_a_long_line() -> None:
    text = "x" * 500 + " batch=8 " + "y" * 500
    at = text.index("8")
    lines = [line for _, _, line in changed_lines(text, (Edit(Span(at, at + 1), "3"),), 60)]
    assert [("batch=8" in line, "batch=3" in line, len(line) <= 60) for line in lines] == [
        (True, False, True),
        (False, True, True),
    ]


def test_documentation_is_edited_only_where_its_file_is_named(trainlint, config) -> None:
    wrong = config.replace("use_hflip: true", "use_hflipp: true")
    page = f"# How to train\n\n```yaml\n{wrong}```\n"
    paths = [trainlint.write(name, page) for name in ("README.md", "guide.md")]
    paths.append(trainlint.write("docs/a.yml", wrong))
    own = trainlint.write("own.yml", wrong)
    done = trainlint(".", "--fix", "--unsafe-fixes", "--no-trace")
    assert "left alone, as documentation: README.md, docs/a.yml, guide.md; --fix edits" in done.stderr
    assert "use_hflip: true" in own.read_text(encoding="utf-8")
    assert all("use_hflipp: true" in path.read_text(encoding="utf-8") for path in paths)
    trainlint("docs/a.yml", "guide.md", "--fix", "--unsafe-fixes", "--no-trace")
    assert ["use_hflipp" in path.read_text(encoding="utf-8") for path in paths] == [True, False, False]


@pytest.mark.parametrize(
    ("path", "named", "is_one"),
    [
        ("docs/a.yml", (), True),
        ("Docs/deep/a.sh", (), True),
        ("a/guide.md", (), True),
        ("README.txt", (), True),
        ("configs/train.yml", (), False),
        ("documents/train.yml", (), False),
        ("train_docs.yml", (), False),
        ("/home/me/docs/project/train.yml", ("/home/me/docs/project",), False),
        ("/home/me/docs/project/docs/train.yml", ("/home/me/docs/project",), True),
        ("docs/train.yml", ("docs",), True),
    ],
)
def test_what_is_documentation(path, named, is_one) -> None:
    assert is_documentation(path, named) is is_one


def test_what_is_left_alone_is_not_called_fixable(trainlint, config) -> None:
    wrong = config.replace("use_hflip: true", "use_hflipp: true")
    trainlint.write("README.md", f"```yaml\n{wrong}```\n")
    assert "fixable" not in trainlint(".", "--no-trace").stdout
    assert "1 fixable with --" in trainlint("README.md", "--no-trace").stdout


def test_an_argument_that_every_version_of_a_script_refuses_is_deleted_where_asked(trainlint):
    """It is no safe edit: what was meant by it is then not done."""
    text = "python3 train_zoom23_autoencoder.py --img_size 512 --encoder_path best.pth --epochs 5\n"
    trainlint.write("run.sh", text)
    shown = trainlint("run.sh", "--no-trace").stdout
    assert "= fix (it then trains from scratch): delete --encoder_path best.pth" in shown
    assert "1 fixable with --unsafe-fixes" in shown
    trainlint("run.sh", "--no-trace", "--fix")
    assert (trainlint.folder / "run.sh").read_text() == text
    trainlint("run.sh", "--no-trace", "--fix", "--unsafe-fixes")
    assert (trainlint.folder / "run.sh").read_text() == text.replace("--encoder_path best.pth ", "")


def test_an_argument_that_only_some_versions_refuse_is_left_to_the_reader(trainlint):
    text = 'python train_CR_kaggle.py --batch_sz 4 --num_workers 2 --gpu_ids "0,1"\n'
    trainlint.write("run.sh", text)
    shown = trainlint("run.sh", "--no-trace", "--fix", "--unsafe-fixes").stdout
    assert "= possible fix, once --reading says which is yours: delete --gpu_ids" in shown
    assert (trainlint.folder / "run.sh").read_text() == text
    done = trainlint("run.sh", "--no-trace", "--fix", "--unsafe-fixes")
    assert "nothing fixed: 2 edits only some versions need, so name yours with --reading" in done.stderr
    trainlint("run.sh", "--no-trace", "--fix", "--unsafe-fixes", "--reading", "glf-crP since 2025-12-12")
    assert "--gpu_ids" not in (trainlint.folder / "run.sh").read_text()


def test_a_run_that_cannot_start_loses_nothing_with_the_argument_that_stops_it(trainlint) -> None:
    """Nothing that is trained changes, but what was meant by it is not done: it is asked for."""
    trainlint.write("run.sh", "python3 train_zoom23_autoencoder.py --img_size 512 --steps_more 4\n")
    shown = trainlint("run.sh", "--no-trace").stdout
    assert "= fix: delete --steps_more 4" in shown
    assert "apply: --fix --unsafe-fixes" in shown


def test_what_still_fails_by_rules_that_are_not_selected_is_named(trainlint) -> None:
    text = "python3 train_zoom23_autoencoder.py --img_size 511 --batch_size 4 --multi_gpu --epochs 5\n"
    for more in ("--steps_more 4", "--decoder_path a_256.pth"):
        text += text.splitlines()[0].replace("--epochs", f"{more} --epochs").replace("511", "512") + "\n"
    trainlint.write("run.sh", text)
    shown = " ".join(trainlint("run.sh", "--no-trace", "--select", "unknown-key").stdout.split())
    assert "= fix at line 2: delete --steps_more 4; line 3 (it then trains from scratch): delete" in shown
    done = trainlint("run.sh", "--no-trace", "--fix", "--unsafe-fixes", "--select", "unknown-key")
    assert "unknown-key: 2 findings fixed, 0 left" in done.stderr
    assert "trainlint: still fails rules that are not selected: patch-grid\n" in done.stderr
    assert "no findings of the selected rules" in done.stdout


def test_an_edit_that_is_not_applied_is_not_offered_where_its_rule_alone_is_judged(trainlint) -> None:
    """Its step with the VAE in float32 is not stored, so that its memory would be judged no more."""
    text = (
        "python sdxl_train_network.py --pretrained_model_name_or_path a.safetensors --resolution 1024"
        " --network_module networks.lora --network_dim 32 --network_alpha 16 --network_train_unet_only"
        " --cache_text_encoder_outputs --cache_latents --gradient_checkpointing --train_batch_size 1"
        " --max_train_steps 1600 --optimizer_type AdamW8bit --mixed_precision fp16 --sdpa\n"
    )
    trainlint.write("run.sh", text)
    asked = ("run.sh", "--no-trace", "-t", "rtx-3060", "--select", "half-vae-of-sdxl")
    shown = trainlint(*asked).stdout
    assert "= add --no_half_vae, or give a VAE" in shown
    assert "apply:" not in shown
    done = trainlint(*asked, "--fix", "--unsafe-fixes")
    assert "nothing fixed: no finding has an edit that passes" in done.stderr
    assert "apply:" not in done.stdout


@pytest.mark.rest
def test_an_argument_that_is_nearly_a_networks_own_is_renamed_where_asked(trainlint) -> None:
    """A fork may take it: what is meant is a guess, and --fix alone leaves it."""
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    config = trainlint.write("a.yml", text.replace("num_block:", "num_blocks:"))
    shown = trainlint("a.yml", *LINT[:3]).stdout
    assert "memory, time and disk not judged: fix network-arguments first" in shown
    assert "= fix (changes training): num_blocks -> num_block, then at least 16.50" not in shown
    assert "= fix (changes training): num_blocks -> num_block" in shown
    trainlint("a.yml", *LINT[:3], "--fix", "--select", "network-arguments")
    assert "num_blocks: 23" in config.read_text(encoding="utf-8")
    trainlint("a.yml", *LINT[:3], "--fix", "--unsafe-fixes", "--select", "network-arguments")
    assert config.read_text(encoding="utf-8") == text


def test_an_argument_in_a_notebook_is_quoted_as_it_is_read(trainlint) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    source = '!python train_CR_kaggle.py --batch_sz 2 --max_epochs 2 --gpu_ids "0,1"'
    page = {"cells": [{**cell, "source": [source]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    trainlint.write("a.ipynb", json.dumps(page))
    assert 'unrecognized arguments: --gpu_ids "0,1"' in trainlint("a.ipynb", "--no-trace").stdout


def test_lines_of_a_page_lack_the_same_on_the_first_screen_and_in_full(trainlint) -> None:
    """The batch is in them: what is not known is the config that they belong to."""
    keys = (
        "lq_size: 96",
        "batch_size_per_gpu: 8",
        "num_worker_per_gpu: 4",
        "use_rot: false",
        "accum_iter: 2",
    )
    page = "\n".join(("Less memory:", "", "```yaml", *keys, "```", ""))
    trainlint.write("guide.md", page)
    options = ("guide.md", "-t", "rtx-3060", "--no-trace")
    assert "lint their whole config" in trainlint(*options).stdout
    full = trainlint(*options, "-v").stdout
    assert "batch size is not known" not in full
    assert "no batch size" not in full
    assert "vram-tight: part of a config" in full
