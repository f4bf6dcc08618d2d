# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The estimate as a whole: each fact or its reason."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.estimate import IN_PIECES, estimate
from trainlint.estimate.run.placement import place
from trainlint.estimate.speed.training_log import StepTimes
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target
from trainlint.repository.trainer.own_classes import Own
from trainlint.settings.settings import Settings
from trainlint.tape import IN_ONE_PIECE
from trainlint.tape.step import key_of

from .toy_tapes import MIB, two_steps

GPU = Gpu("card", "Card", 8 * 2**30, 500 * MIB, 7.5, 10, 1e12, 1e13, 0, 0, 0, False, "11.0", None, "none")
FIELDS = {
    "dialect": "basicsr",
    "recipe": "test",
    "batch.per_gpu": 4,
    "gpus": 1,
    "workers.per_gpu": 3,
    "duration.iterations": 1000,
    "checkpoint.every": 100,
}


def facts_of(target=None, settings=None, own=None, **fields):
    values = {name: Value(value) for name, value in (FIELDS | fields).items() if value is not None}
    asked = []

    def trace(step, *, batches=(), validation=None):
        asked.append(validation)
        return two_steps().tape(key=key_of(step), step=step, batches=batches)

    target = target or Target("box", GPU, 1)
    placed = place(TrainSpec(values), target)
    job = SimpleNamespace(spec=placed, problems=(), pins=(), own=own, looked={}, tests=False)
    found = estimate(job, target, TapeSource(trace=trace), settings or Settings())
    return found, asked


def test_every_fact_of_a_complete_job():
    facts, _ = facts_of(settings=Settings(seconds_per_iteration=0.5))
    assert facts.missing == {}
    assert facts.memory.gpus[0].allocated == 324 * MIB
    assert facts.disk.per_checkpoint == 123
    assert facts.host.worker_processes == 3
    assert facts.time.basis == "given"
    assert [network.role for network in facts.networks] == ["generator"]


def test_a_log_shows_neither_validation_nor_saves_which_are_added(monkeypatch):
    """The trainers stop their clocks for both: 1000 steps of 0.5 s are not all that the run takes."""
    paced = SimpleNamespace(seconds=lambda _together: (0.1, 0.2, 0.4))
    monkeypatch.setattr("trainlint.estimate.timing.image_pace", lambda *_: paced)
    sets = [{"name": "val", "folders": ["datasets/DIV2K/hr"]}]
    settings = Settings(measured=StepTimes((0.5, 0.5, 0.5), 9))
    facts, _ = facts_of(settings=settings, **{"validation.every": 100, "validation.sets": sets, "scale": 4})
    time = facts.time
    assert (time.basis, time.step_seconds) == ("log", (0.5, 0.5, 0.5))
    images = time.validation_hours[1] * 3600 / 0.2 / 10  # as large as the largest of DIV2K's hundred
    assert 90 < images <= 100
    assert time.saving_hours[2] > 0
    for at in range(3):
        parts = 1000 * 0.5 / 3600 + time.validation_hours[at] + time.saving_hours[at]
        assert time.total_hours[at] == pytest.approx(parts, abs=1e-8)


def test_equal_jobs_are_worked_out_once_and_what_only_compares_equal_is_not():
    tapes = TapeSource(trace=lambda step, **_: two_steps().tape(key=key_of(step), step=step))
    target, settings = Target("box", GPU, 1), Settings()

    def facts(**fields):
        values = {name: Value(value) for name, value in (FIELDS | fields).items()}
        job = SimpleNamespace(
            spec=place(TrainSpec(values), target), problems=(), pins=(), own=None, looked={}, tests=False
        )
        return estimate(job, target, tapes, settings)

    first = facts()
    assert facts() is first
    for other in (facts(**{"batch.per_gpu": 8}), facts(**{"workers.per_gpu": 3.0}), facts(gpus=True)):
        assert other is not first
    assert facts() is first


def test_each_missing_fact_has_its_reason():
    facts, _ = facts_of(**{"batch.per_gpu": None})
    assert facts.memory is None
    assert "batch size" in facts.missing["memory"]
    assert facts.disk is None
    assert "batch size" in facts.missing["disk"]
    assert "batch size" in facts.missing["time"]
    assert facts.host is not None


@pytest.mark.parametrize(
    ("name", "written"), [("torch.nn.functional.grid_sample", 123), ("torch.nn.Conv2d", None)]
)
def test_what_is_written_depends_on_no_function_of_torch(name, written):
    facts, _ = facts_of(own=Own(altered=f"{name} is changed in train.py:2"))
    assert facts.memory is None
    assert facts.missing["time"].startswith(name)
    assert (facts.disk and facts.disk.per_checkpoint) == written


