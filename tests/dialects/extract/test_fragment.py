# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A page may show a part of a config: what that lacks is no fail, since nobody need run it as it is."""

from __future__ import annotations

import pytest

from trainlint.dialects import load_dialects
from trainlint.judge import load_rules
from trainlint.model.document import Source
from trainlint.model.finding import Finding, Level
from trainlint.pipeline.pipeline import Estimator, JobJudge, JobReader, Pipeline

BLOCK = """\
{
  "task": "sr", "model": "plain", "scale": 2, "gpu_ids": [0],
  "datasets": {
    "train": {"name": "a", "dataroot_H": "hr", "H_size": 96, "dataloader_batch_size": 4}
  },
  "netG": {"net_type": "swinir", "upscale": 2, "in_chans": 3, "img_size": 64, "window_size": 8}
}
"""


def missing(path: str, text: str) -> list[Finding]:
    estimator = Estimator(lambda *_, **__: None)  # type: ignore[arg-type, return-value]  # never called
    judge = JobJudge(rules=load_rules(), estimator=estimator)
    pipeline = Pipeline(reader=JobReader(dialects=load_dialects()), judge=judge)
    results = pipeline.lint_source(Source(path, text), named=True)
    return [one for result in results for one in result.findings if one.rule == "missing-key"]


@pytest.mark.parametrize(
    ("path", "before", "after", "level"),
    [("README.md", "```json\n", "```\n", Level.WARN), ("a.json", "", "", Level.FAIL)],
)
def test_what_a_pages_block_lacks_is_a_warning(path, before, after, level) -> None:
    found = missing(path, f"{before}{BLOCK}{after}")
    assert found
    assert {one.level for one in found} == {level}
    said = [one.message for one in found]
    assert any("part of a config" in text for text in said) is (level is Level.WARN)
