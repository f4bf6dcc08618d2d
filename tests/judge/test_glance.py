# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An edited text that is judged quickly and then wholly is normalised once; no other is mistaken for it."""

from __future__ import annotations

from dataclasses import replace

from trainlint.normalise import glanced, jobs, load_dialects, normalise, recognise, trainer_of
from trainlint.read import load_source, read
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
