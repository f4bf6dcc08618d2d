# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run keeps of the files that it has read."""

from __future__ import annotations

import gc
from itertools import islice

import pytest
from msgspec import field

from trainlint.estimate.replay import gpu_ledger
from trainlint.estimate.replay.gpu_ledger import LEDGERS, Ledger
from trainlint.estimate.tapes import kept_tapes
from trainlint.estimate.tapes.kept_tapes import TAPES
from trainlint.estimate.tapes.stored_profiles import Store, shipped_folder
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.document import Source
from trainlint.report import json_version_1
from trainlint.report.formats import text
from trainlint.report.style import Style
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape.encoding import decode

GOOD = "trainlint: 1\nname: small\nmodel: RRDBNet\n"
BAD = GOOD + "batch: 0\n"


def test_a_report_keeps_no_documents_and_only_the_texts_that_it_quotes():
    settings = Settings()
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))
    sources = [Source(f"{number}.yml", BAD if number % 2 else GOOD) for number in range(4)]
    report = lint_all(pipeline, sources, lambda _: None)
    assert len(report.results) == 4
    for result in report.results:
        assert result.origin is not None
        assert result.origin.value is None
        assert not result.origin.places
        assert bool(result.source.text) == bool(result.findings)
    assert any(result.findings for result in report.results)
    assert "batch: 0" in text.render(report, Style(verbose=True))
    assert '"column": 8' in json_version_1.render(report, Style())


def test_what_files_have_alike_is_kept_once():
    """It took most of the 7 KiB by which a run grew with each file."""
    settings = Settings().with_options(target=("kaggle-t4x2",))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))
    sources = [Source(f"{number}.yml", GOOD) for number in range(3)]
    first, *others = lint_all(pipeline, sources, lambda _: None).results
    assert first.skips
    assert all(result.skips is first.skips for result in others)
    assert all(result.launcher is first.launcher for result in others)


def test_the_tape_that_was_used_last_is_kept_the_longest():
    """Tapes of two steps by turns, with others between: the first was read again each time."""
    store = _Counting(shipped_folder(), "shipped")
    tapes = TapeSource([store], may_trace=False, most=3)
    first, *others = [found.step for found in _shipped(8)]
    for other in others:
        tapes.tape(first)
        tapes.tape(other)
    assert store.read.count(tapes.tape(first).key) == 1


def test_large_tapes_and_ledgers_go_sooner(monkeypatch):
    monkeypatch.setattr(kept_tapes, "EVENTS", 100)
    monkeypatch.setattr(gpu_ledger, "EVENTS", 100)
    tapes = TapeSource([Store(shipped_folder(), "shipped")], may_trace=False, most=TAPES)
    for found in _shipped(8):
        gpu_ledger.ledger(tapes.tape(found.step))
    assert len(tapes.used()) == kept_tapes.JOB
    assert len(gpu_ledger._LEDGERS) == gpu_ledger.READING


class _Counting(Store):
    """Profiles; notes the keys of those that are looked for."""

    read: list[str] = field(default_factory=list)

    def find(self, key, batch, *, strict=False):
        self.read.append(key)
        return super().find(key, batch, strict=strict)


def _shipped(count):
    """Return tapes of so many steps, of every batch."""
    tapes = (decode(path.read_bytes()) for path in sorted(shipped_folder().glob("*.tape")))
    return islice((tape for tape in tapes if not tape.batches), count)


@pytest.mark.rest
def test_a_run_keeps_the_last_tapes_and_ledgers_alone():
    """Every size of image has a tape of its own: sixty once took 550 MB, and none was ever given back."""
    settings = Settings().with_options(target=("kaggle-t4x2",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    command = "python train_vae.py --data_path a --image_size {}\n"
    page = Source("a.sh", "".join(command.format(256 + 32 * at) for at in range(TAPES + LEDGERS)))
    gc.collect()
    before = {id(one) for one in gc.get_objects() if isinstance(one, Ledger)}
    report = lint_all(pipeline_for(settings, tapes), [page], lambda _: None)
    assert sum("memory" in result.verdicts for result in report.results) == TAPES + LEDGERS
    assert len(tapes.used()) <= TAPES
    gc.collect()
    new = [one for one in gc.get_objects() if isinstance(one, Ledger) and id(one) not in before]
    assert len(new) <= LEDGERS + 8  # of which eight may still be replayed (estimate/replay/batch_attempts.py)
