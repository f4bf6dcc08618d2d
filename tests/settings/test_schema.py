# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The settings' JSON Schema takes what the settings take, and refuses what they refuse."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from trainlint.documents.discover import OWN_FILES
from trainlint.errors import UsageError
from trainlint.settings.settings_file import load_settings
from trainlint.settings.settings_keys import KINDS
from trainlint.settings.settings_schema import SHAPES, schema

DOCS = Path(__file__).resolve().parents[2] / "docs"
GOOD = (
    'target = "rtx-3060"', 'target = ["rtx-3060", "h200"]', 'fail-on = "warn"', "strict = true",
    "seconds-per-iteration = 0.5", "validation-size = [1356, 2040]", "dataset-size = 800",
    "context = {rtx-3060 = 300}", 'select = ["vram-budget"]', 'levels = {session-budget = "warn"}',
    'per-file-ignores = {"a/*.yml" = "crop-over-400", "b.yml#/train/gt_size" = ["crop-over-400"]}',
    'launcher = "torchrun:4"', 'files = [{match = "a*", target = "h200", gpu-count = 2}]',
)  # fmt: skip
BAD = (
    "tarGet = 1", 'fail-on = "never"', "strict = 1", "seconds-per-iteration = 0", "validation-size = [1]",
    "dataset-size = 0.5", 'levels = {session-budget = "hard"}', 'levels = "warn"',
    'per-file-ignores = ["x"]', 'per-file-ignores = {"#/a" = "x"}', 'per-file-ignores = {"a#b" = "x"}',
    'files = [{target = "h200"}]', 'files = [{match = "a", strict = true}]',
)  # fmt: skip


def test_it_has_every_key() -> None:
    assert set(SHAPES) == set(KINDS)
    Draft7Validator.check_schema(schema())


@pytest.mark.parametrize("text", GOOD)
def test_it_takes_what_the_settings_take(tmp_path, text) -> None:
    (tmp_path / "trainlint.toml").write_text(text)
    load_settings(tmp_path, tmp_path / "none")
    assert list(Draft7Validator(schema()).iter_errors(tomllib.loads(text))) == []


@pytest.mark.parametrize("text", BAD)
def test_it_refuses_what_they_refuse(tmp_path, text) -> None:
    (tmp_path / "trainlint.toml").write_text(text)
    with pytest.raises(UsageError):
        load_settings(tmp_path, tmp_path / "none")
    assert list(Draft7Validator(schema()).iter_errors(tomllib.loads(text)))


def test_the_entry_for_schemastore_names_what_the_site_has() -> None:
    entry = json.loads((DOCS / "github" / "schemastore.json").read_text(encoding="utf-8"))
    assert entry["url"] == schema()["$id"]
    assert json.loads((DOCS / Path(entry["url"]).name).read_text(encoding="utf-8")) == schema()
    assert entry["fileMatch"] == sorted(OWN_FILES)


def test_the_page_names_every_key_and_its_example_is_valid(tmp_path) -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    assert all(f"| `{key}`" in text for key in KINDS)
    example = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))
    (tmp_path / "trainlint.toml").write_text(example)
    load_settings(tmp_path, tmp_path / "none")
    assert list(Draft7Validator(schema()).iter_errors(tomllib.loads(example))) == []
