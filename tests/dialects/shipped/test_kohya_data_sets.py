# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The file of sd-scripts' --dataset_config: voluptuous stops at any other key or type."""

from __future__ import annotations

import pytest

from trainlint.dialects import load_dialects, normalise, recognise, trainer_of
from trainlint.documents.file_format import read
from trainlint.model.document import Source
from trainlint.model.job import Problem
from trainlint.model.trainer import Named

RIGHT = """\
[general]
enable_bucket = true
caption_extension = ".txt"
[[datasets]]
resolution = [1024, 768]
batch_size = 4
[[datasets.subsets]]
image_dir = "img"
num_repeats = 10
"""


def problems(text: str) -> tuple[Problem, ...]:
    (document,) = read(Source("data.toml", text))
    dialect = recognise(document, load_dialects())
    assert dialect is not None
    assert dialect.id == "kohya-datasets"
    (job,) = normalise(document, dialect)
    assert job.skip
    assert job.checked
    return job.problems


def test_what_voluptuous_takes_is_right() -> None:
    assert problems(RIGHT) == ()


@pytest.mark.parametrize(
    ("before", "after", "rule", "meant"),
    [
        ("resolution = ", "resolutions = ", "unknown-key", "resolution"),
        ("batch_size = 4", "batchsize = 4", "unknown-key", "batch_size"),
        ("datasets.subsets", "datasets.subset", "unknown-key", "subsets"),
        ("num_repeats", "num_repeat", "unknown-key", "num_repeats"),
        ("enable_bucket = true", "enable_buckets = true", "unknown-key", "enable_bucket"),
        ("batch_size = 4", 'batch_size = "4"', "wrong-type", None),
        ("enable_bucket = true", 'enable_bucket = "true"', "wrong-type", None),
        ("[1024, 768]", '"1024,768"', "wrong-type", None),
    ],
)
def test_a_slip_is_said_at_its_place(before: str, after: str, rule: str, meant: str | None) -> None:
    (problem,) = problems(RIGHT.replace(before, after))
    assert problem.rule == rule
    assert meant is None or problem.suggestion == meant


@pytest.mark.parametrize(
    "text",
    [
        '[general]\nresolution = [960, 544]\n[[datasets]]\nimage_directory = "img"\n',  # musubi-tuner
        'resolutions = [512]\n[[directory]]\npath = "img"\n',  # diffusion-pipe
    ],
)
def test_data_sets_of_other_trainers_are_not_its(text: str) -> None:
    (document,) = read(Source("data.toml", text))
    assert recognise(document, load_dialects()) is None


COMMAND = "accelerate launch train_network.py --pretrained_model_name_or_path a --dataset_config data.toml"


def of_a_command(tmp_path, text: str, named: Named | None = None) -> tuple[Problem, ...]:
    (tmp_path / "data.toml").write_text(text, encoding="utf-8")
    (document,) = read(Source(str(tmp_path / "train.sh"), COMMAND))
    dialect = next(dialect for dialect in load_dialects() if dialect.id == "kohya")
    return normalise(document, dialect, trainer_of(document, dialect, named))[0].problems


def test_a_slip_in_the_file_that_a_command_names_is_said_with_its_line(tmp_path) -> None:
    text = RIGHT.replace("batch_size = 4", "batchsize = 4")
    problem = next(problem for problem in of_a_command(tmp_path, text) if "data.toml" in problem.message)
    assert (problem.rule, problem.path, problem.suggestion) == ("unknown-key", ("dataset_config",), None)
    assert problem.message.startswith("data.toml:6: kohya's sd-scripts refuses")
    assert 'did you mean "batch_size"' in problem.message
    assert '--trainer kohya"' in problem.message
    assert problem.harmless
    problem = next(
        one for one in of_a_command(tmp_path, text, Named("kohya", "flag")) if "data.toml" in one.message
    )
    assert not problem.harmless


@pytest.mark.parametrize("text", [RIGHT, 'resolutions = [512]\n[[directory]]\npath = "img"\n', "= broken"])
def test_a_file_that_is_right_or_no_file_of_its_data_sets_has_none(tmp_path, text: str) -> None:
    assert not [problem for problem in of_a_command(tmp_path, text) if "data.toml" in problem.message]
