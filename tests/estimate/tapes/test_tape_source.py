# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a tape comes from: memory, then the stores in order, then the tracer; every refusal says why."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from tests.estimate.toy_tapes import MIB, stored, two_steps
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import OpenTapeError
from trainlint.estimate.tapes import tape_source as source_module
from trainlint.estimate.tapes import torch_import
from trainlint.estimate.tapes.crop_source import NoRoomError
from trainlint.estimate.tapes.stored_profiles import (
    Store,
    project_folder,
    shipped_folder,
    shipped_store,
    speaks_for,
)
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.judge.fixes.tries import Traced
from trainlint.tape import SEMANTICS
from trainlint.tape.encoding import encode
from trainlint.tape.provenance import made_with
from trainlint.tape.step import built, key_of

STEP = built({"recipe": "basicsr.SRModel", "dialect": "basicsr", "networks.generator.arch": "RRDBNet"})


def tape_of(step=STEP, **more):
    return stored(two_steps()).tape(
        **{"key": key_of(step), "step": step, "made_with": made_with(step, torch="0"), **more}
    )


class Tracer:
    """Counts its calls; refuses `bad` steps."""

    def __init__(self, bad=(), batches=()):
        self.calls, self.bad, self.batches = [], bad, batches

    def __call__(self, step, *, batches=None, validation=None):
        self.calls.append((step["recipe"], batches, validation))
        if step["recipe"] in self.bad:
            raise CannotTraceError("it is bad")
        return tape_of(step, batches=self.batches if batches is None else batches)


def test_each_tape_is_handed_on_as_soon_as_it_is_there(tmp_path):
    """A run that is stopped at its second config has the first one's profile."""
    store = Store(tmp_path)
    tapes = TapeSource(trace=Tracer(bad={"basicsr.SRGANModel"}), used=store.save)
    tapes.tape(STEP, 8)
    tapes.tape(STEP, 12)
    assert [path.suffix for path in tmp_path.iterdir()] == [".tape"]
    with pytest.raises(CannotTraceError):
        tapes.tape({**STEP, "recipe": "basicsr.SRGANModel"}, 8)
    assert store.find(key_of(STEP), 8) is not None


def test_a_tape_is_traced_once_and_kept(tmp_path):
    tracer, said = Tracer(), []
    tapes = TapeSource(save_to=Store(tmp_path / "cache"), trace=tracer, progress=said.append)
    first = tapes.tape(STEP, 8)
    assert tapes.tape(STEP, 12) is first
    assert tracer.calls == [("basicsr.SRModel", None, None)]
    assert said == ["tracing RRDBNet", ""]
    assert tapes.used() == (first,)
    again = TapeSource([Store(tmp_path / "cache")], trace=tracer)
    assert again.tape(STEP, 3) == first
    assert len(tracer.calls) == 1


def test_one_sample_has_a_tape_of_its_own(tmp_path):
    tracer = Tracer()
    tapes = TapeSource(save_to=Store(tmp_path), trace=tracer)
    assert tapes.tape(STEP, 4).batches == ()
    assert tapes.tape(STEP, 1).batches == (1,)
    assert tapes.tape(STEP, 1).batches == (1,)
    assert tapes.tape(STEP, 2).batches == ()
    assert [batches for _, batches, _ in tracer.calls] == [None, (1,)]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".tape", ".tape"]


def test_without_torch_one_sample_is_content_with_every_batchs_tape(tmp_path):
    Store(tmp_path).save(tape_of())
    tapes = TapeSource([Store(tmp_path)], may_trace=False)
    assert tapes.tape(STEP, 1).batches == ()


def test_a_tape_that_one_sample_is_content_with_is_read_once(tmp_path):
    Store(tmp_path).save(tape_of())
    tapes = TapeSource([Store(tmp_path)], may_trace=False)
    first = tapes.tape(STEP, 1)
    assert tapes.tape(STEP, 1) is first
    assert tapes.tape(STEP, 4) is first
    Store(tmp_path / "other").save(tape_of())
    exact = Store(tmp_path / "other").save(replace(tape_of(), batches=(1,)))
    tapes = TapeSource([Store(tmp_path / "other")], may_trace=False)
    assert tapes.tape(STEP, 4).batches == ()
    assert exact.is_file()
    assert tapes.tape(STEP, 1).batches == (1,)


