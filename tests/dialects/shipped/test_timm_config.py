# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The YAML that timm's -c names: its values become defaults, flags win, and nothing outside is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainlint.config.edit import raw_edit, set_value
from trainlint.dialects import load_dialects, normalise
from trainlint.dialects.extract.recognise import recognise
from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source

RUN = "python train.py /data -c cfg/a.yaml --model resnet18 --sched cosine --amp"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cfg").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job(folder: Path, config: str | None, command: str = RUN):
    if config is not None:
        (folder / "cfg" / "a.yaml").write_text(config, encoding="utf-8")
    (folder / "run.sh").write_text(command + "\n", encoding="utf-8")
    (document,) = read(load_source(str(folder / "run.sh")))
    dialect = recognise(document, load_dialects())
    assert dialect is not None
    assert dialect.id == "timm"
    return normalise(document, dialect)[0]


def test_its_values_are_defaults_and_flags_win(folder: Path) -> None:
    made = job(folder, "batch_size: 8192\nopt: adamw\nlr: 5e-1\nmodel: resnet50\nepochs: '12'\n")
    assert made.problems == ()
    assert made.spec["batch.per_gpu"] == 8192
    assert made.spec["optimizers"][0]["type"] == "AdamW"
    assert made.spec["networks.generator.arch"] == "resnet18"
    assert made.spec["duration.epochs"] == 12  # argparse converts a default that is text
    made = job(folder, "batch_size: 8192\n", RUN + " -b 64")
    assert made.spec["batch.per_gpu"] == 64


def test_a_value_of_it_is_found_where_the_file_is_named_and_said_to_be_from_there(folder: Path) -> None:
    made = job(folder, "lr: 0.1\nbatch_size: abc\n")
    (problem,) = made.problems
    assert problem.message == "argument --batch-size: invalid int value: 'abc' (cfg/a.yaml:2)"
    assert made.document.raw(problem.path) == "cfg/a.yaml"


def test_no_edit_writes_over_the_name_of_the_file(folder: Path) -> None:
    document = job(folder, "batch_size: 8192\n").document
    assert raw_edit(document, ("batch_size",), "64") is None
    edit = set_value(document, ("batch_size",), 64, "--batch-size")
    assert edit is not None
    assert edit.text == "--batch-size 64 "


def test_a_key_that_is_nearly_an_argument_is_never_read(folder: Path) -> None:
    (problem,) = job(folder, "batchsize: 8192\nsomething_of_a_later_version: 1\n").problems
    assert problem.rule == "unused-key"
    assert problem.message.startswith(
        '"batchsize" (cfg/a.yaml:1) is not an argument and is never read; did you mean'
    )


@pytest.mark.parametrize(
    ("config", "command", "why"),
    [
        (None, RUN, '"cfg/a.yaml" is not here'),
        ("- a\n- b\n", RUN, "is not a mapping of arguments"),
        ("a: [1\n", RUN, "valid YAML"),
        ("# " + "x" * 1_000_001, RUN, "is larger than 1 MB"),
        ("a: 1\n", RUN.replace("cfg/a.yaml", "$CONFIG"), "only known when the command runs"),
        ("a: 1\n", RUN.replace("cfg/a.yaml", "/etc/hostname"), "lies outside"),
        ("a: 1\n", RUN.replace("cfg/a.yaml", "../../../../../../../../../../etc/hostname"), "lies outside"),
    ],
)
def test_where_the_file_is_not_known_no_default_is(
    folder: Path, config: str | None, command: str, why: str
) -> None:
    made = job(folder, config, command)
    assert "batch.per_gpu" not in made.spec
    assert made.spec["uncounted"] == [{"what": "what the file given to -c sets", "direction": "unknown"}]
    assert why in made.document.notes[-1]


def test_a_link_that_leads_out_of_the_repository_is_not_followed(folder: Path) -> None:
    inner = folder / "inner"
    (inner / "cfg").mkdir(parents=True)
    (inner / ".git").mkdir()
    (folder / "secret.yaml").write_text("batch_size: 8192\n", encoding="utf-8")
    (inner / "cfg" / "a.yaml").symlink_to(folder / "secret.yaml")
    made = job(inner, None)
    assert "batch.per_gpu" not in made.spec
    assert "lies outside of inner" in made.document.notes[-1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "cfg" / "a.yaml")
    assert "is not a regular file" in job(folder, None).document.notes[-1]
