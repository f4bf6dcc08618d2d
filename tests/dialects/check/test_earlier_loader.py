# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers of LLaMA-Factory's files: quoted ones are text to every release, 1e-4 to those before 0.9.4.

Each was tried with 0.9.1 (transformers 4.46.1) and 0.9.5 (transformers 5.6.0): a step of a small model.
"""

from __future__ import annotations

import pytest

from tests.dialects.shipped.dialect_jobs import dialects
from trainlint.dialects import normalise
from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source

FILE = """
model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
template: qwen3
dataset: identity
output_dir: out
"""


def first(path, text):
    path.write_text(text)
    dialect = next(dialect for dialect in dialects() if dialect.id == "llamafactory")
    return normalise(read(load_source(str(path)))[0], dialect)[0]


def problems(tmp_path, more):
    job = first(tmp_path / "lora.yaml", FILE + more)
    return [(p.rule, ".".join(map(str, p.path)), p.harmless, p.suggestion) for p in job.problems]


@pytest.mark.parametrize(
    ("key", "text", "better"),
    [
        ("per_device_train_batch_size", "4", "4"),
        ("gradient_accumulation_steps", "8", "8"),
        ("cutoff_len", "1024", "1024"),
        ("learning_rate", "1e-4", "1.0e-4"),
        ("num_train_epochs", "3.0", "3.0"),
        ("lora_rank", "8", "8"),
        ("save_steps", "500", "500"),
        ("max_samples", "1000", "1000"),
    ],
)
def test_a_number_in_quotes_stops_the_run(tmp_path, key, text, better) -> None:
    assert problems(tmp_path, f'{key}: "{text}"\n') == [("wrong-type", key, False, better)]
    assert problems(tmp_path, f"{key}: {better}\n") == []


@pytest.mark.parametrize("more", ['per_device_eval_batch_size: "4"\n', 'ddp_timeout: "1800"\n'])
def test_one_that_such_a_run_may_not_compute_with_is_a_warning(tmp_path, more) -> None:
    assert [harmless for _, _, harmless, _ in problems(tmp_path, more)] == [True]


def test_ranks_and_lengths_that_are_not_used_are_none_of_its_business(tmp_path) -> None:
    assert problems(tmp_path, 'finetuning_type: full\nlora_rank: "8"\n') == []
    assert problems(tmp_path, 'tokenized_path: data\ncutoff_len: "8"\n') == []


def test_a_switch_in_quotes_counts_as_true(tmp_path) -> None:
    assert problems(tmp_path, 'bf16: "true"\n') == []
    assert problems(tmp_path, 'bf16: "false"\n')[0][::2] == ("wrong-type", True)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", [("number-as-string", "learning_rate", True, "1.0e-4")]),
        ("llamafactory>=0.9.1", [("number-as-string", "learning_rate", True, "1.0e-4")]),
        ("llamafactory==0.9.1", [("number-as-string", "learning_rate", False, "1.0e-4")]),
        ("llamafactory<0.9.4", [("number-as-string", "learning_rate", False, "1.0e-4")]),
        ("llamafactory>=0.9.4", []),
    ],
)
def test_a_bare_exponent_is_text_to_releases_with_pyyaml(tmp_path, asked, found) -> None:
    (tmp_path / "requirements.txt").write_text(asked + "\n")
    assert problems(tmp_path, "learning_rate: 1e-4\n") == found
    assert problems(tmp_path, "learning_rate: 1.0e-4\n") == []


def test_json_has_no_such_numbers(tmp_path) -> None:
    text = '{"model_name_or_path": "a/b", "stage": "sft", "do_train": true, "learning_rate": 1e-4}'
    job = first(tmp_path / "a.json", text)
    assert not [p for p in job.problems if p.path == ("learning_rate",)]


def test_a_command_s_words_are_converted(tmp_path) -> None:
    text = "llamafactory-cli train --stage sft --model_name_or_path a/b --learning_rate 1e-4\n"
    job = first(tmp_path / "a.sh", text)
    assert not [p for p in job.problems if p.path == ("learning_rate",)]
    assert job.spec["optimizers"][0]["lr"] == 1e-4
