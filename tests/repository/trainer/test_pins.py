# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the files around a command ask of its library's version."""

from __future__ import annotations

import os

import pytest

from trainlint.documents.file_format import read
from trainlint.files.enclosing_folders import BEGINNING_BYTES
from trainlint.files.text_source import source_of
from trainlint.repository.trainer.library_pins import pins_of

COMMAND = "python train.py /data --model resnet50 --sched cosine\n"


def pins(folder, text=COMMAND, name="run.sh"):
    document = read(source_of(text.encode(), str(folder / name)))[-1]
    return [str(pin) for pin in pins_of(document, "timm")]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("requirements.txt", "torch\ntimm==1.0.9  # measured\n", "pins timm 1.0.9"),
        ("requirements.txt", "torch\r\ntimm == 1.0.9\r\n", "pins timm 1.0.9"),
        ("requirements.txt", "timm>=0.9,<1.1\n", "asks for timm>=0.9,<1.1"),
        ("environment.yml", "dependencies:\n  - conda-forge::timm=1.0.9\n", "pins timm 1.0.9"),
        ("environment.yaml", "dependencies:\n  - pip:\n    - timm==1.0.9\n", "pins timm 1.0.9"),
        ("pyproject.toml", '[project]\ndependencies = ["torch", "timm==1.0.9"]\n', "pins timm 1.0.9"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntimm = "1.0.9"\n', "pins timm 1.0.9"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntimm = "^1.0.9"\n', "asks for timm^1.0.9"),
        ("pyproject.toml", 'timm = { version = "1.0.9", optional = true }\n', "pins timm 1.0.9"),
        ("setup.py", '_deps = [\n    "torch",\n    "timm>=1.0.9",\n]\n', "asks for timm>=1.0.9"),
        ("setup.py", "setup(install_requires=['torch>=2', 'timm==1.0.9'])\n", "pins timm 1.0.9"),
    ],
)
def test_files_that_pin(tmp_path, name, text, said):
    (tmp_path / name).write_bytes(text.encode())
    assert pins(tmp_path) == [f"{name} {said}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "# timm==1.0.9\n"),
        ("requirements.txt", "timm\n"),
        ("requirements.txt", "timm==0.6.13; python_version < '3.8'\n"),
        ("requirements.txt", "-e ../timm==1.0.9\n"),
        ("environment.yml", "# - timm=1.0.9\n"),
        ("pyproject.toml", '# "timm==1.0.9"\n'),
        ("pyproject.toml", '[tool.mypy]\npackages = ["timm"]\n'),
        ("notes.txt", "timm==1.0.9\n"),
    ],
)
def test_files_that_do_not(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert pins(tmp_path) == []


def test_an_install_line_of_the_same_file(tmp_path):
    assert pins(tmp_path, "pip install timm==1.0.9\n" + COMMAND) == ["line 1 pins timm 1.0.9"]
    assert pins(tmp_path, "echo pip install timm==1.0.9\n" + COMMAND) == []


def test_the_nearest_folder_of_the_repository_decides(tmp_path):
    (tmp_path / ".git").mkdir()
    scripts = tmp_path / "scripts" / "imagenet"
    scripts.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("timm==1.0.9\n")
    assert pins(scripts) == ["../../requirements.txt pins timm 1.0.9"]
    (tmp_path / "scripts" / "requirements.txt").write_text("timm==1.0.31\n")
    assert pins(scripts) == ["../requirements.txt pins timm 1.0.31"]


def test_nothing_above_the_repository_is_read(tmp_path):
    (tmp_path / "requirements.txt").write_text("timm==1.0.9\n")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert pins(tmp_path / "repo") == []


def test_the_librarys_own_source_next_to_the_script_decides_alone(tmp_path):
    (tmp_path / "timm").mkdir()
    (tmp_path / "timm" / "version.py").write_text("__version__ = '1.0.10.dev0'\n")
    (tmp_path / "requirements.txt").write_text("timm==1.0.31\n")
    assert pins(tmp_path) == ["requirements.txt pins timm 1.0.31"]
    (tmp_path / "train.py").write_text("raise SystemExit\n")
    assert pins(tmp_path) == ["timm/version.py pins timm 1.0.10"]


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_only_regular_files_inside_are_read_and_only_their_beginning(tmp_path):
    (tmp_path / "elsewhere.txt").write_text("timm==1.0.9\n")
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / "requirements.txt").symlink_to(tmp_path / "elsewhere.txt")
    os.mkfifo(folder / "environment.yml")
    (folder / "pyproject.toml").write_text("#" * BEGINNING_BYTES + '\n"timm==1.0.9"\n')
    assert pins(folder) == []
