# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which crops fit by needs that were worked out once, against each crop played on each card by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from trainlint.estimate.memory import crop_needs
from trainlint.estimate.memory.capacity import holds
from trainlint.estimate.memory.card import card_on
from trainlint.estimate.memory.crop_needs import CropNeeds, crops_at
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.replay.gpu_ledger import ledger
from trainlint.estimate.replay.workspace import libraries
from trainlint.estimate.tapes.stored_profiles import Store, shipped_store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.shipped.resource_paths import PACKAGE
from trainlint.tape.step import step_of

GIB = 2**30
SIDES = (16, 24, 40, 48, 64)
REAL = str(PACKAGE.parents[1] / "examples" / "realesrgan_x4.yml")


@pytest.fixture(scope="module")
def runs():
    """Return the GAN step as it runs on two machines: on one GPU, and divided among GPUs by DataParallel."""
    chosen = Settings(target=("rtx-4090", "kaggle-t4x2"))
    tapes = TapeSource([shipped_store()], may_trace=False)
    pipeline = pipeline_for(chosen, tapes)
    (jobs,) = jobs_in(REAL, pipeline)
    found = {}
    for target in pipeline.targets_of(REAL):
        for job in pipeline.readings(jobs, target):
            card, (part, *_) = card_on(job.spec, target, chosen), parts(job.spec)
            found[job.spec.get("parallel")] = Execution(step_of(job.spec), part.share, card, tapes, {}, set())
    return found


def on(run, gib, capability, *, expandable=False):
    """Return a run on another card."""
    used = libraries(capability, benchmark=True, expandable=expandable)
    card = replace(
        run.card, capacity=round(gib * GIB), context=0, compute_capability=capability, libraries=used
    )
    return replace(run, card=card)


def alone(run, side):
    """Return whether a crop fits, worked out for this card alone."""
    tape = run.tape(**crops_at(run, side))
    devices = range(tape.devices if run.share.replicas > 1 else 1)
    return holds([ledger(tape, device) for device in devices], run.share.samples, run.card)


@pytest.mark.parametrize("parallel", ["none", "dp"])
def test_a_crop_fits_where_it_fits_worked_out_alone(runs, parallel):
    needs = CropNeeds()

    @settings(max_examples=15, deadline=None)
    @given(st.floats(2, 16), st.sampled_from([6.1, 7.5, 8.0, 9.0]), st.sampled_from(SIDES), st.booleans())
    def check(gib, capability, side, expandable):
        run = on(runs[parallel], gib, capability, expandable=expandable and side < min(SIDES[2:]))
        assert needs.fits(run, side) == alone(run, side)

    check()


def test_the_sides_that_fit_are_those_up_to_the_last_one_that_does(runs):
    needs = CropNeeds()
    for gib in (1, 3, 5, 7, 9, 30):
        run = on(runs["none"], gib, 8.6)
        fitting = needs.fitting(run, SIDES)
        assert [alone(run, side) for side in SIDES] == [number < fitting for number in range(len(SIDES))]


def test_a_room_between_live_and_reserved_bytes_is_played_by_itself(runs, monkeypatch):
    run, needs, asked = on(runs["none"], 1000, 8.6), CropNeeds(), []
    monkeypatch.setattr(crop_needs, "holds", lambda *args: (asked.append(args), holds(*args))[1])
    assert needs.fits(run, 40)
    (need,) = needs._known.values()
    (reserved,) = need.reserved.values()
    assert need.live < reserved
    assert not asked
    for room in (need.live - 1, need.live, (need.live + reserved) // 2, reserved):
        there = replace(run, card=replace(run.card, capacity=room))
        assert needs.fits(there, 40) == needs.fits(there, 40) == alone(there, 40)
    assert len(asked) == 2


def test_cards_whose_libraries_do_the_same_share_a_replay(runs, monkeypatch):
    needs, replayed = CropNeeds(), []
    within = crop_needs.reserved_within
    monkeypatch.setattr(
        crop_needs, "reserved_within", lambda *args: (replayed.append(args), within(*args))[1]
    )
    for gib, capability in ((24, 7.5), (16, 7.5), (40, 8.0), (32, 8.6), (12, 6.1)):
        assert needs.fits(on(runs["none"], gib, capability), 40)
    assert len(replayed) == 1  # no attention, so that tiles make no difference
    assert needs.fits(on(runs["none"], 80, 9.0), 40)
    assert len(replayed) == 2  # cuBLAS's workspaces are larger from Hopper on


def test_live_bytes_of_crops_are_those_of_their_tapes(runs):
    for run in runs.values():
        crops = run.tapes.crops.known(run.step, run.share.batch)
        fresh, needs = CropNeeds(), CropNeeds()
        new = replace(run, tapes=TapeSource([shipped_store()], may_trace=False))  # knows no tape yet
        sides = crops.between[::5]  # of each fifth a tape is made, which takes a while
        assert all(needs._live(new, side, crops) == fresh._need(run, side).live for side in sides)
        assert needs._lives  # some are worked out without a tape


def test_as_many_sides_fit_by_their_sizes_alone(runs):
    lean, whole = CropNeeds(), CropNeeds()
    for gib in range(2, 16):
        run = on(runs["none"], gib, 8.6)
        crops = run.tapes.crops.known(run.step, run.share.batch)
        assert lean.fitting(run, crops.between, crops) == whole.fitting(run, crops.between)


def test_a_stored_tape_of_a_side_goes_before_its_crops(runs, tmp_path):
    run, stored = runs["none"], shipped_store()
    tapes, project = TapeSource([stored], may_trace=False), Store(tmp_path, "project")
    assert tapes.has_own(run.step, 12)
    assert not tapes.has_own(run.step, 12, shipped=False)  # which are as the crops there
    assert not tapes.has_own({**run.step, **crops_at(run, 72)}, 12)
    project.save(tapes.tape(run.step, 12))
    assert tapes.has_own(run.step, 12, shipped=False)  # known by now
    assert TapeSource([stored, project], may_trace=False).has_own(run.step, 12, shipped=False)
