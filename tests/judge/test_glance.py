# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An edited text that is judged quickly and then wholly is normalised once; no other is mistaken for it."""

from __future__ import annotations

from msgspec.structs import replace

from trainlint.judge.proof import proven
from trainlint.normalise import glanced, jobs, load_dialects, normalise, recognise, trainer_of
from trainlint.read import formats, load_source, read
from trainlint.resources import PACKAGE

CONFIG = PACKAGE.parents[1] / "examples" / "msrresnet_x4.yml"


def test_a_document_is_normalised_once_for_both_judgements(monkeypatch):
    (document,) = read(load_source(str(CONFIG)))
    dialect = recognise(document, load_dialects())
    trainer = trainer_of(document, dialect, None)
    (job, *_) = normalise(document, dialect, trainer)
    edited = replace(document)
    work = []
    monkeypatch.setattr(jobs, "_jobs", lambda *args, of=jobs._jobs: work.append(1) or of(*args))
    found = glanced(edited, job)
    assert normalise(edited, dialect, trainer) is found
    assert len(work) == 1
    assert normalise(replace(document), dialect, trainer) is not found
    assert normalise(edited, dialect, replace(trainer, package="another")) is not found
    assert len(work) == 3


def test_a_file_is_not_read_again_to_be_held_against_its_edit(monkeypatch):
    work = []
    monkeypatch.setattr(formats, "_read", lambda source, of=formats._read: work.append(source) or of(source))
    source = load_source(str(CONFIG))
    (document,) = read(source)
    path = ("datasets", "train", "batch_size_per_gpu")
    old = document.places[path].value
    text = f"{source.text[: old.start]}3{source.text[old.end :]}"
    assert proven(document, text, {path: 3}, frozenset()) is not None
    assert proven(document, text, {path: 4}, frozenset()) is None
    assert [one.text for one in work] == [source.text, text, text]
    assert read(replace(source)) is not read(source)
