# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published files and commands: each in its dialect or in none, only true mistakes reported."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from trainlint.dialects import normalise, recognise
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source, source_of

from .dialect_jobs import dialects

EXPECTED = {
    "neosr": "neosr", "neosr-yaml": "neosr", "kair": "kair", "basicsr-legacy": "basicsr-legacy",
    "vae-json": "vae", "ldm": None, "flat-yaml": None,
}  # fmt: skip
SCRIPTS = {
    "train_vae.py": "vae", "train_CR_kaggle.py": "glfcr", "train_CR_net.py": "glfcr",
    "train_zoom23_autoencoder.py": "zoom23",
}  # fmt: skip
MISSING_HEADER = "neosr-project__neosr/options/train_dctlsa.toml"
"""Line 88: `[train.fdl_opt]` is missing above a second "type"."""


@pytest.fixture(scope="module")
def rows(shared):
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["dialect"] in EXPECTED]


OF_A_FORK = {"Corpsecreate__neosr/speed_test.yml", "Corpsecreate__neosr/train_2x.yml"}
"""They name a network of their own."""


@pytest.fixture(scope="module")
def documents(shared, rows):
    found = []
    for row in rows:
        if row["file"] != MISSING_HEADER:
            (document,) = read(load_source(str(shared / "corpus" / row["file"])))
            found.append((row, document))
    return found


def test_every_file_in_its_dialect(documents):
    wrong = [
        (row["file"], found and found.id)
        for row, document in documents
        if (found.id if (found := recognise(document, dialects())) else None) != EXPECTED[row["dialect"]]
    ]
    assert wrong == []
    assert Counter(row["dialect"] for row, _ in documents) == {
        "neosr": 135, "neosr-yaml": 6, "kair": 35, "basicsr-legacy": 8, "vae-json": 2, "ldm": 30,
        "flat-yaml": 6,
    }  # fmt: skip


def test_no_problem_in_files_that_ran(documents):
    told = []
    for row, document in documents:
        dialect = recognise(document, dialects())
        for made in normalise(document, dialect) if dialect else ():
            told += [(row["file"], p.rule, p.message) for p in made.problems if p.rule != "unused-key"]
    assert {file for file, *_ in told} <= OF_A_FORK
    assert {rule for _, rule, _ in told} <= {"misspelt-name"}


def test_fields_agree_with_the_index(documents):
    names = {
        "gt_size": "crop.hr",
        "total_iter": "duration.iterations",
        "scale": "scale",
        "network_g": "networks.generator.arch",
    }
    wrong = []
    for row, document in documents:
        dialect = recognise(document, dialects())
        if row["dialect"] not in {"neosr", "neosr-yaml", "basicsr-legacy"} or dialect is None:
            continue
        spec = normalise(document, dialect)[0].spec
        for column, name in names.items():
            if row[column] and str(spec.get(name)) != row[column]:
                wrong.append((row["file"], column, row[column], spec.get(name)))
    assert wrong == []


def test_the_missing_header_is_an_error_on_its_line(shared):
    with pytest.raises(UnreadableError) as error:
        read(load_source(str(shared / "corpus" / MISSING_HEADER)))
    assert error.value.line == 88


def test_commands_in_their_dialect(shared):
    with (shared / "corpus" / "commands.csv").open(encoding="utf-8") as file:
        commands = [row["cmd"].removeprefix("! ") for row in csv.DictReader(file)]
    counts = Counter()
    for text in commands:
        script = next((name for name in SCRIPTS if name in text), None)
        if script is None or text.startswith(("#", "echo")) or "--help" in text:
            continue
        for document in read(source_of((text + "\n").encode(), "run.sh")):
            found = recognise(document, dialects())
            assert found is not None, text
            assert found.id == SCRIPTS[script], text
            counts[found.id] += 1
    assert counts["vae"] >= 20
    assert counts["glfcr"] == 4
    assert counts["zoom23"] == 2


def test_other_scripts_are_in_none_of_these(shared):
    ours = {*SCRIPTS.values(), "timm", "trainlint"}
    with (shared / "corpus" / "commands.csv").open(encoding="utf-8") as file:
        commands = [row["cmd"] for row in csv.DictReader(file)]
    for text in commands:
        if any(name in text for name in SCRIPTS):
            continue
        try:
            found = [
                recognise(document, dialects())
                for document in read(source_of((text + "\n").encode(), "run.sh"))
            ]
        except UnreadableError:
            continue
        assert not {dialect.id for dialect in found if dialect} & ours, text
