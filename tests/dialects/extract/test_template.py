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


FACTORY = """\
model_name_or_path: Qwen/Qwen2.5-0.5B
stage: sft
do_train: true
finetuning_type: lroa
dataset: alpaca
template: qwen
output_dir: out
max_steps: 10
warmup_steps: 50
"""
AXOLOTL = CONFIG.replace("LATER", "maybe") + "max_steps: 10\nwarmup_steps: 50\n"


@pytest.mark.parametrize(
    ("text", "filled", "blank"),
    [
        (AXOLOTL, "datasets: [{path: data.jsonl, type: alpaca}]", "datasets:"),
        (FACTORY, "dataset: alpaca", "dataset:"),
    ],
    ids=["axolotl", "llamafactory"],
)
def test_what_a_program_fills_in_may_have_other_values_too(tmp_path, monkeypatch, text, filled, blank):
    monkeypatch.chdir(tmp_path)
    found = []
    for name, form in (("whole.yml", text), ("form.yml", text.replace(filled, blank))):
        (tmp_path / name).write_text(form, "utf-8")
        result = check(name, "rtx-3090", trace=False).results[0]
        found.append({(finding.rule, str(finding.level)) for finding in result.findings})
    assert ("warmup-beyond", "fail") in found[0]
    assert found[1] == {("wrong-value", "warn")}
    assert "a program fills it in" in result.skips[0].reason


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
