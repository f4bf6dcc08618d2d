# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Edits that fix a finding together, where none does alone: the fewest, and what all of them leave."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.judge.jobs import rules_of
from tests.judge.test_remedies import BATCH, HALF, TEXT, TWICE, budget, data, found, needing
from trainlint.config.edit import apply_edits
from trainlint.model.facts import Facts, Uncounted
from trainlint.model.job import Job

FREE = {"set": "doc.data.free", "try": "[true]", "note": "free"}
THRICE = {"set": "doc.data.thrice", "try": "[true]", "note": "much slower"}
EIGHT = TEXT.replace("24", "8")
SAVES = {"half": 0.5, "twice": 0.5, "thrice": 0.25, "free": 0.99}


def saving(job: Job) -> float:
    """5 GiB a sample, 41 in all; each edit takes its share of that away."""
    size = 5.0
    for name, share in SAVES.items():
        size *= share if data(job).get(name) else 1
    return size


def test_the_fewest_that_are_enough_the_cheapest_first() -> None:
    (fix,) = found(rules_of(vram=budget(FREE, HALF, TWICE, THRICE)), needing(saving), EIGHT).fixes
    after = apply_edits(EIGHT, fix.edits)
    assert [name for name in SAVES if f"{name}: true" in after] == ["half", "thrice"]
    assert "needs 6.00 to 6.50 GiB" in fix.summary


def test_three_at_once() -> None:
    text = TEXT.replace("24", "20")
    (fix,) = found(rules_of(vram=budget(HALF, TWICE, THRICE)), needing(saving), text).fixes
    after = apply_edits(text, fix.edits)
    assert [name for name in SAVES if f"{name}: true" in after] == ["half", "twice", "thrice"]


def test_a_batch_comes_as_near_as_it_may() -> None:
    def tall(job: Job) -> float:
        return 3.0 if data(job).get("half") else 8.0

    (fix,) = found(rules_of(vram=budget(HALF, BATCH)), needing(tall), EIGHT).fixes
    after = apply_edits(EIGHT, fix.edits)
    assert "half: true" in after
    assert "batch: 2" in after


def test_what_all_of_them_leave_where_that_is_too_much() -> None:
    text = TEXT.replace("24", "100")
    finding = found(rules_of(vram=budget(HALF, TWICE)), needing(saving), text)
    assert finding.fixes == ()
    assert finding.notes[0] == (
        "all edits together are not enough (needs 126.00 to 126.50 GiB, 375.00 less): "
        "add data.half: true, add data.twice: true"
    )


def test_what_an_edit_would_bring_is_said_and_the_others_are_tried_without_it() -> None:
    loading: dict[str, Any] = {
        "requires": ["doc.data.thrice"],
        "assert": "doc.data.thrice != true",
        "message": "loading takes too much",
    }
    finding = found(rules_of(vram=budget(HALF, THRICE), load=loading), needing(saving), EIGHT)
    assert finding.fixes == ()
    assert "an edit is refused, as then loading takes too much" in finding.notes
    assert any(note.startswith("all edits together") and "thrice" not in note for note in finding.notes)


def test_a_set_of_which_nothing_is_known_may_be_smaller_than_the_one_that_is_advised() -> None:
    def known(job: Job) -> Facts:
        alone = data(job).get("thrice") and not data(job).get("half")
        return Facts(missing={"memory": "nothing is stored"}) if alone else needing(saving)(job)

    (fix,) = found(rules_of(vram=budget(HALF, THRICE)), known, EIGHT).fixes
    assert fix.summary.endswith("; fewer may be enough: not all sets were judged, nothing is stored)")
    (fix,) = found(rules_of(vram=budget(HALF, THRICE)), needing(saving), EIGHT).fixes
    assert "fewer" not in fix.summary


def test_no_word_of_what_all_of_them_leave_where_that_is_not_known() -> None:
    def known(job: Job) -> Facts:
        return Facts(missing={"memory": "nothing is stored"}) if len(data(job)) > 3 else needing(saving)(job)

    finding = found(rules_of(vram=budget(HALF, TWICE)), known, TEXT.replace("24", "100"))
    assert finding.notes[0] == "what several edits together would leave is not known: nothing is stored"


def test_what_would_fit_with_a_term_that_is_not_known_is_not_called_too_little() -> None:
    """Without the term the edits are enough: whether they are with it is not known."""
    what = "copies of the gradients"

    def partly(job: Job) -> Facts:
        facts = needing(saving)(job)
        if len(data(job)) < 4:
            return facts
        return replace(facts, memory=replace(facts.memory, uncounted=(Uncounted(what, "more"),)))

    finding = found(rules_of(vram=budget(HALF, TWICE)), partly, TEXT.replace("24", "4"))
    assert finding.fixes == ()
    assert not any(note.startswith("all edits together") for note in finding.notes)
