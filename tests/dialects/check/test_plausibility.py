# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers beyond sense: one finding at the value, and nothing is worked out with it."""

from __future__ import annotations

import re

import pytest

from tests.sampling import sampled
from trainlint.dialects.check.plausibility import RULE
from trainlint.expressions.cel import MOST_MULTIPLES, Expression, multiples
from trainlint.model.document import Source
from trainlint.model.finding import Level
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.shipped.resource_paths import resource

CONFIG = """\
name: toy
model_type: RealESRGANModel
scale: 4
num_gpu: 1
gt_size: 128
queue_size: 8
datasets:
  train:
    name: images
    type: RealESRGANDataset
    dataroot_gt: images
    io_backend: {type: disk}
    num_worker_per_gpu: 2
    batch_size_per_gpu: 8
    dataset_enlarge_ratio: 1
network_g: {type: SRVGGNetCompact, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_conv: 16, upscale: 4}
train:
  optim_g: {type: Adam, lr: !!float 1e-4}
  total_iter: 1000
  pixel_opt: {type: L1Loss}
logger: {save_checkpoint_freq: 100, print_freq: 10}
"""


def lint(text):
    settings = Settings(target=("rtx-4090",))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))
    return list(pipeline.lint_source(Source("toy.yml", text), named=True))


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("gt_size: 128", "gt_size"),
        ("queue_size: 8", "queue_size"),
        ("batch_size_per_gpu: 8", "datasets.train.batch_size_per_gpu"),
        ("num_worker_per_gpu: 2", "datasets.train.num_worker_per_gpu"),
        ("num_gpu: 1", "num_gpu"),
        ("scale: 4", "scale"),
        ("num_feat: 64", "network_g.num_feat"),
    ],
)
@pytest.mark.parametrize("number", ["1000000000", "4000000000", "9223372036854775807", "9" * 400])
def test_a_size_beyond_sense_is_one_failure_and_nothing_is_estimated(written, key, number):
    name = written.partition(":")[0]
    text = CONFIG.replace(written, f"{name}: {number}")
    assert text != CONFIG
    for result in lint(text):
        (finding,) = [one for one in result.findings if f'"{key}"' in one.message and one.level is Level.FAIL]
        assert finding.rule == RULE
        assert "and no run takes more than" in finding.message
        assert result.source.text[finding.spans[0].start :].startswith(number)
        assert finding.level is Level.FAIL
        assert not [one for one in result.findings if one.rule == "network-arguments"]
        assert result.facts.memory is result.facts.time is result.facts.host is None
        assert "and no run takes more than" in result.facts.missing["memory"]


@pytest.mark.parametrize("number", ["1000000000001", "99999999999999999999"])
@pytest.mark.parametrize("written", ["total_iter: 1000", "dataset_enlarge_ratio: 1"])
def test_a_run_without_an_end_is_a_remark_and_its_memory_is_judged(written, number):
    for result in lint(CONFIG.replace(written, f"{written.partition(':')[0]}: {number}")):
        (finding,) = [one for one in result.findings if one.rule == RULE]
        assert finding.level is Level.WARN
        assert RULE not in result.facts.missing.get("memory", "")


def test_never_to_save_is_written_with_any_number():
    for result in lint(
        CONFIG.replace("save_checkpoint_freq: 100", "save_checkpoint_freq: 99999999999999999999")
    ):
        assert not [one for one in result.findings if one.rule in (RULE, "wrong-type")]


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan", "-5", "0"])
@pytest.mark.parametrize("written", ["gt_size: 128", "queue_size: 8", "batch_size_per_gpu: 8"])
def test_what_is_no_count_is_wrong_at_its_place(written, number):
    name = written.partition(":")[0]
    for result in lint(CONFIG.replace(written, f"{name}: {number}")):
        assert [one for one in result.findings if name in one.message]


@pytest.mark.parametrize(
    ("written", "number"),
    sampled([("batch_size_per_gpu: 8", 9_999_999), ("queue_size: 8", 99_999_999), ("num_gpu: 1", 99_999)], 1),
)
def test_the_largest_numbers_that_are_taken_are_judged(written, number):
    text = (resource("schemas").parent / "examples" / "realesrgan_x4.yml").read_text()
    name = written.partition(":")[0]
    text = re.sub(rf"^(\s*){name}: \S+", rf"\g<1>{name}: {number}", text, count=1, flags=re.MULTILINE)
    for result in lint(text):
        memory = result.facts.memory
        assert memory is None or all(gpu.least >= gpu.allocated + gpu.context for gpu in memory.gpus)
        assert (memory is None) == ("memory" in result.facts.missing)


@pytest.mark.rest
def test_multiples_builds_no_more_than_is_tried():
    assert len(multiples(1, 2**62)) == MOST_MULTIPLES
    assert multiples(7, 20) == [7, 14]
    assert Expression("multiples(1, 99999).filter(n, n > 3).size()", frozenset())({}) == MOST_MULTIPLES - 3
