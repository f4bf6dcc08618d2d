# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is offered where memory does not suffice: each edit measured, two at once, or the card to look for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from trainlint.config.edit import apply_edits
from trainlint.model.facts import Facts, GpuMemory, Limits, Memory
from trainlint.model.finding import Finding
from trainlint.model.job import Job
from trainlint.model.target import Gpu, Target

from .jobs import judged, rules_of

GIB = 2**30
CARD = Gpu("card", "Card", 8 * GIB, 0, 9.0, 10, 1e12, 1e13, 0, 0, 0, False, "11.0", None, "none")
MACHINE = Target("machine", CARD, 1)
TEXT = "pool: 180\ndata:\n  batch: 24\n  crop: 64\n"

BATCH = {"set": "spec.batch.per_gpu", "try": "multiples(1, facts.memory.largest_batch)", "note": "less"}
EVEN = {
    "set": "spec.batch.per_gpu",
    "try": "divisors(spec.batch.per_gpu).filter(b, b <= facts.memory.largest_batch)",
    "also": {"doc.data.accumulate": "spec.batch.per_gpu / it"},
    "note": "the same in all",
}
HALF = {"set": "doc.data.half", "try": "[true]", "note": "half"}
TWICE = {"set": "doc.data.twice", "try": "[true]", "note": "slower"}
CROP = {"set": "spec.crop.hr", "try": "multiples(8, spec.crop.hr - 1)", "note": "sees less"}


def budget(*fixes: dict[str, Any]) -> dict[str, Any]:
    return {
        "requires": [
            "facts.memory.least", "facts.memory.capacity", "facts.memory.largest_batch", "spec.batch.per_gpu",
            "spec.crop.hr",
        ],
        "assert": "facts.memory.least <= facts.memory.capacity",
        "fix": list(fixes),
    }  # fmt: skip


