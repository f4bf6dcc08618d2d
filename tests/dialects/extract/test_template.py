# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A config with names of variables in place of values: nothing is wrong with what is not filled in yet."""

from __future__ import annotations

import pytest

from trainlint.api import check

CONFIG = """\
base_model: NousResearch/Llama-3.2-1B
datasets: [{path: data.jsonl, type: alpaca}]
output_dir: out
sequence_len: 512
micro_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 0.0002
load_in_4bit: LATER
adapter: qlora
"""


@pytest.mark.parametrize(
    ("value", "rules"),
    [("${LOAD_IN_4BIT}", set()), ("'{{ bits }}'", set()), ("'$LOAD'", {"wrong-value", "qlora-bits"})],
)
def test_a_placeholder_is_none_of_a_value(tmp_path, monkeypatch, value, rules):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(CONFIG.replace("LATER", value), "utf-8")
    results = check("a.yml", "rtx-3090", trace=False).results
    assert results
    assert {finding.rule for result in results for finding in result.findings} == rules