def test_what_was_checked_before_is_read_as_what_is_checked(tmp_path):
    Store(tmp_path).save(tape_of())
    known = Store(tmp_path, checked=True)
    found = known.find(tape_of().key, 4)
    assert found == Store(tmp_path).find(tape_of().key, 4)
    assert known.find("0" * 64, 4) is None
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes()[:-40])  # its digests are looked at all the same
    assert known.find(tape_of().key, 4) is None
    assert [*known.refused] == [path]
    assert Store(tmp_path / "none", checked=True).find(tape_of().key, 4) is None


def test_what_a_checkout_ships_is_checked():
    assert not shipped_store().checked


def test_a_step_that_is_not_affine_is_traced_at_the_batch_that_is_asked_for():
    tracer = Tracer(batches=(2,))
    tapes = TapeSource(trace=tracer)
    assert tapes.tape(STEP, 6).batches == (6,)
    assert tapes.tape(STEP, 6).batches == (6,)
    assert [batches for _, batches, _ in tracer.calls] == [None, (6,)]


def test_validation_is_part_of_the_step():
    tracer = Tracer()
    TapeSource(trace=tracer).tape(STEP | {"validation": [720, 1280]}, 2)
    assert tracer.calls == [("basicsr.SRModel", None, (720, 1280))]
    assert key_of(STEP | {"validation": [720, 1280]}) != key_of(STEP)


def test_a_failure_is_remembered():
    tracer = Tracer(bad=["basicsr.SRModel"])
    tapes = TapeSource(trace=tracer)
    for _ in range(3):
        with pytest.raises(CannotTraceError, match="it is bad"):
            tapes.tape(STEP, 2)
    assert len(tracer.calls) == 1


def test_tracing_ends_where_the_room_for_edits_is_used_up_and_not_after():
    """What an edit was refused for is no failure of the step: the next file may need it."""
    tracer = Tracer()
    tapes = TapeSource(trace=tracer)
    room = Traced(1)
    with tapes.within(room):
        tapes.tape(STEP, 8)
        with pytest.raises(NoRoomError):
            tapes.tape({**STEP, "precision": "fp16"}, 8)
        tapes.tape(STEP, 8)  # which is known
    assert room.left == 1 - len(tape_of().events)
    tapes.tape({**STEP, "precision": "fp16"}, 8)
    assert len(tracer.calls) == 2


def test_what_an_earlier_run_traced_takes_room_too_so_that_both_have_one_answer(tmp_path):
    """A config's second check offered an edit for which its first had no room."""
    cache = Store(tmp_path, "cache")
    TapeSource([cache], save_to=cache, trace=Tracer()).tape(STEP, 8)
    for source, left in (("cache", 1 - len(tape_of().events)), ("shipped", 1)):
        tracer = Tracer()
        tapes = TapeSource([Store(tmp_path, source)], trace=tracer)
        room = Traced(1)
        with tapes.within(room):
            tapes.tape(STEP, 8)
        assert room.left == left
        assert not tracer.calls


def test_a_tape_that_does_not_close_is_an_internal_error():
    def leaks(step, *, batches=(), validation=None):
        writer = two_steps()
        writer.alloc(0, MIB)
        return writer.tape(key=key_of(step), step=step, batches=batches)

    with pytest.raises(OpenTapeError, match=f"{2 * MIB} bytes more after every step"):
        TapeSource(trace=leaks).tape(STEP, 2)


def test_stores_are_looked_through_in_order(tmp_path):
    project, cache = Store(tmp_path / "a"), Store(tmp_path / "b")
    project.save(tape_of(notes=("the project's",)))
    cache.save(tape_of(notes=("the cache's",)))
    assert TapeSource([project, cache]).tape(STEP, 2).notes == ("the project's",)
    assert TapeSource([Store(tmp_path / "none"), cache]).tape(STEP, 2).notes == ("the cache's",)


def test_without_torch_what_is_outdated_is_used_only_where_nothing_newer_is_stored(tmp_path):
    cache, shipped = Store(tmp_path / "cache"), Store(tmp_path / "shipped", source="shipped")
    old = tape_of(notes=("outdated",))
    stale = cache.save(replace(old, made_with={**old.made_with, "sources": "of another day"}))
    shipped.save(tape_of(notes=("of today",)))
    tapes = TapeSource([cache, shipped], save_to=cache, may_trace=False)
    assert tapes.tape(STEP, 2).notes == ("of today",)
    assert tapes.refused() == ()
    alone = TapeSource([Store(cache.folder)], may_trace=False)
    assert alone.tape(STEP, 2).notes == ("outdated",)
    (said,) = alone.refused()
    assert said.startswith("stored profile used, as torch is not installed")
    assert said.endswith(str(stale))