def needing(per_sample: Callable[[Job], float], base: float = 1.0) -> Callable[[Job], Facts]:
    """Work memory out as base + batch x per_sample GiB on a card of 8 GiB."""

    def facts(job: Job) -> Facts:
        each = per_sample(job)
        least = int((base + job.spec["batch.per_gpu"] * each) * GIB)
        gpu = GpuMemory(least, least, least + GIB // 2, least + GIB // 2, 0, 8 * GIB)
        limits = Limits(largest_batch=max(0, int((8 - base) / each)))
        return Facts(memory=Memory((gpu,), {}, 0, "train", limits=limits))

    return facts


def data(job: Job) -> Any:
    return job.document.value["data"]


def found(rules: Any, facts: Any, text: str = TEXT, **options: Any) -> Finding:
    return next(one for one in judged(rules, text, MACHINE, facts, **options) if one.rule == "vram")


def plain(job: Job) -> float:
    size = 0.5 * (job.spec["crop.hr"] / 64) ** 2
    return size * (0.4 if data(job).get("half") else 1) * (0.25 if data(job).get("twice") else 1)


def test_every_means_is_offered_with_what_it_needs_and_saves_the_cheapest_first() -> None:
    finding = found(rules_of(vram=budget(EVEN, HALF, TWICE, BATCH, CROP)), needing(plain))
    assert [fix.summary for fix in finding.fixes] == [
        "data.batch: 24 -> 12, add data.accumulate: 2 (the same in all; needs 7.00 to 7.50 GiB, 6.00 less)",
        "add data.half: true (half; needs 5.80 to 6.30 GiB, 7.20 less)",
        "add data.twice: true (slower; needs 4.00 to 4.50 GiB, 9.00 less)",
    ]


def test_one_key_has_one_fix() -> None:
    finding = found(rules_of(vram=budget(EVEN, BATCH)), needing(plain))
    assert len(finding.fixes) == 1
    assert len(found(rules_of(vram=budget(BATCH, EVEN)), needing(plain)).fixes) == 1


def test_why_the_value_before_it_is_not_the_one() -> None:
    pool = {
        "requires": ["spec.data.pool_size", "spec.batch.per_gpu"],
        "assert": "spec.data.pool_size % spec.batch.per_gpu == 0",
        "message": "a pool of {spec.data.pool_size} is no multiple of {spec.batch.per_gpu}",
    }
    text = TEXT.replace("24", "30")
    (fix,) = found(rules_of(vram=budget(BATCH), pool=pool), needing(plain), text).fixes
    assert fix.nearer == "13 breaks pool"
    assert fix.summary.startswith("data.batch: 30 -> 12 (less; needs 7.00 to 7.50 GiB, 9.00 less; ")
    assert fix.summary.endswith("; 13 breaks pool)")
    (fix,) = found(rules_of(vram=budget(BATCH)), needing(plain), text).fixes
    assert (fix.summary[:20], fix.nearer) == ("data.batch: 30 -> 14", "")  # the first that was tried


def test_two_at_once_where_one_is_not_enough() -> None:
    facts = needing(lambda job: 6 * plain(job))  # 37 GiB; half 15.4, twice 10, both 4.6
    finding = found(rules_of(vram=budget(HALF, TWICE)), facts, TEXT.replace("24", "12"))
    (fix,) = finding.fixes
    assert fix.summary == (
        "add data.half: true, add data.twice: true (half; slower; needs 4.60 to 5.10 GiB, 32.40 less)"
    )
    after = apply_edits(TEXT.replace("24", "12"), fix.edits)
    assert "half: true" in after
    assert "twice: true" in after


def test_a_crop_and_a_batch_where_no_batch_fits_at_this_crop() -> None:
    facts = needing(lambda job: 100.0 if job.spec["crop.hr"] > 16 else 6.5)
    (fix,) = found(rules_of(vram=budget(BATCH, CROP)), facts, TEXT.replace("24", "2")).fixes
    assert fix.summary == (
        "data.batch: 2 -> 1, data.crop: 64 -> 16 (less; sees less; needs 7.50 to 8.00 GiB, 193.50 less)"
    )


def test_where_nothing_helps_the_card_that_would() -> None:
    def never(job: Job) -> float:
        return 50.0

    finding = found(rules_of(vram=budget(HALF, TWICE)), needing(never), larger=lambda: "Big (80 GiB)")
    assert finding.fixes == ()
    assert finding.notes[-1] == (
        "no edit that was tried makes it fit, nor do several; "
        "the smallest card here that holds it as it is: Big (80 GiB)"
    )


def test_the_card_is_looked_for_only_where_nothing_helps() -> None:
    def asked() -> str:
        raise AssertionError

    assert found(rules_of(vram=budget(HALF)), needing(plain), larger=asked).fixes


def test_an_edit_that_leaves_the_card_almost_full_is_named_and_not_offered() -> None:
    tight = {
        "requires": ["facts.memory.least", "facts.memory.expect", "facts.memory.capacity"],
        "when": "true",
        "assert": "facts.memory.least > facts.memory.capacity "
        "|| facts.memory.expect <= facts.memory.capacity",
        "level": "warn",
    }
    facts = needing(lambda job: plain(job) * (1.4 if data(job).get("half") else 1))
    finding = found(rules_of(vram=budget(HALF, TWICE), vram_tight=tight), facts)
    assert [fix.summary[:16] for fix in finding.fixes] == ["add data.twice: "]
    assert finding.notes == (
        "fits with little to spare: add data.half: true (half; needs 7.72 to 8.22 GiB, 5.28 less)",
    )


def test_tries_are_few_however_many_means_there_are() -> None:
    tried: list[Job] = []

    def facts(job: Job) -> Facts:
        tried.append(job)
        return needing(lambda _: 50.0)(job)

    found(rules_of(vram=budget(HALF, TWICE, CROP, BATCH)), facts)
    assert len(tried) <= 60 + 1


TILE = {"set": "doc.data.tile", "try": "[64]", "note": "in tiles"}
VALIDATION = {
    "requires": ["facts.memory.validation.least", "facts.memory.validation.expect", "facts.memory.capacity"],
    "assert": "facts.memory.validation.least <= facts.memory.capacity",
}


def validating(job: Job) -> Facts:
    """Of a card of 8 GiB training takes 13, and 7 at half the batch; validation 12, in tiles 3."""
    facts = needing(plain)(job)
    assert facts.memory is not None
    least = 3 * GIB if data(job).get("tile") else 12 * GIB
    return replace(
        facts, memory=replace(facts.memory, validation=GpuMemory(least, least, least, least, 0, 8 * GIB))
    )


def test_one_set_for_training_and_validation_comes_first_where_each_needs_its_own() -> None:
    rules = rules_of(vram=budget(BATCH), shown={**VALIDATION, "fix": [TILE]})
    findings = judged(rules, TEXT, MACHINE, validating)
    assert {one.rule for one in findings} == {"vram", "shown"}
    for finding in findings:
        together, alone = finding.fixes
        assert set(together.rules) == {"vram", "shown"}
        assert alone.rules == (finding.rule,)
        assert together.summary.startswith("training and validation together: ")
        assert "training needs 8.00 to 8.50 GiB, 5.00 less" in together.summary
        assert "validation needs 3.00 GiB, 9.00 less" in together.summary
        assert judged(rules, apply_edits(TEXT, together.edits), MACHINE, validating) == ()
        assert len(judged(rules, apply_edits(TEXT, alone.edits), MACHINE, validating)) == 1


def test_no_set_where_the_two_do_not_pass_together() -> None:
    """Each edit passes alone; both at once are refused by a third rule."""
    never = {"requires": ["facts.memory.allocated"], "assert": "facts.memory.allocated != 1"}

    def facts(job: Job) -> Facts:
        found = validating(job)
        assert found.memory is not None
        both = data(job).get("tile") and job.spec["batch.per_gpu"] < 24
        gpu = found.memory.gpus[0]
        return replace(found, memory=replace(found.memory, gpus=(replace(gpu, allocated=1 if both else 2),)))

    rules = rules_of(vram=budget(BATCH), shown={**VALIDATION, "fix": [TILE]}, never=never)
    for finding in judged(rules, TEXT, MACHINE, facts):
        assert [fix.rules for fix in finding.fixes] == [(finding.rule,)]


def test_an_edit_that_fixes_both_is_offered_as_it_is() -> None:
    def facts(job: Job) -> Facts:
        found = validating(job)
        assert found.memory is not None
        least = int(12 * GIB * (job.spec["crop.hr"] / 64) ** 2)
        gpu = GpuMemory(least, least, least, least, 0, 8 * GIB)
        return replace(found, memory=replace(found.memory, validation=gpu))

    rules = rules_of(
        vram=budget(CROP),
        shown={**VALIDATION, "fix": [CROP], "requires": [*VALIDATION["requires"], "spec.crop.hr"]},
    )
    for finding in judged(rules, TEXT, MACHINE, facts):
        assert [fix.summary.partition(" (")[0] for fix in finding.fixes] == ["data.crop: 64 -> 48"]


def test_rules_are_bound_up_by_what_their_fixes_set_in_this_dialect() -> None:
    """A candidate of another trainer's does not keep the edits of two rules from being offered."""
    elsewhere = {**CROP, "dialects": ["other"]}
    rules = rules_of(
        vram=budget(BATCH, CROP),
        shown={**VALIDATION, "fix": [TILE, elsewhere], "requires": [*VALIDATION["requires"], "spec.crop.hr"]},
    )
    assert all(finding.fixes for finding in judged(rules, TEXT, MACHINE, validating))


def test_advice_that_is_not_enough_has_its_figure() -> None:
    advice = {"set": "doc.data.twice", "try": "[true]", "note": "slower", "figure": True}
    facts = needing(lambda job: 0.49 if data(job).get("twice") else 0.5)
    finding = found(rules_of(vram=budget(advice, BATCH)), facts)
    assert finding.notes[-1] == "not enough alone: add data.twice: true (saves 0.24 GiB)"
    assert [fix.summary.partition(" (")[0] for fix in finding.fixes] == ["data.batch: 24 -> 14"]
    assert found(rules_of(vram=budget(TWICE, BATCH)), facts).notes == ()
