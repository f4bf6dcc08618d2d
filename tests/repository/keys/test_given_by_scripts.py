# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys that a script gives next to an option file."""

from __future__ import annotations

import pytest

from trainlint.api import check
from trainlint.repository.keys.given_by_scripts import given_by_script


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("train configs/own.yaml model=a/b", "jobs/own.sh:1"),
        ("train own.yaml \\\n    --model a/b", "jobs/own.sh:2"),
        ("train own.yaml --base_model a/b", None),
        ("train --model a/b other.yaml", None),
        ("train model=a own.yaml", None),
        ("run(['train', 'own.yaml', '--model', 'a'])", "jobs/own.sh:1"),
    ],
)
def test_what_comes_after_the_file_completes_it(tmp_path, script, place):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/own.sh").write_text(f"{script}\n", "utf-8")
    assert given_by_script(tmp_path, "configs/own.yaml", "model") == place


STARTS = '{"args": ["-m", "axolotl.cli.train", "own.yaml", %s]}'


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ('"--batch_size=1"', ".vscode/launch.json:1"),
        ('"--batch_size", "1"', ".vscode/launch.json:1"),
        ('"--val_set_size=0"', None),
    ],
)
def test_what_an_editor_starts_completes_a_file(tmp_path, given, place):
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode/launch.json").write_text(STARTS % given, "utf-8")
    assert given_by_script(tmp_path, "dev/own.yaml", "micro_batch_size", "batch_size") == place


AXOLOTL = """\
base_model: Qwen/Qwen3-4B
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
micro_batch_size: 1
learning_rate: 0.0002
"""


@pytest.mark.parametrize(("given", "level"), [('"--batch_size=1"', "warn"), ('"--max_steps=1"', "fail")])
def test_a_rule_of_keys_holds_where_no_script_gives_one_of_them(tmp_path, monkeypatch, given, level):
    monkeypatch.chdir(tmp_path)
    for folder in (".git", ".vscode"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".vscode/launch.json").write_text(STARTS % given, "utf-8")
    (tmp_path / "own.yaml").write_text(AXOLOTL, "utf-8")
    result, *_ = check("own.yaml", "rtx-3090", trace=False).results
    said = {finding.rule: finding for finding in result.findings}["batch-fields"]
    assert (str(said.level), "launch.json:1 may give" in said.message) == (level, level == "warn")
