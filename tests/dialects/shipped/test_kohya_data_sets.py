# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The file of sd-scripts' --dataset_config: voluptuous stops at any other key or type."""

from __future__ import annotations

import pytest

from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.documents.file_format import read
from trainlint.model.document import Source
from trainlint.model.job import Problem

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
