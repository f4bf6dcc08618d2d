# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Samples of text below --data: how many, how long, and what a shorter length cuts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainlint.data_headers import Look
from trainlint.data_headers.tokenizer_file import token_counts
from trainlint.documents.file_format import read
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.text_source import source_of
from trainlint.judge.fixes.effects import samples_cut
from trainlint.model.job import Job
from trainlint.model.spec import TrainSpec, Value
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

FACTORY: dict[str, Any] = {
    "model_name_or_path": "models/own", "stage": "sft", "do_train": True, "finetuning_type": "lora",
    "template": "llama3", "dataset": "mine", "cutoff_len": 2048, "output_dir": "out",
}  # fmt: skip
AXOLOTL: dict[str, Any] = {
    "base_model": "models/own", "datasets": [{"path": "mine.jsonl", "type": "chat_template"}],
    "sequence_len": 2048, "micro_batch_size": 1, "gradient_accumulation_steps": 1, "learning_rate": 1e-4,
    "num_epochs": 1,
}  # fmt: skip


def seen(config: dict[str, Any], root: Path) -> dict[str, Any]:
    (document,) = read(source_of(yaml.safe_dump(config).encode(), "config.yaml"))
    job: Job = pipeline_for(Settings(), TapeSource(may_trace=False)).jobs(document)[0]
    return Look(root).values(job)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    samples = [{"instruction": "a " * n, "output": "b"} for n in range(1, 101)]
    (tmp_path / "data" / "mine.json").write_text(json.dumps(samples))
    info = {"mine": {"file_name": "mine.json"}, "far": {"hf_hub_url": "a/b"}, "one": {"file_name": "x.json"}}
    (tmp_path / "data" / "dataset_info.json").write_text(json.dumps(info))
    message = {"messages": [{"role": "user", "content": "a b"}, {"role": "assistant", "content": "a"}]}
    (tmp_path / "mine.jsonl").write_text(f"{json.dumps(message)}\n\n{json.dumps(message)}\n")
    return tmp_path


def test_the_folder_of_the_samples_itself_may_be_named(root: Path) -> None:
    assert seen(FACTORY, root / "data") == {"samples": 100}
    (root / "data" / "own.jsonl").write_bytes((root / "mine.jsonl").read_bytes())
    own = AXOLOTL | {"datasets": [{"path": "./data/own.jsonl", "type": "chat_template"}]}
    assert seen(own, root / "data") == seen(own, root) == {"samples": 2}


def test_why_no_samples_were_counted_is_said(root: Path) -> None:
    other = root / "other"
    other.mkdir()
    assert seen(FACTORY, other) == {"uncounted": f'no file "data/dataset_info.json" is below "{other}"'}
    assert seen(AXOLOTL, other) == {"uncounted": f'no file "mine.jsonl" is below "{other}"'}
    elsewhere = "the config takes samples from files in a way that is not counted"
    assert seen(FACTORY | {"dataset": "far"}, root) == {"uncounted": elsewhere}


def test_samples_are_counted_as_their_trainers_find_them(root: Path) -> None:
    assert seen(FACTORY, root) == {"samples": 100}
    assert seen(FACTORY | {"val_size": 0.1}, root) == {"samples": 90}
    assert seen(FACTORY | {"dataset": "mine,mine"}, root) == {"samples": 200}
    assert seen(FACTORY | {"dataset": "mine,mine", "max_samples": 10}, root) == {"samples": 20}
    assert seen(FACTORY | {"max_samples": 1000}, root) == {"samples": 100}
    assert seen(AXOLOTL, root) == {"samples": 2}
    os.utime(root / "mine.jsonl", (1, 1))
    assert seen(AXOLOTL, root) == {"samples": 2}


@pytest.mark.parametrize(
    "config",
    [
        FACTORY | {"dataset": "mine,far"},
        FACTORY | {"dataset": "one"},
        FACTORY | {"dataset": "no_such"},
        FACTORY | {"max_samples": "10 or so"},
        FACTORY | {"packing": True},
        FACTORY | {"dataset_dir": "elsewhere"},
        AXOLOTL | {"datasets": [{"path": "tatsu-lab/alpaca", "type": "alpaca"}]},
        AXOLOTL | {"datasets": [{"path": "mine.jsonl", "split": "train[:5]", "type": "alpaca"}]},
        AXOLOTL | {"datasets": [{"path": "link.jsonl", "type": "alpaca"}]},
    ],
)
def test_what_is_not_all_there_is_not_counted(root: Path, config: dict[str, Any]) -> None:
    (root / "link.jsonl").symlink_to("mine.jsonl")
    (root / "data" / "x.json").write_text('[{"instruction": "a"}, 3]')
    assert "samples" not in seen(config, root)


def test_tokens_that_a_tokenizer_has_not(root: Path) -> None:
    trl = {
        "model_name_or_path": "models/own", "dataset_name": "a/b", "max_length": 8, "learning_rate": 1e-4,
        "eos_token": "<end>", "pad_token": "<pad>",
    }  # fmt: skip
    assert seen(trl, root) == {"uncounted": "samples are counted for LLaMA-Factory and axolotl alone"}
    (root / "models" / "own").mkdir(parents=True)
    file = root / "models" / "own" / "tokenizer.json"
    file.write_text(json.dumps({"added_tokens": [{"content": "<pad>"}], "model": {"vocab": {"a": 0}}}))
    assert seen(trl, root)["tokens_lacking"] == ["<end>"]
    file.write_text(json.dumps({"added_tokens": [], "model": {"vocab": [["<end>", 0.1], ["<pad>", 0.2]]}}))
    assert seen(trl, root)["tokens_lacking"] == []
    file.write_text("[" * 100_000)
    assert seen(trl, root) == {"uncounted": "samples are counted for LLaMA-Factory and axolotl alone"}


@pytest.mark.rest
def test_tokens_are_counted_where_a_tokenizer_is_and_its_library(root: Path) -> None:
    pytest.importorskip("tokenizers")
    (root / "tokenizer.json").write_text(
        json.dumps({
            "version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None, "decoder": None,
            "truncation": None, "padding": None, "pre_tokenizer": {"type": "Whitespace"},
            "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "?": 2}, "unk_token": "?"},
        })
    )  # fmt: skip
    assert seen(FACTORY, root)["tokens"] == list(range(2, 102))
    assert seen(AXOLOTL, root)["tokens"] == [3, 3]
    assert token_counts("{}", [["a"]]) is None


def _length(tokens: int) -> TrainSpec:
    return TrainSpec({"sequence.length": Value(tokens, (), "written")})


def test_an_edit_says_the_share_that_is_longer() -> None:
    looked = {"tokens": list(range(2, 102)), "texts": 100}
    assert (
        samples_cut(looked, _length(512), _length(64)) == "37% of 100 samples are longer by their own words"
    )
    assert samples_cut(looked, _length(512), _length(256)) == "no sample is longer by its own words"
    many = {"tokens": [*range(999), 5_000], "texts": 50_000}
    longer = samples_cut(many, _length(8192), _length(4096))
    assert longer.startswith("about 0.1% of 50,000 samples are longer")
    assert samples_cut({"texts": 5}, _length(512), _length(64)) == ""
    assert samples_cut(looked, _length(64), _length(512)) == ""
