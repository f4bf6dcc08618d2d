# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program gives to classes of trl, peft and transformers, by the releases that it may run with."""

from __future__ import annotations

import json

import pytest

from trainlint.api import check
from trainlint.documents.call_signatures import releases_of, signature_of
from trainlint.model.verdict import Verdict

PROGRAM = """\
from peft import LoraConfig
from transformers import TrainingArguments
from trl import SFTConfig, SFTTrainer
"""


def findings(path, *rules):
    (results,) = (check(path, trace=False).results,)
    return {
        (finding.rule, finding.level, finding.message.partition(" (")[0].partition(",")[0])
        for result in results
        for finding in result.findings
        if finding.rule in (rules or ("other-release", "unknown-argument"))
    }


def written(folder, calls, pins=""):
    (folder / "train.py").write_text(PROGRAM + calls, "utf-8")
    if pins:
        (folder / "requirements.txt").write_text(pins, "utf-8")
    return folder / "train.py"


MOVED = 'SFTTrainer("Qwen/Qwen3-0.6B", SFTConfig("out", max_seq_length=512), tokenizer=tokenizer).train()\n'


@pytest.mark.parametrize(
    ("pin", "levels"),
    [
        ("trl", {Verdict.WARN}),
        ("trl>=0.12", {Verdict.WARN}),
        ("trl==0.24.0", {Verdict.FAIL}),
        ("trl==0.12.2", set()),
        ("trl<0.16", set()),
        ("trl==0.6.0", set()),
        ("trl @ git+https://github.com/huggingface/trl", {Verdict.WARN}),
    ],
)
def test_arguments_that_are_gone_are_weighed_by_what_is_asked_for(tmp_path, pin, levels) -> None:
    """A release that takes them all is silent, one that takes none a fail, and no pin at all a warning."""
    assert {level for _, level, _ in findings(written(tmp_path, MOVED, f"{pin}\n"))} == levels


def test_an_argument_of_a_later_release_is_refused_by_the_pinned_one(tmp_path) -> None:
    """eval_strategy came with transformers 4.41."""
    path = written(
        tmp_path,
        'SFTTrainer("Qwen/Qwen3-0.6B", TrainingArguments("out", eval_strategy="steps")).train()\n',
        "transformers==4.38.2\ntrl==0.8.6\n",
    )
    said = "TrainingArguments takes no argument eval_strategy before 4.41 of transformers"
    assert findings(path) == {("other-release", Verdict.FAIL, said)}


def test_a_name_that_no_release_has_is_a_fail_where_it_is_a_slip(tmp_path) -> None:
    """LoraConfig's rank is `r`: a warning that says so, as a later peft might have it."""
    path = written(
        tmp_path,
        'SFTTrainer("Qwen/Qwen3-0.6B", SFTConfig("out"), train_datset=data,\n'
        "    peft_config=LoraConfig(rank=8)).train()\n",
    )
    assert findings(path) == {
        (
            "unknown-argument",
            Verdict.FAIL,
            'SFTTrainer takes no argument "train_datset"; did you mean "train_dataset"?',
        ),
        ("unknown-argument", Verdict.WARN, 'LoraConfig takes no argument "rank"'),
    }


def test_a_pinned_peft_makes_it_a_fail(tmp_path) -> None:
    """No later release can come into what is pinned."""
    path = written(
        tmp_path,
        'SFTTrainer("Qwen/Qwen3-0.6B", SFTConfig("out"), peft_config=LoraConfig(rank=8)).train()\n',
        "peft==0.15.2\n",
    )
    assert findings(path) == {("unknown-argument", Verdict.FAIL, 'LoraConfig takes no argument "rank"')}


def test_a_checkout_of_the_library_decides_itself(tmp_path) -> None:
    """TRL's own examples run with the source that lies around them."""
    (tmp_path / "trl").mkdir()
    (tmp_path / "trl" / "__init__.py").write_text("", "utf-8")
    assert findings(written(tmp_path, MOVED)) == set()


def test_a_program_that_asks_for_the_release_is_not_held_against_any(tmp_path) -> None:
    """It may give each release its own arguments."""
    guarded = f"import trl\nif trl.__version__ < '0.16':\n    {MOVED}"
    assert findings(written(tmp_path, guarded, "trl==0.24.0\n")) == set()


