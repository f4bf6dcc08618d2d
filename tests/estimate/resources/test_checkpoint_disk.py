# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Checkpoint bytes of Real-ESRGAN as it writes them, and the ways a run can save less or nothing."""

from __future__ import annotations

import pytest

from tests.estimate.toy_tapes import Writer
from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.checkpoint_disk import estimate_disk, unseen_images
from trainlint.model.spec import TrainSpec, Value
from trainlint.tape import File, Network

MB = 10**6
SAVE = (
    File("net_g_5000.pth", 133_600_000),
    File("net_d_5000.pth", 17_600_000),
    File("5000.state", 168_600_000),
)


def disk(**fields):
    names = {name.replace("__", "."): Value(value) for name, value in fields.items()}
    return estimate_disk(TrainSpec({"dialect": Value("basicsr"), **names}), SAVE)


@pytest.mark.parametrize(
    ("iterations", "saves", "numbered_gb"), [(100_000, 20, 6.396), (400_000, 80, 25.584)]
)
def test_realesrgan_keeps_every_save_and_adds_the_latest(iterations, saves, numbered_gb):
    fact = disk(duration__iterations=iterations, checkpoint__every=5000)
    assert (fact.per_checkpoint, fact.checkpoints) == (319_800_000, saves)
    assert fact.final == 151_200_000  # both networks, no state
    assert fact.total == numbered_gb * 1e9 + 151_200_000


def test_an_interval_beyond_the_run_leaves_only_the_latest():
    fact = disk(duration__iterations=100_000, checkpoint__every=10**9)
    assert (fact.checkpoints, fact.total) == (0, 151_200_000)


def test_a_last_partial_interval_is_not_saved():
    assert disk(duration__iterations=14_999, checkpoint__every=5000).checkpoints == 2


def test_keep_limits_what_lies_there():
    fact = disk(duration__iterations=100_000, checkpoint__every=5000, checkpoint__keep=3)
    assert (fact.checkpoints, fact.total) == (3, 3 * 319_800_000 + 151_200_000)


def test_a_save_per_epoch_needs_no_data_set_size():
    files = (File("checkpoint_epoch_N.pth", 192 * MB),)
    fields = {"dialect": "glfcr", "duration.epochs": 10, "checkpoint.every_epochs": 1}
    fact = estimate_disk(TrainSpec({name: Value(value) for name, value in fields.items()}), files)
    assert (fact.checkpoints, fact.final, fact.total) == (10, 0, 1920 * MB)


def test_iterations_over_epochs_need_the_data_set():
    fields = {"duration__epochs": 10, "checkpoint__every": 100}
    with pytest.raises(CannotTraceError, match="number of training images"):
        disk(**fields)
    # 1000 images x 2 over a batch of 16: 125 iterations an epoch, 1250 in all
    assert disk(**fields, data__images=1000, data__enlarge=2, batch__total=16).checkpoints == 12


def test_epochs_between_saves_of_an_iteration_run():
    fields = {"duration__iterations": 1000, "checkpoint__every_epochs": 2, "data__images": 100}
    assert disk(**fields, batch__total=10).checkpoints == 50  # every 20 iterations


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"duration__iterations": 100}, "how often"),
        ({"checkpoint__every": 100}, "how long"),
        ({"duration__iterations": 100, "checkpoint__every": 0}, "is 0"),
    ],
)
def test_what_is_not_known_is_a_reason(fields, reason):
    with pytest.raises(CannotTraceError, match=reason):
        disk(**fields)


def test_no_files_is_a_reason_not_zero_bytes():
    with pytest.raises(CannotTraceError, match="what the trainer saves"):
        estimate_disk(TrainSpec({"duration.iterations": Value(10), "checkpoint.every": Value(1)}), ())


def test_saved_validation_images_are_named_as_left_out():
    fact = disk(duration__iterations=100, checkpoint__every=10, validation__save_images=True)
    assert fact.omits == ("validation images",)


def test_zoom23_keeps_latest_and_best_and_ends_with_the_weights_twice():
    """At 512 pixels: 456 MB each, and 304 MB at the end."""
    files = (File("latest_checkpoint.pth", 456 * MB), File("best_checkpoint.pth", 456 * MB))
    fields = {"dialect": "zoom23", "duration.epochs": 50, "checkpoint.every_epochs": 1, "checkpoint.keep": 1}
    fact = estimate_disk(TrainSpec({name: Value(value) for name, value in fields.items()}), files)
    assert (fact.checkpoints, fact.final, fact.total) == (1, 304 * MB, (912 + 304) * MB)


def test_the_images_of_every_validation_are_kept():
    sets = [{"name": "Set5", "folders": ["datasets/Set5/GTmod12"]}]
    fields = {
        "duration__iterations": 100_000,
        "checkpoint__every": 5000,
        "validation__every": 5000,
        "validation__sets": sets,
    }
    saved = disk(**fields, validation__save_images=True)
    assert saved.images == (round(20 * 5 * 336 * 313 * 1.3), 20 * 5 * 336 * 313 * 3)
    assert disk(**fields, validation__save_images=False).images is None
    assert disk(**fields | {"validation__sets": []}, validation__save_images=True).images is None


