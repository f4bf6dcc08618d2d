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


def found_in(path: str, text: str) -> list[Finding]:
    estimator = Estimator(lambda *_, **__: None)  # type: ignore[arg-type, return-value]  # never called
    judge = JobJudge(rules=load_rules(), estimator=estimator)
    pipeline = Pipeline(reader=JobReader(dialects=load_dialects()), judge=judge)
    results = pipeline.lint_source(Source(path, text), named=True)
    return [finding for result in results for finding in result.findings]


def missing(path: str, text: str) -> list[Finding]:
    return [finding for finding in found_in(path, text) if finding.rule == "missing-key"]


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


def test_a_page_is_given_to_no_loader_of_json() -> None:
    page = f"[![badge](https://a.example/b.svg)](c)\n\n```json\n{BLOCK}```\n"
    assert [one.message.partition(":")[0] for one in missing("README.md", page)] == ["part of a config"]
    assert "unreadable" not in {finding.rule for finding in found_in("README.md", page)}


LINES = """\
lq_size: 96
batch_size_per_gpu: 8
num_worker_per_gpu: 4
use_hflip: false
accum_iter: 2
"""


def test_keys_of_a_part_may_belong_further_in_and_only_what_belongs_nowhere_is_unknown() -> None:
    page = f"```yaml\n{LINES}```\n"
    assert {finding.rule for finding in found_in("README.md", page)} == {"missing-key"}
    page = f"```yaml\n{LINES}wave_size: 3\n```\n"
    unknown = {finding.message for finding in found_in("README.md", page) if finding.rule == "unknown-key"}
    assert ['"wave_size"' in message and "lq_size" not in message for message in unknown] == [True]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (LINES, 'these 5 keys belong under "datasets: train:"; "name"'),
        (f"{LINES}wave_size: 3\n", 'part of a config: "name"'),
    ],
)
def test_where_the_keys_of_a_part_belong_is_said_where_the_schema_has_all_of_them(lines, said) -> None:
    found = missing("README.md", f"```yaml\n{lines}```\n")
    assert any(said in finding.message for finding in found)