@pytest.mark.parametrize("is_compact", [True, False])
def test_a_notebooks_own_lines_of_pip_are_read(tmp_path, is_compact) -> None:
    """They may go over several lines, and be in a cell that is no Python without them."""
    cells = ['!pip install --upgrade \\\n  "transformers==4.37.2" \\\n  "trl==0.7.11"\n', PROGRAM + MOVED]
    notebook = {
        "cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells],
        "nbformat": 4,
    }
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook, indent=None if is_compact else 1), "utf-8")
    said = {message for _, _, message in findings(path)}
    assert said == {"trl has no SFTConfig before 0.9"}
    path.write_text(path.read_text("utf-8").replace("0.7.11", "0.12.2"), "utf-8")
    assert findings(path) == set()


def test_the_table_has_what_wheels_have() -> None:
    """Three facts of release notes: TRL 0.20, transformers 4.41, peft 0.9."""
    config = signature_of("trl.SFTConfig")
    assert config is not None
    assert config.base is signature_of("transformers.TrainingArguments")
    order = releases_of("trl")
    assert max(config.taking("max_seq_length")) == order.index("0.19")
    assert min(config.base.taking("eval_strategy")) == releases_of("transformers").index("4.41")
    assert min(signature_of("peft.LoraConfig").taking("use_dora")) == releases_of("peft").index("0.9")
    assert signature_of("peft.PeftModel") is None


LLAMA = """\
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
evaluation_strategy: "no"
"""


@pytest.mark.parametrize(
    ("pins", "level"),
    [("", Verdict.WARN), ("transformers==4.46.3\n", None), ("transformers==4.57.1\n", Verdict.FAIL)],
)
def test_a_configs_keys_are_those_of_training_arguments(tmp_path, pins, level) -> None:
    """LLaMA-Factory's newest release asks for a transformers that has none of it."""
    (tmp_path / "a.yaml").write_text(LLAMA, "utf-8")
    (tmp_path / "requirements.txt").write_text(pins, "utf-8")
    gone = "takes no argument evaluation_strategy since 4.51 of transformers"
    said = f"TrainingArguments {gone}: it is eval_strategy there"
    assert findings(tmp_path / "a.yaml") == ({("other-release", level, said)} if level else set())


def test_a_key_that_later_releases_lost_stays_where_the_trainer_keeps_them_away(tmp_path) -> None:
    """logging_dir went with transformers 5.15, which no LLaMA-Factory up to 0.9.5 takes; TRL does."""
    (tmp_path / "a.yaml").write_text(LLAMA.replace('evaluation_strategy: "no"', "logging_dir: log"), "utf-8")
    assert findings(tmp_path / "a.yaml") == set()
    kept = LLAMA.replace('evaluation_strategy: "no"', "overwrite_output_dir: true")  # its own since 0.9.4
    (tmp_path / "a.yaml").write_text(kept, "utf-8")
    assert findings(tmp_path / "a.yaml") == set()
    trl = "model_name_or_path: Qwen/Qwen3-0.6B\ndataset_name: a/b\noutput_dir: out\nlora_r: 8\n"
    trl += "per_device_train_batch_size: 2\nmax_length: 512\nlogging_dir: log\n"
    (tmp_path / "sft.yaml").write_text(trl, "utf-8")
    assert {rule for rule, _, _ in findings(tmp_path / "sft.yaml")} == {"other-release"}


@pytest.mark.parametrize(
    ("template", "level"),
    [("qwen", None), ("lama3", Verdict.WARN), ("Llama3", Verdict.FAIL), ("our_own", Verdict.WARN)],
)
def test_a_template_that_no_release_registers(tmp_path, template, level) -> None:
    """LLaMA-Factory stops with "Template lama3 does not exist."; a fork may have it."""
    text = LLAMA.replace("qwen\n", f"{template}\n").replace('evaluation_strategy: "no"\n', "")
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    assert {level for _, level, _ in findings(tmp_path / "a.yaml", "misspelt-name")} == (
        {level} if level else set()
    )