@pytest.mark.parametrize(("every", "numbered"), [(1, 22), (3, 8), (100, 1)])
def test_train_vae_saves_its_first_epoch_its_best_and_perhaps_every_one_that_improves(every, numbered):
    fields = {"dialect": "vae", "duration.epochs": 22, "checkpoint.every_epochs": every}
    files = (File("checkpoint_epoch_N.pt", 100),)
    fact = estimate_disk(TrainSpec({name: Value(value) for name, value in fields.items()}), files)
    assert (fact.checkpoints, fact.final, fact.total) == (numbered, 100, numbered * 100 + 100)
    assert fact.most == 2300


def resumed(**fields):
    state = {"resume": "experiments/x/training_states/90000.state"}
    return disk(**{"duration__iterations": 100_000, "checkpoint__every": 5000} | state | fields)


def test_a_resumed_run_writes_only_what_comes_after_its_state_for_certain():
    fact = resumed()
    assert (fact.checkpoints, fact.most) == (20, fact.total)
    assert fact.least == 2 * 319_800_000 + 151_200_000
    assert fact.why == "what the sessions before it have left on the disk is not known"
    assert resumed(resume="elsewhere/latest.state").least == 151_200_000  # nothing says how much is left
    assert resumed(resume="").least == fact.total


def test_a_resumed_run_that_keeps_three_writes_at_most_those():
    assert resumed(checkpoint__keep=3).least == 2 * 319_800_000 + 151_200_000
    assert resumed(checkpoint__keep=1).least == 319_800_000 + 151_200_000


def test_train_vae_has_saved_its_first_epoch_before_it_is_resumed():
    """Of epochs 0, 10 ... 90 five are left from epoch 50 on, which is repeated."""
    fields = {"dialect": "vae", "duration.epochs": 100, "checkpoint.every_epochs": 10, "data.images": 8}
    fields |= {"batch.total": 4, "resume": "out/checkpoint_epoch_50.pt"}
    spec = TrainSpec({name: Value(value) for name, value in fields.items()})
    assert estimate_disk(spec, (File("checkpoint_epoch_N.pt", 100),)).least == 5 * 100 + 100


@pytest.mark.parametrize(("epochs", "most"), [(5, 5), (10, 10), (11, 11), (100, 12)])
def test_timm_writes_a_save_next_to_those_that_it_keeps(epochs, most):
    fields = {
        "dialect": "timm",
        "duration.epochs": epochs,
        "checkpoint.every_epochs": 1,
        "checkpoint.keep": 10,
    }
    spec = TrainSpec({name: Value(value) for name, value in fields.items()})
    fact = estimate_disk(spec, (File("checkpoint-N.pth.tar", 100),))
    assert (fact.least, fact.most) == (min(epochs, 10) * 100, most * 100)


@pytest.mark.parametrize(
    ("fields", "unseen"),
    [
        ({}, True),
        ({"validation__sets": [{"name": "mine", "folders": ["data/mine"]}]}, True),
        ({"validation__sets": [{"name": "Set5", "folders": ["datasets/Set5"]}]}, False),
        ({"validation__sets": []}, False),
        ({"validation__every": 101}, False),
        ({"validation__save_images": False}, False),
    ],
)
def test_images_of_a_set_that_nobody_knows_are_unseen(fields, unseen):
    fields = {"validation__every": 10, "validation__save_images": True} | fields
    fields |= {"duration__iterations": 100, "checkpoint__every": 10}
    spec = TrainSpec({name.replace("__", "."): Value(one) for name, one in fields.items()})
    spec = TrainSpec({**spec.fields, "dialect": Value("basicsr")})
    assert (unseen_images(spec, disk(**fields)) is not None) is unseen


TRAINER_SAVE = (File("adapter_model.safetensors", 168 * MB), File("optimizer.pt", 336 * MB))


def trainer_disk(**fields):
    names = {name.replace("__", "."): Value(value) for name, value in fields.items()}
    return estimate_disk(TrainSpec({"dialect": Value("llamafactory"), **names}), TRAINER_SAVE)


def test_trainer_ends_with_the_weights_once_more():
    fact = trainer_disk(duration__iterations=1000, checkpoint__every=500)
    assert (fact.per_checkpoint, fact.checkpoints, fact.final) == (504 * MB, 2, 168 * MB)
    assert (fact.total, fact.most) == (1176 * MB, 1176 * MB)


def test_trainer_writes_a_checkpoint_before_it_deletes_the_oldest():
    fact = trainer_disk(duration__iterations=2000, checkpoint__every=500, checkpoint__keep=2)
    assert (fact.total, fact.most) == (1176 * MB, 1680 * MB)
    assert fact.why == "a checkpoint is written before the oldest is deleted"


