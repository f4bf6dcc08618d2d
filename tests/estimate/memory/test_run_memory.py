# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory of placed specs: per GPU, by part, in stages and validation, and the largest batch."""

from __future__ import annotations

from math import ceil

import pytest
from msgspec.structs import replace

from tests.estimate.toy_tapes import MIB, Writer, two_steps
from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.capacity import largest_batch
from trainlint.estimate.memory.card import Card, Share, card_of, share_of
from trainlint.estimate.memory.run_memory import estimate_memory
from trainlint.estimate.replay.footprint import footprint
from trainlint.estimate.replay.gpu_ledger import ledger
from trainlint.estimate.replay.workspace import CUBLAS, Libraries
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.facts import WORST_SHARE, Image
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu
from trainlint.tape.step import key_of

GIB = 1024 * MIB
CARD = Card(8 * GIB, 500 * MIB, 8.6, Libraries(CUBLAS, benchmark=False))
STEP = {"recipe": "test"}
GPU = Gpu("card", "Card", 8 * GIB, 500 * MIB, 9.0, 10, 1e12, 1e13, 0, 0, 0, False, "11.0", None, "none")


def spec(**fields):
    return TrainSpec({name.replace("__", "."): Value(value) for name, value in fields.items()})


def source(make):
    """A tape source over a function from a step to a writer."""

    def trace(step, *, batches=(), validation=None):
        return make(step, validation).tape(key=key_of(step), step=step, batches=batches, devices=2)

    return TapeSource(trace=trace)


def plain(step, validation=None):
    writer = two_steps(activation=8 * MIB * step.get("crop.lq", 1))
    if validation is not None:
        writer.mark("validation")
        writer.free(writer.alloc(validation[0] * validation[1] * MIB))
    return writer


def test_four_figures_of_one_gpu():
    placed = spec(batch__per_replica=4, batch__per_process=4)
    memory = estimate_memory(placed, STEP, CARD, source(plain))
    (gpu,) = memory.gpus
    assert gpu.allocated == 324 * MIB
    assert (gpu.context, gpu.capacity) == (500 * MIB, 8 * GIB)
    assert gpu.allocated + gpu.context <= gpu.least <= gpu.expect <= gpu.worst
    need = footprint(ledger(plain(STEP).tape()), Share(4, 4).samples, CARD.libraries)
    assert gpu.least == gpu.context + need.segments
    assert gpu.expect == gpu.context + need.reserved
    assert sum(memory.parts.values()) == gpu.allocated
    assert memory.saved_per_sample == 32 * MIB
    assert (memory.peak_phase, memory.stages, memory.validation) == ("train", (), None)


def test_what_a_peak_is_made_of_is_left_out_where_nobody_reads_it():
    placed, image = spec(batch__per_replica=4, batch__per_process=4), Image(2, 2, "given")
    whole = estimate_memory(placed, STEP, CARD, source(plain), image)
    short = estimate_memory(placed, STEP, CARD, source(plain), image, itemised=False)
    items = {name: {} for name in ("parts", "belongings", "overhead", "validation_parts")}
    assert all(getattr(whole, name) for name in items)
    assert short == replace(whole, **items)


def test_worst_is_a_margin_above_or_what_cudnn_tries():
    tapes, placed = source(plain), spec(batch__per_replica=4)
    quiet = estimate_memory(placed, STEP, CARD, tapes).gpus[0]
    card = replace(CARD, libraries=Libraries(CUBLAS, benchmark=True))
    trying = estimate_memory(placed, STEP, card, tapes).gpus[0]
    assert quiet.worst == ceil(WORST_SHARE * quiet.expect)
    assert trying.worst > quiet.worst
    assert trying.allocated == quiet.allocated


def test_data_parallel_has_a_first_gpu_and_others():
    def make(step, validation):
        writer = Writer()
        writer.alloc(0, 0, total=MIB, kind="losses")  # gathered on the first
        writer.alloc(MIB, 8 * MIB, device=1)
        return two_steps(writer=writer)

    placed = spec(batch__per_replica=4, batch__per_process=12, parallel="dp", gpus=3)
    memory = estimate_memory(placed, STEP, CARD, source(make))
    first, second, third = memory.gpus
    assert second == third
    assert first.allocated > second.allocated
    assert memory.parts["losses"] == 12 * MIB


