# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Data sets of a repository whose samples are not of the size that a config has."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES
from tests.dialects.shipped.dialect_jobs import dialects
from trainlint.dialects import normalise, recognise, trainer_of
from trainlint.dialects.extract.own_samples import of_another_size
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.repository.trainer.mentioned_words import Words
from trainlint.repository.trainer.own_classes import Own

PAIRS = """
class Pairs(data.Dataset):
    def __init__(self, opt):
        super().__init__()
        self.opt = opt

    def __getitem__(self, index):
        gt, lq = random_crop(read(index), self.opt['gt_size'], 2 * 4)
        return gt, lq
"""
BASE = PAIRS.replace("class Pairs", "class Base")


def _said(text: str) -> str | None:
    return of_another_size("Pairs", "gt_size", Words([text], ["data.py"]))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("self.opt['gt_size']", "self.size", 'its own data set Pairs never reads "gt_size"'),
        ("self.opt['gt_size']", "512", "its own data set Pairs crops to a number"),
        (
            "self.opt['gt_size']",
            "(256, 256)",
            "its own data set Pairs crops to a number",
        ),
    ],
)
def test_samples_of_another_size(old, new, why):
    assert (_said(PAIRS.replace(old, new)) or "").startswith(why)


@pytest.mark.parametrize(
    "text",
    [
        PAIRS,
        f"{BASE}\n\nclass Pairs(Base):\n    pass\n",
        PAIRS.replace("self.opt['gt_size']", "self.opt['gt_size'] // 16"),
        PAIRS.replace("random_crop(read(index), self.opt['gt_size'], 2 * 4)", "cut(read(index), self.opt)"),
        PAIRS.replace("(data.Dataset)", "(Elsewhere)").replace("gt_size", "size"),
        "class Other:\n    pass\n",
    ],
)
def test_samples_that_may_be_of_that_size(text):
    assert _said(text) is None


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (("basicsr/data/paired_image_dataset.py", "gt_size", "size"), 'never reads "gt_size"'),
        (("own.yml", "type: L1Loss", "type: OwnLoss"), 'defines the loss "OwnLoss"'),
        (("own.yml", "name: own", "name: other"), ""),
    ],
)
def test_memory_is_not_judged_by_what_the_repository_does_not_have(tmp_path, monkeypatch, changed, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    files = {**FILES, "own.yml": CONFIG.replace("type: MineNet, num_feat: 64", "type: EDSR")}
    file, old, new = changed
    for path, text in {**files, file: files[file].replace(old, new)}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    (document,) = read(source_of((tmp_path / "own.yml").read_bytes(), str(tmp_path / "own.yml")))
    dialect = recognise(document, dialects())
    (job,) = normalise(document, dialect, trainer_of(document, dialect, None))
    assert (job.own.altered or job.own.sampled or "").endswith(reason)


@pytest.mark.parametrize(
    ("altered", "left"), [(None, None), ("a registry is changed", "a registry is changed")]
)
def test_what_is_written_does_not_depend_on_samples(altered, left):
    own = Own(altered=altered, sampled="its own data set Pairs crops to a number")
    assert own.unknown_step() == (altered or own.sampled)
    assert own.as_written.unknown_step() == left
