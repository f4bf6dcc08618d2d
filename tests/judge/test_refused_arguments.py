# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An argument that a network refuses is known before it is written: the edited text has the finding then."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from msgspec.structs import replace

from tests.sampling import sampled
from trainlint.config.edit import apply_edits, set_value
from trainlint.dialects import load_dialects, normalise, recognise, trainer_of
from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source
from trainlint.judge.problem_findings import NETWORK_ARGUMENTS_RULE, adds_refused, network_problems
from trainlint.shipped.resource_paths import PACKAGE

EXAMPLES = PACKAGE.parents[1] / "examples"
REFUSING = ("realesrgan_x4.yml", "esrgan_x4.yml")
SECTIONS = [
    ("realesrgan_x4.yml", "network_g"),
    ("realesrgan_x4.yml", "network_d"),
    ("esrgan_x4.yml", "network_g"),
    ("esrgan_x4.yml", "network_d"),
    ("own_network.yml", "network_g"),
    ("trainers/kair_rrdb_x4.json", "netG"),
]
NAMES = (
    "use_checkpoint",
    "use_chk",
    "num_feat",
    "num_grow_ch",
    "act_type",
    "type",
    "nothing",
    "skip_connection",
)


def _job(source):
    document, *_ = read(source)
    dialect = recognise(document, load_dialects())
    return normalise(document, dialect, trainer_of(document, dialect, None))[0]


def _refused(job):
    return Counter(problem.rule for problem in network_problems(job))[NETWORK_ARGUMENTS_RULE]


@pytest.mark.parametrize(("name", "section"), sampled(SECTIONS, 3))
def test_what_is_refused_ahead_is_refused_in_the_text(tmp_path, name, section):
    said = []
    config = shutil.copy(EXAMPLES / name, tmp_path)  # without a repository around it, which takes a while
    job = _job(load_source(str(config)))
    before = _refused(job)
    for key in NAMES:
        ahead = adds_refused(job, {(section, key): True})
        edit = set_value(job.document, (section, key), True)
        text = apply_edits(job.document.source.text, [edit])
        refused = _refused(_job(replace(job.document.source, text=text))) > before
        assert refused or not ahead, key
        said.append(ahead)
    assert (True in said) is (name in REFUSING)
    assert False in said


def test_nothing_is_sure_of_what_is_written_already():
    job = _job(load_source(str(EXAMPLES / "realesrgan_x4.yml")))
    assert adds_refused(job, {("network_g", "nothing"): 1})
    assert not adds_refused(job, {("network_g", "num_feat"): 1})
    assert not adds_refused(job, {("train", "nothing"): 1})
    assert not adds_refused(job, {("network_g", "type"): "SRVGGNetCompact", ("network_g", "nothing"): 1})
