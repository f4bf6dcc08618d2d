# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An argument that a network refuses is known before it is written: the edited text has the finding then."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from msgspec.structs import replace

from tests.sampling import sampled
from trainlint.api import check
from trainlint.config.edit import apply_edits, set_value
from trainlint.dialects import load_dialects, normalise, recognise, trainer_of
from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source
from trainlint.judge.problem_findings import NETWORK_ARGUMENTS_RULE, adds_refused, network_problems
from trainlint.shipped.resource_paths import PACKAGE

USRNET = """\
{
  "task": "own", "model": "plain4", "gpu_ids": [0], "scale": 4, "n_channels": 3,
  "path": {"root": "superresolution", "pretrained_netG": null},
  "datasets": {
    "train": {"name": "train", "dataset_type": "usrnet", "dataroot_H": "a", "dataroot_L": null, "H_size": 96,
              "scales": [1, 2, 3, 4], "dataloader_shuffle": true, "dataloader_num_workers": 8,
              "dataloader_batch_size": 16},
    "test": {"name": "test", "dataset_type": "usrnet", "dataroot_H": "b", "dataroot_L": null}
  },
  "netG": {"net_type": "usrnet", "n_iter": 6, "h_nc": 32, "in_nc": 4, "out_nc": 3, ARGS, "act_mode": "R",
           "upsample_mode": "convtranspose", "downsample_mode": "strideconv", "init_type": "orthogonal",
           "init_bn_type": "uniform", "init_gain": 0.2},
  "train": {"G_lossfn_type": "l1", "G_lossfn_weight": 1.0, "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4,
            "G_optimizer_clipgrad": null, "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [100],
            "G_scheduler_gamma": 0.5, "G_regularizer_orthstep": null, "G_regularizer_clipstep": null,
            "checkpoint_test": 5000, "checkpoint_save": 5000, "checkpoint_print": 200}
}
"""
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


@pytest.mark.parametrize(
    ("args", "level"),
    [
        ('"nc": 64, "nb": 2', "fail"),
        ('"nc": [64, 128, 256, 512], "nb": [2]', "warn"),
    ],
)
def test_a_number_for_a_list_fails_in_a_config_alone(tmp_path, monkeypatch, args, level):
    """As in cszn/KAIR's thread 31: every published USRNet takes the parts of nc, "int" has none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.json").write_text(USRNET.replace("ARGS", args), "utf-8")
    results = check("train.json", "rtx-3090", trace=False).results
    found = [one for result in results for one in result.findings if one.rule == NETWORK_ARGUMENTS_RULE]
    assert {str(one.level) for one in found} == {level}