def test_a_target_without_a_gpu_still_knows_the_networks_and_files():
    facts, _ = facts_of(Target("laptop", None, 0))
    assert facts.memory is None
    assert facts.missing["memory"] == 'the target "laptop" has no GPU'
    assert facts.networks


def test_validation_size_comes_from_the_config_or_the_setting():
    size = Settings(validation_size=(100, 200))
    assert facts_of(settings=size)[1] == [None]  # no validation in the config
    assert (100, 200) in facts_of(settings=size, **{"validation.every": 100})[1]
    own = {"validation.every": 100, "validation.height": 64, "validation.width": 96}
    assert (64, 96) in facts_of(settings=size, **own)[1]


def test_a_known_validation_set_is_judged():
    sets = [{"name": "val", "folders": ["datasets/DIV2K/hr"]}]
    facts, asked = facts_of(**{"validation.every": 100, "validation.sets": sets, "scale": 4})
    assert (339, 510) in asked
    assert "memory.validation" not in facts.missing


def test_expandable_segments_are_a_setting():
    plain, _ = facts_of()
    expandable, _ = facts_of(settings=Settings(expandable_segments=True))
    assert expandable.memory.gpus[0].expect != plain.memory.gpus[0].expect
    assert expandable.memory.gpus[0].allocated == plain.memory.gpus[0].allocated


def test_the_users_context_replaces_the_cards():
    facts, _ = facts_of(settings=Settings(context={"card": 900}))
    assert facts.memory.gpus[0].context == 900 * MIB


def test_a_validation_of_unknown_size_has_its_reason():
    facts, _ = facts_of(**{"validation.every": 100})
    assert facts.missing["memory.validation"] == "validation image size unknown: --validation-size HxW"
    assert facts.memory.gpus
    known, _ = facts_of(settings=Settings(validation_size=(64, 64)), **{"validation.every": 100})
    assert "memory.validation" not in known.missing
    assert "memory.validation" not in facts_of()[0].missing


def test_bfloat16_that_is_emulated_is_on_no_tape():
    facts, _ = facts_of(precision="bf16")
    assert [term.direction for term in facts.memory.uncounted] == ["unknown"]
    assert facts_of(precision="fp16")[0].memory.uncounted == ()
    ampere = Target("box", replace(GPU, compute_capability=8.0, bf16_native=True), 1)
    assert facts_of(ampere, precision="bf16")[0].memory.uncounted == ()


def launched(why="no stored profile of this step", **fields):
    """A job launched on two GPUs, where only the step of one GPU can be had."""
    values = {name: Value(value) for name, value in (FIELDS | {"gpus": 2, "launcher": "torchrun"}).items()}
    target = Target("box", replace(GPU, **fields), 2)
    placed = place(TrainSpec(values), target)
    job = SimpleNamespace(spec=placed, problems=(), pins=(), own=None, looked={}, tests=False)

    def trace(step, *, batches=(), validation=None):
        if "parallel" in step:
            raise CannotTraceError(why)
        return two_steps().tape(key=key_of(step), step=step, batches=batches)

    return estimate(job, target, TapeSource(trace=trace), Settings())


def test_a_launched_step_that_is_not_stored_is_at_least_that_of_one_gpu():
    facts = launched()
    alone, _ = facts_of()
    assert len(facts.memory.gpus) == 2
    assert facts.memory.gpus[0].least == alone.memory.gpus[0].least
    assert [term.direction for term in facts.memory.uncounted] == ["more"]
    assert "networks" not in facts.missing


def test_a_process_that_ends_before_its_first_step_takes_no_other_s_memory():
    """As FeMaSR's under a launcher, whose perceptual loss trains nothing (torch: "is not needed when")."""
    why = "DistributedDataParallel needs a parameter that requires a gradient"
    facts = launched(why)
    assert facts.memory is None
    assert facts.missing["memory"] == why


def test_a_step_in_one_piece_is_another_on_a_card_with_a_large_cache():
    noted = dataclasses.replace(two_steps().tape(), notes=(IN_ONE_PIECE,))

    def terms(capability, **more):
        gpu = replace(GPU, compute_capability=capability)
        target = Target("box", gpu, 1)
        values = {name: Value(value) for name, value in (FIELDS | more).items()}
        placed = place(TrainSpec(values), target)
        job = SimpleNamespace(spec=placed, problems=(), pins=(), own=None, looked={}, tests=False)
        tapes = TapeSource(trace=lambda step, **_: dataclasses.replace(noted, key=key_of(step), step=step))
        return estimate(job, target, tapes, Settings()).memory.uncounted

    assert terms(8.9) == terms(12.0) == (IN_PIECES,)
    assert terms(7.5) == terms(9.0) == ()
    half = {"options.model_dtype": "bfloat16"}
    assert (terms(7.5, **half), terms(9.0, **half)) == ((), (IN_PIECES,))