def test_without_torch_the_message_says_what_to_install(monkeypatch):
    for module in (source_module, torch_import):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(
        CannotTraceError, match=r"no torch and no stored profile.*pip install 'trainlint\[torch\]'"
    ):
        TapeSource().tape(STEP, 2)


def test_when_tracing_is_off_the_message_says_so():
    with pytest.raises(CannotTraceError, match="tracing is switched off"):
        TapeSource(may_trace=False).tape(STEP, 2)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda data: data.replace(b'"semantics": ', b'"semantics": 9', 1), "traced by rules 9"),
        (lambda data: data.replace(key_of(STEP).encode(), b"f" * 64), "its header was changed"),
        (lambda data: encode(tape_of(STEP | {"scale": 2})), "of another step than its name says"),
        (lambda data: data[: len(data) // 2], "damaged"),
    ],
)
def test_a_stale_or_foreign_profile_is_refused_with_the_reason(tmp_path, spoil, reason):
    store = Store(tmp_path)
    path = store.save(tape_of())
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(CannotTraceError, match=f"{path.name} was refused: .*{reason}"):
        TapeSource([store], may_trace=False).tape(STEP, 2)
    tracer = Tracer()
    assert TapeSource([store], save_to=store, trace=tracer).tape(STEP, 2).key == key_of(STEP)
    assert TapeSource([Store(tmp_path)], may_trace=False).tape(STEP, 2).key == key_of(STEP)


def test_a_refused_profile_is_told_of_whatever_answers_in_its_place(tmp_path):
    project, cache = Store(tmp_path / "project"), Store(tmp_path / "cache")
    stale = project.save(tape_of())
    stale.write_bytes(stale.read_bytes().replace(b'"semantics": ', b'"semantics": 9', 1))
    told = (
        f"profile not used, it was traced by rules 9{SEMANTICS}, this trainlint's are {SEMANTICS}: {stale}",
    )
    tapes = TapeSource([project, cache], save_to=cache, trace=Tracer())
    assert tapes.refused() == ()
    tapes.tape(STEP, 2)  # torch answers
    assert tapes.refused() == told
    again = TapeSource([Store(project.folder), cache], save_to=cache, may_trace=False)
    again.tape(STEP, 2)  # the cache answers
    assert again.refused() == told


def test_what_is_stale_in_the_cache_is_replaced_without_a_word(tmp_path):
    cache = Store(tmp_path)
    stale = cache.save(tape_of())
    stale.write_bytes(b"old")
    tapes = TapeSource([cache], save_to=cache, trace=Tracer())
    tapes.tape(STEP, 2)
    assert tapes.refused() == ()
    assert Store(tmp_path).find(key_of(STEP), 2) is not None


def test_a_cache_that_cannot_be_written_is_no_reason_to_stop(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert TapeSource(save_to=Store(blocked / "cache"), trace=Tracer()).tape(STEP, 2)


def test_saving_leaves_one_whole_file_and_replaces_an_older_one(tmp_path):
    store = Store(tmp_path / "profiles")
    assert store.save(tape_of()) == store.save(tape_of(notes=("newer",)))
    assert [path.name for path in store.folder.iterdir()] == [f"{key_of(STEP)[:24]}.tape"]
    assert store.find(key_of(STEP), 5).notes == ("newer",)


def test_a_tape_speaks_for_its_batches():
    every = tape_of()
    assert speaks_for(every, 1)
    assert speaks_for(every, 100)
    assert not speaks_for(replace(every, batches=(1,)), 2)


def test_folders(tmp_path):
    assert project_folder(tmp_path) == tmp_path / ".trainlint" / "profiles"
    assert shipped_folder().parent.name == "trainlint"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"networks.generator.arch": "FooNet"}, 'unknown network "FooNet"'),
        ({"recipe": "basicsr.MyOwnModel"}, 'unknown training step "basicsr.MyOwnModel"'),
        ({}, "no stored profile"),
    ],
)
def test_what_torch_would_not_know_either_is_told_without_it(changes, reason):
    step = {"recipe": "basicsr.SRModel", "dialect": "basicsr", "networks.generator.arch": "RRDBNet"}
    with pytest.raises(CannotTraceError, match=reason):
        TapeSource(may_trace=False).tape({**step, **changes})