def test_ddp_repeats_one_process_per_gpu():
    placed = spec(batch__per_replica=4, batch__per_process=4, parallel="ddp", gpus=4)
    memory = estimate_memory(placed, STEP, CARD, source(plain))
    assert len(memory.gpus) == 4
    assert len(set(memory.gpus)) == 1


@pytest.mark.parametrize("activation", [3 * MIB, 8 * MIB, 40 * MIB + 512])
@pytest.mark.parametrize("room", [2 * GIB, 3 * GIB])
def test_the_largest_batch_is_the_last_that_fits(activation, room):
    tape = two_steps(activation=activation).tape()
    card = replace(CARD, capacity=room + CARD.context)
    best = largest_batch(tape, Share(1, 1), card)
    assert best > 0
    book = ledger(tape)
    assert footprint(book, Share(best, best).samples, card.libraries).segments <= room
    assert footprint(book, Share(best + 1, best + 1).samples, card.libraries).segments > room


def test_no_sample_fits_on_a_tiny_card():
    placed = spec(batch__per_replica=4)
    card = replace(CARD, capacity=CARD.context + 50 * MIB)
    memory = estimate_memory(placed, STEP, card, source(plain))
    assert memory.largest_batch == 0
    assert memory.gpus[0].least > card.capacity


def test_a_tape_of_some_batches_only_answers_for_those():
    tape = two_steps().tape(batches=(2, 4))
    assert largest_batch(tape, Share(2, 2), CARD) == 4
    assert largest_batch(tape, Share(2, 2), replace(CARD, capacity=CARD.context + 300 * MIB)) in (0, 2)


STAGES = [{"size": 8, "batch": 4, "iterations": 10}, {"size": 24, "batch": 2, "iterations": 10}]


def test_the_stage_that_needs_the_largest_card_stands_for_the_run():
    placed = spec(batch__per_replica=4, scale=4, crop__hr=24, stages=STAGES)
    memory = estimate_memory(placed, {"recipe": "test", "crop.lq": 6}, CARD, source(plain))
    assert [(stage.number, stage.crop, stage.batch) for stage in memory.stages] == [(1, 8, 4), (2, 24, 2)]
    assert memory.gpus == (memory.stages[1].memory,)  # not 4 crops of 24, which the loader alone holds
    assert memory.peak_phase == "stage 2"
    assert sum(memory.parts.values()) == memory.gpus[0].allocated


def test_no_stage_is_larger_than_what_the_loader_delivers():
    placed = spec(batch__per_replica=3, scale=4, crop__hr=16, stages=STAGES)
    memory = estimate_memory(placed, STEP, CARD, source(plain))
    assert [(stage.crop, stage.batch) for stage in memory.stages] == [(8, 3), (16, 2)]


def test_a_stage_of_the_full_batch_takes_all_that_one_process_loads():
    placed = spec(batch__per_gpu=4, batch__per_replica=32, scale=4, crop__hr=24, stages=STAGES)
    memory = estimate_memory(placed, STEP, CARD, source(plain))
    assert [(stage.crop, stage.batch) for stage in memory.stages] == [(8, 32), (24, 2)]


def test_the_largest_batch_is_that_of_the_largest_stage():
    whole = spec(batch__per_replica=2, crop__hr=24, scale=4)
    placed = spec(batch__per_replica=4, crop__hr=24, scale=4, stages=STAGES)
    step = {"recipe": "test", "crop.hr": 24, "crop.lq": 6}
    one, staged = (estimate_memory(s, step, CARD, source(plain)) for s in (whole, placed))
    assert staged.largest_batch == one.largest_batch > 0


