# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published option files: all recognised, and only true mistakes reported."""

from __future__ import annotations

import csv

import pytest

from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source

KNOWN = {
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final.yml", 6, "unknown-key"),
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final_t_x4.yml", 6, "unknown-key"),
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final_x4.yml", 6, "unknown-key"),
    ("Weepingchestnut__LbasicSR/options/train/EDVR/train_EDVR_L_x2_SR_Vimeo90K.yml", 102, "wrong-type"),
    (
        "Weepingchestnut__LbasicSR/options/train/EDVR/train_EDVR_saup_L_SR_Vimeo90K_asBI.yml",
        155,
        "wrong-type",
    ),
    ("denix56__Real-ESRGAN/options/train_realesrgan_x4plus.yml", 2, "missing-key"),
    ("YingqiLiulll__BasicSR-master/options/train/SwinIR/train_SwinIR_SRx4_scratch.yml", 35, "missing-key"),
    ("YingqiLiulll__BasicSR-master/options/train/SwinIR/train_SwinIR_SRx4_scratch.yml", 36, "missing-key"),
}
"""Read and judged one by one: a misspelt seed, `ture` for true, a `path` that is commented out, and roots of
the validation set written dataroot_GT and dataroot_LQ, which its own dataset reads in lower case."""


FORKS = ("misspelt-name", "unused-key", "unknown-argument")
"""Warnings: a fork's own classes, its own arguments, and keys that only it reads."""


@pytest.fixture(scope="module")
def corpus(shared):
    found = []
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not row["file"].endswith((".yml", ".yaml")):
                continue
            try:
                documents = read(load_source(str(shared / "corpus" / row["file"])))
            except UnreadableError:
                continue
            found += [(row["file"], row["dialect"], document) for document in documents]
    return found


def test_every_basicsr_file_and_no_other_is_recognised(corpus):
    dialects = load_dialects()
    wrong = []
    for file, dialect, document in corpus:
        found = recognise(document, dialects)
        if (dialect == "basicsr") != (found is not None and found.id == "basicsr"):
            wrong.append((file, dialect, found and found.id))
    assert wrong == []
    assert sum(dialect == "basicsr" for _, dialect, _ in corpus) == 342


@pytest.mark.rest
def test_only_true_mistakes_are_reported(corpus, basicsr):
    found = set()
    for file, dialect, document in corpus:
        if dialect == "basicsr":
            for problem in normalise(document, basicsr)[0].problems:
                place = document.nearest(problem.path)
                span = place.key if problem.on_key and place.key else place.value
                if problem.rule in FORKS:
                    continue
                found.add((file, document.source.position(span.start)[0], problem.rule))
    assert found == KNOWN


@pytest.mark.rest
def test_memory_fields_of_every_file(corpus, basicsr):
    bare = 0
    for file, dialect, document in corpus:
        if dialect == "basicsr":
            spec = normalise(document, basicsr)[0].spec
            for name in (
                "networks.generator.arch",
                "networks.generator.args",
                "optimizers",
                "duration.iterations",
            ):
                assert name in spec, (file, name)
            bare += "crop.hr" not in spec or "batch.per_gpu" not in spec
    assert bare < 342 * 0.15