def test_a_run_that_ends_between_two_saves_may_save_its_last_step():
    fact = trainer_disk(duration__iterations=1200, checkpoint__every=500, checkpoint__keep=5)
    assert (fact.checkpoints, fact.most, fact.total - fact.least) == (3, 1680 * MB, 504 * MB)


def test_save_only_model_leaves_the_states_out():
    fact = trainer_disk(duration__iterations=1000, checkpoint__every=500, checkpoint__weights_only=True)
    assert (fact.per_checkpoint, fact.total) == (168 * MB, 504 * MB)


@pytest.mark.parametrize(
    ("optimizer", "saved"),
    [
        ("AdamW8bit", 7),  # as the tape has it
        ("PagedAdamW8bit", 2 * 256 * (256 + 4)),
        ("PagedAdamW", 2 * 4 * 256 * 256),
        ("PagedLion8bit", 256 * (256 + 4)),
    ],
)
def test_states_that_the_driver_may_page_out_are_saved_too(optimizer, saved):
    """A tape has none of them on the card, and torch.save writes them like others."""
    tape = Writer().tape(
        step={"optimizers": [{"role": "model", "type": optimizer}]},
        networks=(Network("model", "Llama", 10**6, 256 * 256),),
        files=(File("adapter_model.safetensors", 5), File("optimizer.pt", 7)),
    )
    assert [file.size for file in tape.saved] == [5, saved]


LORA = (File("lora.safetensors", 100 * MB), File("optimizer.bin", 200 * MB))


def lora(dialect, **fields):
    names = {name.replace("__", "."): Value(value) for name, value in fields.items()}
    return estimate_disk(TrainSpec({"dialect": Value(dialect), **names}), LORA)


@pytest.mark.parametrize(
    ("dialect", "numbered"), [("kohya", 8), ("diffusers", 8), ("simpletuner", 8), ("ai-toolkit", 7)]
)
def test_trainers_of_image_models_end_with_what_is_trained_once_more(dialect, numbered):
    fact = lora(dialect, duration__iterations=2000, checkpoint__every=250)
    assert (fact.checkpoints, fact.final) == (numbered, 100 * MB)
    assert fact.total == numbered * 300 * MB + 100 * MB


def test_sd_scripts_saves_its_last_epoch_at_the_end_alone():
    fact = lora("kohya", duration__epochs=10, checkpoint__every_epochs=2)
    assert (fact.checkpoints, fact.total) == (4, 1300 * MB)
    fact = lora("kohya", duration__epochs=10)
    assert (fact.checkpoints, fact.total) == (0, 100 * MB)


def test_sd_scripts_writes_a_save_before_it_deletes_the_oldest():
    fact = lora("kohya", duration__iterations=20_000, checkpoint__every=10, checkpoint__keep=4)
    assert (fact.checkpoints, fact.total, fact.most) == (4, 1300 * MB, 1600 * MB)


BOTH = {"checkpoint__every": 250, "checkpoint__every_epochs": 2}
TEN_EPOCHS = {"duration__iterations": 1000, "data__images": 100, "batch__total": 1}


@pytest.mark.parametrize(
    ("fields", "checkpoints", "most"),
    [
        ({}, 4 + 4, 4 + 4),
        ({"checkpoint__keep_epochs": 1}, 4 + 1, 4 + 2),
        ({"checkpoint__keep": 2, "checkpoint__keep_epochs": 1}, 2 + 1, 3 + 2),
        ({"checkpoint__every_epochs": 10}, 4, 4),  # the last epoch is saved at the end alone
    ],
)
def test_sd_scripts_saves_by_steps_and_by_epochs_both(fields, checkpoints, most):
    fact = lora("kohya", **TEN_EPOCHS, **(BOTH | fields))
    assert (fact.checkpoints, fact.total) == (checkpoints, (3 * checkpoints + 1) * 100 * MB)
    assert (fact.most, fact.least) == ((3 * most + 1) * 100 * MB, fact.total)


def test_epochs_of_unknown_length_leave_saves_by_both_unknown():
    with pytest.raises(CannotTraceError, match="number of training images"):
        lora("kohya", duration__iterations=1000, **BOTH)


@pytest.mark.parametrize(("states", "number"), [("last", 1), ("kept", 6), ("all", 2001)])
def test_states_that_are_saved_next_to_the_weights_may_fill_the_disk(states, number):
    run = {"duration__iterations": 20_000, "checkpoint__every": 10, "checkpoint__keep": 4}
    plain, fact = lora("kohya", **run), lora("kohya", **run, checkpoint__states=states)
    assert (fact.total, fact.least) == (plain.total, plain.least)
    assert fact.most == plain.most + 10 * number * fact.per_checkpoint
    assert "the states that the trainer saves" in fact.why