def test_validation_can_be_the_peak():
    placed = spec(batch__per_replica=4)
    memory = estimate_memory(placed, STEP, CARD, source(plain), Image(40, 50, "given"))
    assert memory.validation.allocated == (160 + 2000) * MIB
    assert memory.peak_phase == "validation"
    small = estimate_memory(placed, STEP, CARD, source(plain), Image(1, 1, "given"))
    assert small.validation.allocated == 161 * MIB
    assert small.peak_phase == "train"
    assert small.gpus == memory.gpus


def test_tiles_are_part_of_the_validations_step_and_of_no_other():
    asked = []

    def make(step, validation):
        asked.append({name: value for name, value in step.items() if name.startswith("validation")})
        return plain(step, validation)

    estimate_memory(spec(batch__per_replica=4), STEP, CARD, source(make), Image(9, 8, "given", 32, 4))
    tiles = {"validation": [9, 8], "validation.tile": 32, "validation.overlap": 4}
    assert tiles in asked
    assert all(found in ({}, tiles) for found in asked)


def test_a_network_that_no_single_sample_can_train_is_judged_all_the_same():
    def trace(step, *, batches=(), validation=None):
        if batches == (1,):
            raise CannotTraceError("Expected more than 1 value per channel")
        return plain(step).tape(key=key_of(step), step=step, batches=batches)

    card = replace(CARD, capacity=CARD.context + 50 * MIB)
    memory = estimate_memory(spec(batch__per_replica=4), STEP, card, TapeSource(trace=trace))
    assert memory.gpus[0].least > card.capacity
    assert memory.largest_batch == 0


def test_the_largest_batch_leaves_no_stage_short_of_memory():
    def make(step, validation):
        return two_steps(activation=MIB * step["crop.lq"] ** 2)

    stages = [{"size": 8, "batch": 64}, {"size": 64, "batch": 1}]
    placed = spec(batch__per_replica=64, crop__hr=64, stages=stages)
    card = replace(CARD, capacity=CARD.context + 4 * GIB)
    both = estimate_memory(placed, STEP, card, source(make))
    assert both.stages[1].memory.least > card.capacity
    assert both.largest_batch == 0  # though dozens of the small crops would fit


def test_what_cannot_be_traced_besides_the_step_is_missing_with_its_reason():
    def make(step, validation):
        if validation or step.get("crop.lq") == 9:
            raise CannotTraceError("too odd")
        return plain(step)

    placed = spec(batch__per_replica=4, stages=[{"size": 9, "batch": 1}, {"size": 8, "batch": 1}])
    memory = estimate_memory(placed, STEP, CARD, source(make), Image(2, 2, "given"))
    assert memory.missing == {"stages": "stage 1: too odd", "validation": "too odd"}
    assert [stage.number for stage in memory.stages] == [2]
    assert (memory.peak_phase, memory.validation) == ("stage 2", None)


def test_stages_of_which_none_can_be_traced_are_no_estimate():
    placed = spec(batch__per_replica=4, crop__hr=9, stages=STAGES)
    with pytest.raises(CannotTraceError, match="too odd"):
        estimate_memory(placed, STEP, CARD, source(_too_odd))


def _too_odd(step, validation):
    raise CannotTraceError("too odd")


def test_old_cards_have_no_flash_attention():
    asked = []

    def make(step, validation):
        asked.append(step.get("attention"))
        writer = two_steps()
        writer.op("attention")
        return writer

    placed = spec(batch__per_replica=4)
    half = STEP | {"precision": "fp16"}
    estimate_memory(placed, half, CARD, source(make))
    assert set(asked) == {None}
    estimate_memory(placed, half, replace(CARD, compute_capability=7.5), source(make))
    assert set(asked) == {None, "efficient"}


def test_share_and_card_of_a_placed_spec():
    placed = spec(batch__per_replica=3, batch__per_process=5, parallel="dp", gpus=2, data__pool_size=180)
    share = share_of(placed)
    assert (share.batch, share.total, share.replicas, share.processes, share.pool) == (3, 5, 2, 1, 180)
    assert share.at(7).samples.total == 14
    with pytest.raises(CannotTraceError, match="batch size is not known"):
        share_of(spec())
    with pytest.raises(CannotTraceError, match="a batch of 0"):
        share_of(spec(batch__per_replica=0))
    card = card_of(placed, GPU, {})
    assert (card.capacity, card.context, card.libraries.benchmark) == (8 * GIB, 500 * MIB, True)
    assert card.libraries.cublas == 32 * MIB
    assert card_of(spec(cudnn_benchmark=False), GPU, {"card": 700}) == Card(
        8 * GIB, 700 * MIB, 9.0, Libraries(32 * MIB, benchmark=False, tiles=128)
    )


