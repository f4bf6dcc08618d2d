# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The scripts of the guides: zoom23's, the VAE's and GLF-CR's."""

from __future__ import annotations

import pytest

from trainlint.estimate.run.placement import place
from trainlint.hardware import load_hardware

from .dialect_jobs import command, fields, job, jobs, said


def test_zoom23():
    made = command("python3 train_zoom23_autoencoder.py --img_size 512 --batch_size 16 --multi_gpu", "zoom23")
    assert said(made) == []
    assert fields(made, "recipe", "crop.hr", "parallel", "workers.per_process") == ("zoom23", 512, "dp", 4)
    args = {"img_size": 512, "patch_size": 16, "embed_dim": 512, "num_heads": 8, "num_layers": 6}
    assert made.spec["networks.generator.args"] == args
    placed = place(made.spec, load_hardware().target("2x-titan-rtx"))
    assert (placed["gpus"], placed["batch.per_replica"], placed["batch.total"]) == (2, 8, 16)


def test_zoom23_uses_one_gpu_unless_told():
    made = command("python3 train_zoom23_autoencoder.py", "zoom23")
    placed = place(made.spec, load_hardware().target("2x-titan-rtx"))
    assert (placed["gpus"], placed["parallel"], placed["batch.per_replica"]) == (1, "none", 16)
    assert fields(made, "duration.epochs", "checkpoint.every_epochs", "checkpoint.keep") == (50, 1, 1)
    silent = command("python3 train_zoom23_autoencoder.py --no_checkpoints", "zoom23")
    assert "checkpoint.every_epochs" not in silent.spec


def test_zoom23_flags_of_other_guides():
    made = command("python3 train_zoom23_autoencoder.py --encoder_path best.pth --epochs 100", "zoom23")
    assert said(made) == [("unknown-key", "unrecognized arguments: --encoder_path best.pth")]


def test_vae():
    made = command(
        "python train_vae.py --data_path ./d --image_size 256 --mixed_precision --z_channels 8", "vae"
    )
    assert said(made) == []
    assert fields(made, "precision", "batch.per_process", "duration.epochs") == ("fp16", 4, 100)
    assert made.spec["networks.generator.args"] == {"channels": [128, 256, 512, 512], "z_channels": 8}
    assert fields(made, "checkpoint.every_epochs", "workers.per_process") == (1, 4)


def test_vae_flags_that_never_reach_the_run():
    flags = "--use_torch_compile --use_bf16 --enable_tf32 --channels_last --persistent_workers"
    made = command(f"python train_vae.py --data_path ./d --mixed_precision {flags}", "vae")
    assert [rule for rule, _ in said(made)] == ["unused-key"] * 5
    assert fields(made, "precision", "compile") == ("fp16", False)


def test_vae_config_files_are_dead_but_judged():
    text = """{"_comment": "mine", "latent_dim": 8, "channels": [64, 128, 256, 256], "image_size": 128,
    "z_channels": 8, "batch_size": 4, "num_epochs": 3, "kl_weight": 1e-6, "perceptual_weight": 1.0,
    "mixed_precision": true}"""
    made = job(text, "config.json", "vae")
    assert [rule for rule, _ in said(made)] == ["unused-key"]
    assert made.spec["options"]["config_file"] is True
    assert made.spec["networks.generator.args"] == {"channels": [64, 128, 256, 256], "z_channels": 8}


def test_glfcr_in_all_versions():
    found, (old, single, head) = jobs(
        'python train_CR_kaggle.py --batch_sz 4 --num_workers 2 --gpu_ids "0,1"\n', "run.sh"
    )
    assert found == "glfcr"
    names = ["glf-crP of 2025-12-09", "glf-crP of 2025-12-10", "glf-crP since 2025-12-12"]
    assert [each.variant for each in (old, single, head)] == names
    assert said(old) == said(single) == []
    assert said(head) == [("unknown-key", 'unrecognized arguments: --gpu_ids "0,1"')]
    assert fields(old, "gpus", "workers.per_process", "recipe") == (2, 4, "glfcr")
    assert head.spec.get("gpus") is None
    assert old.spec["networks.generator.args"] == {"crop": 128, "operator": "python"}
    placed = place(head.spec, load_hardware().target("kaggle-t4x2"))
    assert (placed["parallel"], placed["batch.per_replica"]) == ("dp", 2)
    placed = place(single.spec, load_hardware().target("kaggle-t4x2"))
    assert (placed["parallel"], placed["batch.per_replica"]) == ("none", 4)


def test_glfcr_upstream():
    made = command("python train_CR_net.py --gpu_ids 0,1,2 --crop_size 96", "glfcr")
    assert made.variant is None
    assert said(made) == []
    assert fields(made, "recipe", "gpus", "batch.per_process") == ("glfcr.upstream", 3, 1)
    assert made.spec["networks.generator.args"] == {"crop": 96, "operator": "cuda"}
    assert said(command("python train_CR_net.py --num_workers 4", "glfcr"))[0][0] == "unknown-key"


@pytest.mark.parametrize("value", ["True", "False", "0"])
def test_glfcr_takes_any_text_for_true(value):
    _, (made, *_) = jobs(f"python train_CR_kaggle.py --is_use_cloudmask {value}\n", "run.sh")
    assert said(made) == []
    assert made.document.value["is_use_cloudmask"] is True


def test_glfcr_knows_one_optimizer():
    _, versions = jobs("python train_CR_kaggle.py --optimizer SGD\n", "run.sh")
    assert ["Adam" in message for made in versions for _, message in said(made)] == [True] * 3


def test_variables_of_another_shell_are_not_judged():
    text = "python train_vae.py --data_path d --image_size ${SIZE} --batch_size $B\necho a ^\n b\n"
    _, (made,) = jobs(text, "notes.txt")  # the caret makes it a batch file, to which ${SIZE} is plain text
    assert said(made) == []
    assert "batch.per_process" not in made.spec


def test_glfcr_sees_the_gpus_that_are_left_visible():
    text = "CUDA_VISIBLE_DEVICES=0 python train_CR_kaggle.py --batch_sz 4"
    older, single, newer = jobs(text + "\n", "run.sh")[1]
    target = load_hardware().target("kaggle-t4x2")
    assert place(older.spec, target)["batch.per_replica"] == 2  # that version sets the variable itself
    assert place(single.spec, target)["batch.per_replica"] == 4
    assert place(newer.spec, target)["batch.per_replica"] == 4


def test_a_printed_config_of_the_vae():
    page = """\
```json
{"channels": [192, 384, 768, 768], "z_channels": 32, "image_size": 1024, "batch_size": 12}
```
"""
    dialect, (made,) = jobs(page, "guide.md")
    assert (dialect, made.spec["batch.per_process"], made.spec["crop.hr"]) == ("vae", 12, 1024)
    other = page.replace('"z_channels": 32, ', "")
    assert jobs(other, "guide.md")[0] is None
