# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many images a run validates on, dialect by dialect, and how many one GPU computes."""

from __future__ import annotations

import pytest

from trainlint.estimate.run.validation import Validation, validates, validation_of
from trainlint.model.facts import Image
from trainlint.model.spec import TrainSpec, Value

LARGEST = Image(512 // 4, 768 // 4, "monarch.png")
SETS = [{"name": "", "folders": ["datasets/Set5/HR"]}, {"name": "", "folders": ["datasets/Set14/HR"]}]
VAE = {"dialect": "vae", "duration.epochs": 9, "data.images": 901, "batch.total": 4, "batch.per_process": 4}
EPOCHS = {"options": {"validation_epochs": 1}}


def found(given=None, image=LARGEST, **fields):
    values = {name.replace("__", "."): value for name, value in fields.items()}
    return validation_of(TrainSpec({name: Value(value) for name, value in values.items()}), image, given)


def test_known_sets_are_as_many_images_as_they_have_pixels() -> None:
    fields = {"validation.every": 100, "scale": 4, "validation.sets": SETS}
    one = found(**fields)
    count = (5 * 336 * 313 + 14 * 512 * 768) / (512 * 768)
    assert (one.every, one.together) == (100, 1)
    assert one.images == (0.0, pytest.approx(count), pytest.approx(count))
    unknown = [*SETS, {"name": "", "folders": ["mine/hr"]}]
    assert found(**fields | {"validation.sets": unknown}) is None
    assert found(7, **fields | {"validation.sets": unknown}).images == (0.0, 7, 7)


@pytest.mark.parametrize(("trained", "held"), [(9, (0, 1)), (900, (99, 100)), (901, (100, 100)), (5, (0, 0))])
def test_train_vae_keeps_a_tenth_of_what_it_finds(trained, held) -> None:
    assert any(whole - int(whole * 0.1) == trained and int(whole * 0.1) in held for whole in range(2000))
    one = found(**VAE | EPOCHS | {"data.images": trained, "batch.per_process": 1})
    assert one.images == (*held, held[1])
    assert found(**VAE | EPOCHS | {"data.images": trained}).images == (0, held[1], held[1])  # in a batch


def test_an_epoch_is_as_many_iterations_as_its_loader_has_batches() -> None:
    one = found(**VAE | EPOCHS)
    assert (one.every, one.together) == (225, 4)
    assert found(**VAE | {"options": {"validation_epochs": 3}}).every == 675
    assert found(**{name: value for name, value in VAE.items() if name != "data.images"} | EPOCHS) is None


@pytest.mark.parametrize(
    ("dialect", "parallel", "images"),
    [
        ("glfcr", "none", (100, 100, 100)),
        ("glfcr", "dp", (50, 50, 100)),  # replicas may save nothing
        ("glfcr", "ddp", (100, 100, 100)),  # in the first process alone
        ("timm", "ddp", (50, 50, 50)),
    ],
)
def test_the_images_of_a_validation_fall_to_gpus_as_the_trainer_has_it(dialect, parallel, images) -> None:
    fields = VAE | EPOCHS | {"dialect": dialect, "parallel": parallel, "gpus": 2 if parallel != "none" else 1}
    fields["batch.per_process"] = 1
    assert found(100, **fields).images == images
    assert not found(100, **fields).assumed


def test_images_that_nobody_counts_are_at_most_as_many_as_training_has() -> None:
    one = found(**VAE | EPOCHS | {"dialect": "timm", "data.images": 900})
    assert (one.images, one.assumed) == ((0, 450, 900), True)
    assert not found(**VAE | EPOCHS).assumed


def test_an_averaged_copy_is_validated_too() -> None:
    options = {"options": {"validation_epochs": 1, "validation_passes": 2}}
    assert found(100, **VAE | options | {"dialect": "timm"}).images == (0, 200, 200)


def test_a_run_validates_by_iterations_by_epochs_or_not() -> None:
    for fields, answer in (({"validation.every": 5}, True), (EPOCHS, True), ({"validation.every": 0}, False)):
        assert validates(TrainSpec({name: Value(value) for name, value in fields.items()})) is answer
    assert not validates(TrainSpec({}))


def test_the_share_of_an_iteration() -> None:
    assert Validation(100, (0.0, 50, 100)).share((1.0, 2.0, 3.0)) == (0.0, 1.0, 3.0)