def test_what_the_step_needs_with_expandable_segments_is_told_where_only_they_make_it_fit():
    def broken(step, validation=None):
        writer = two_steps(activation=MIB)
        whole = writer.alloc(400 * MIB)
        writer.free(whole)
        small = writer.alloc(100 * MIB)  # cut from the segment of 400, which can then not be given back
        writer.free(small, writer.alloc(400 * MIB))
        return writer

    def told(capacity):
        card = Card(capacity, 0, 8.6, Libraries(CUBLAS, benchmark=False))
        (gpu,) = estimate_memory(spec(batch__per_replica=2), STEP, card, source(broken)).gpus
        return gpu

    roomy = told(8 * GIB)
    assert roomy.least - roomy.allocated > 290 * MIB
    assert roomy.expandable is None
    middle = told((roomy.least + roomy.allocated) // 2)
    assert middle.allocated < middle.expandable < middle.capacity < middle.least
    assert told(roomy.allocated - MIB).expandable is None


def uneven(known, needed=8):
    """A step that bends with the batch, of which only some batches have a tape."""

    def trace(step, *, batches=(), validation=None):
        if not batches:
            batches = (max(known),)
        if batches[0] not in known:
            raise CannotTraceError("no stored profile")
        writer = two_steps(activation=needed * MIB)
        return writer.tape(key=key_of(step), step=step, batches=batches)

    return TapeSource(trace=trace)


@pytest.mark.parametrize(
    ("known", "room", "batch", "open_", "why"),
    [
        ({8}, 30, 0, True, "no stored profile"),  # nothing below 8 has a tape
        ({1, 2, 4, 8}, 30, 0, False, None),  # and here they do: not even one sample fits
        ({1, 2, 4, 8}, 2048, 8, True, None),
        ({8}, 2048, 8, True, None),
    ],
)
def test_only_what_was_traced_is_said_of_a_step_that_grows_unevenly(known, room, batch, open_, why):
    card = replace(CARD, capacity=CARD.context + room * MIB)
    memory = estimate_memory(spec(batch__per_replica=8), STEP, card, uneven(known))
    assert (memory.largest_batch, memory.largest_open, memory.uneven) == (batch, open_, True)
    assert memory.missing.get("largest_batch") == why


def test_one_traced_sample_is_judged_where_no_other_batch_has_a_tape():
    memory = estimate_memory(spec(batch__per_replica=1), STEP, CARD, uneven({1}))
    assert (memory.largest_batch, memory.largest_open) == (1, True)


def test_a_batch_next_to_one_that_does_not_fit_is_the_largest():
    tape = two_steps().tape()
    room = footprint(ledger(tape), Share(1, 1).samples, CARD.libraries).segments
    card = replace(CARD, capacity=CARD.context + room)
    memory = estimate_memory(spec(batch__per_replica=2), STEP, card, source(plain))
    assert memory.largest_open is False


def test_what_it_needs_unbroken_is_known_wherever_the_tensors_fit():
    run = estimate_memory(spec(batch__per_replica=4), STEP, CARD, source(plain))
    assert run.gpus[0].unbroken is None  # it fits
    tiny = replace(CARD, capacity=CARD.context + 50 * MIB)
    assert estimate_memory(spec(batch__per_replica=4), STEP, tiny, source(plain)).gpus[0].unbroken is None
    fits = replace(CARD, capacity=run.gpus[0].least - MIB)
    cut = estimate_memory(spec(batch__per_replica=4), STEP, fits, source(plain)).gpus[0]
    assert cut.least > cut.capacity
    assert cut.unbroken is not None
    assert (cut.expandable is not None) == (cut.unbroken <= cut.capacity)