def test_a_step_is_traced_once_with_its_validation():
    asked = []

    def trace(step, *, batches=(), validation=None):
        asked.append((step.get("crop.lq"), validation))
        writer = two_steps()
        if validation:
            writer.mark("validation")
            writer.free(writer.alloc(MIB))
        return writer.tape(key=key_of(step), step=step, batches=batches)

    step = {"recipe": "test", "crop.lq": 64}
    tapes = TapeSource(trace=trace)
    both = tapes.both(step, {**step, "validation": [32, 48]}, 4)
    assert tapes.tape(step, 4) is both
    whole = tapes.tape({**step, "validation": [32, 48]}, 4)
    assert [id(tape) for tape in tapes.used()] == [id(whole), id(both)]
    assert asked == [(64, (32, 48))]
    assert both == trace(step)
    assert whole != both


def test_a_step_whose_validation_cannot_be_traced_is_traced_without():
    def trace(step, *, batches=(), validation=None):
        if validation:
            raise CannotTraceError("no validation")
        return two_steps().tape(key=key_of(step), step=step, batches=batches)

    tapes = TapeSource(trace=trace)
    assert tapes.both({"recipe": "test"}, {"recipe": "test", "validation": [8, 8]}, 4).key == key_of(
        {"recipe": "test"}
    )


def test_what_cannot_be_traced_is_kept_without_the_frames_that_it_came_through():
    tapes = TapeSource(trace=Tracer(bad=("it",)))
    for _ in range(3):
        with pytest.raises(CannotTraceError, match="it is bad"):
            tapes.tape({"recipe": "it"}, 4)
    (failure,) = tapes._failures.values()
    assert failure.__traceback__ is None


def test_of_tapes_that_are_stored_only_the_last_are_kept(tmp_path):
    store = Store(tmp_path)
    steps = [{**STEP, "scale": at} for at in range(1, 6)]
    for step in steps:
        store.save(tape_of(step))
    tapes = TapeSource([store], trace=Tracer(), most=2)
    found = [tapes.tape(step, 8) for step in steps]
    assert tapes.used() == tuple(found[-2:])
    traced = [tapes.tape({**STEP, "scale": at}, 8) for at in range(6, 9)]
    assert tapes.used() == (*found[-2:], *traced)
    assert tapes.tape(steps[0], 8) == found[0]


@pytest.mark.parametrize("inside", [True, False])
def test_a_projects_profile_may_be_a_link_within_the_project_alone(tmp_path, inside):
    elsewhere = Store(tmp_path / ("project/data" if inside else "other"))
    (tmp_path / "project" / "profiles").mkdir(parents=True)
    path = elsewhere.save(tape_of())
    link = tmp_path / "project" / "profiles" / path.name
    link.symlink_to(path)
    store = Store(tmp_path / "project" / "profiles", within=tmp_path / "project")
    assert (store.find(key_of(STEP), 2) is not None) is inside
    assert list(store.refused.values()) == ([] if inside else ["it is a link that leads out of the project"])


def test_a_profile_is_written_through_no_link(tmp_path, monkeypatch):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda _size: "guessed")
    store = Store(tmp_path / "store")
    path = store.save(tape_of())
    path.unlink()
    path.symlink_to(precious)
    store.save(tape_of())
    assert (path.is_symlink(), precious.read_text()) == (False, "mine")
    path.with_name(f".{path.name}.guessed").symlink_to(precious)
    with pytest.raises(FileExistsError):
        store.save(tape_of())
    assert precious.read_text() == "mine"


def test_what_could_not_be_written_is_removed(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        Store(tmp_path).save(tape_of())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("depths", [[9_999_999, 6], [[60_000], [60_000]]])
def test_a_list_that_counts_more_than_is_worked_through_is_not_traced(depths):
    step = STEP | {"networks.generator.args": {"depths": depths}}
    with pytest.raises(CannotTraceError, match=r"depths of RRDBNet comes to (10,000,005|120,000) in all"):
        TapeSource().tape(step, 2)
