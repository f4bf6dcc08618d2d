# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Folders of images with captions: what of them is counted, and which texts nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.data_headers import Look
from trainlint.model.job import Job

KOHYA = "sdxl_train_network.py --pretrained_model_name_or_path xl.safetensors --network_module networks.lora"


def read(text: str, name: str, dialect: str) -> tuple[Job, ...]:
    known, made = jobs(text, name)
    assert known == dialect
    return tuple(made)


def _first(text: str, name: str, dialect: str) -> Job:
    return read(text, name, dialect)[0]


def looked(folder: Path, text: str, name: str, dialect: str) -> dict[str, object]:
    """Return what a look finds of a config's images."""
    return Look(folder).values(_first(text, name, dialect))


def filled(folder: Path, *names: str) -> None:
    """Make empty files."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


@pytest.mark.parametrize(
    ("flags", "unread"), [("", 2), ("--caption_extension .txt", None), ("--caption_extension txt", None)]
)
def test_repeats_and_captions_of_sd_scripts(tmp_path: Path, flags: str, unread: int | None) -> None:
    filled(tmp_path, *(f"images/10_cat/{name}" for name in ("a.png", "a.txt", "b.jpg", "b.txt", "c.webp")))
    filled(tmp_path, "images/3_dog/d.png", "images/3_dog/d.caption", "images/dogs/e.png", "images/f.png")
    found = looked(tmp_path, f"python {KOHYA} --train_data_dir images {flags}", "train.sh", "kohya")
    assert (found["repeated"], found["samples"]) == (2, 33)
    assert (found.get("unread"), found.get("unread_suffix")) == (
        (unread, ".txt") if unread else (1, ".caption")
    )


@pytest.mark.parametrize(("given", "known"), [("images", True), ("images/3_dog", False), (".", True)])
def test_the_folder_that_is_given_may_be_the_one_that_is_named(
    tmp_path: Path, given: str, *, known: bool
) -> None:
    filled(tmp_path, "images/3_dog/d.png")
    found = looked(tmp_path / given, f"python {KOHYA} --train_data_dir images", "train.sh", "kohya")
    assert found.get("samples") == (3 if known else None)


SETS = """[general]
caption_extension = ".txt"
[[datasets]]
num_repeats = 5
  [[datasets.subsets]]
  image_dir = "cats"
  num_repeats = 10
  [[datasets.subsets]]
  image_dir = "dogs"
  caption_extension = ".caption"
"""


@pytest.mark.parametrize(
    ("old", "new", "samples"),
    [
        ("", "", 25),
        ('image_dir = "dogs"', 'image_dir = "dogs"\n  is_reg = true', None),
        ("dogs", "gone", None),
    ],
)
def test_folders_of_a_file_of_data_sets(tmp_path: Path, old: str, new: str, samples: int | None) -> None:
    filled(tmp_path, "cats/a.png", "cats/a.txt", "cats/b.png", "cats/b.txt", "dogs/c.png", "dogs/c.txt")
    (tmp_path / "sets.toml").write_text(SETS.replace(old, new), encoding="utf-8")
    line = f"python {KOHYA} --train_data_dir images --dataset_config sets.toml"
    (job, *_) = read(line, str(tmp_path / "train.sh"), "kohya")
    found = Look(tmp_path).values(job)
    assert (found.get("samples"), "repeated" in found) == (samples, False)
    assert found.get("unread") == (None if new == "gone" else 1)


def test_images_beside_no_numbered_folder(tmp_path: Path) -> None:
    filled(tmp_path, "images/cat/a.png", "images/b.png")
    found = looked(tmp_path, f"python {KOHYA} --train_data_dir images", "train.sh", "kohya")
    assert found["repeated"] == 0
    assert "samples" not in found


def test_captions_of_ai_toolkit(tmp_path: Path) -> None:
    filled(tmp_path, "images/a.png", "images/a.caption", "images/b.png", "images/b.txt")
    text = (
        "job: extension\nconfig:\n  name: a\n  process:\n    - type: sd_trainer\n"
        "      datasets:\n        - folder_path: images\n"
        "      model: {name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true}\n"
    )
    found = looked(tmp_path, text, "a.yaml", "ai-toolkit")
    assert (found["unread"], found["unread_suffix"]) == (1, ".caption")
    assert "bare" not in found
    filled(tmp_path, "images/c.png", "images/d.jpg")
    assert looked(tmp_path, text, "a.yaml", "ai-toolkit")["bare"] == 2
