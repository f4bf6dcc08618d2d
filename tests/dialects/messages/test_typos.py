# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A key is called a slip only where it can be nothing else."""

from __future__ import annotations

import pytest

from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.dialects.messages.typos import is_slip, legible, meant, nearest, read_instead
from trainlint.documents.file_format import read
from trainlint.model.document import Source


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("manual_seeed", "manual_seed"),
        ("manaul_seed", "manual_seed"),
        ("total_itr", "total_iter"),
        ("sheduler", "scheduler"),
        ("warmup_itter", "warmup_iter"),
        ("milestone_x", "milestane_x"),
        ("per_device_train_batchsize", "per_device_train_batch_size"),
    ],
)
def test_slips(written, name):
    assert is_slip(written, name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("use_flip", "use_hflip"),
        ("optim_d", "optim_g"),
        ("lr_g", "lr_d"),
        ("resize_prob2", "resize_prob"),
        ("gt_sizes", "gt_size"),
        ("dataroot_GT", "dataroot_gt"),
        ("network_l", "network_d"),
        ("val_freq", "save_freq"),
        ("manual_seed", "manual_seed"),
        ("conv1_2", "conv2_2"),
    ],
)
def test_no_slips(written, name):
    assert not is_slip(written, name)


def test_a_known_key_that_is_already_there_was_not_meant():
    assert meant("manual_seeed", ["manual_seed"], ["manual_seeed"]) == "manual_seed"
    assert meant("manual_seeed", ["manual_seed"], ["manual_seeed", "manual_seed"]) is None


def test_choices_are_closed_so_a_looser_guess_will_do():
    assert nearest("multisteplr", ["MultiStepLR", "MultiStepRestartLR"]) == "MultiStepLR"
    assert nearest("zzz", ["MultiStepLR"]) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [("presicion", "precision"), ("presition", "precision"), ("optimiser", "optimizer"), ("bacth", "batch")],
)
def test_a_long_word_is_known_with_two_letters_wrong(written, name):
    assert nearest(written, ["batch", "precision", "optimizer", "iterations"]) == name


@pytest.mark.parametrize("written", ["emission_x", "batching_x", "proxy", "loss"])
def test_another_word_is_not_taken_for_it(written):
    assert nearest(written, ["batch", "precision", "optimizer"]) is None


@pytest.mark.parametrize(
    ("written", "name", "worth"),
    [
        ("presicion", "precision", True),
        ("batch_sise_per_gpu", "batch_size_per_gpu", True),
        ("compress_h265_range", "compression_heif_range", False),
        ("resize_prob3", "resize_prob2", False),
    ],
)
def test_a_forks_own_key_near_a_known_one_is_no_slip_of_it(written, name, worth):
    assert legible(written, name) is worth


def test_a_phase_one_letter_off_train_is_named() -> None:
    text = (
        "scale: 4\nmodel_type: SRModel\nnetwork_g: {type: MSRResNet}\n"
        "datasets:\n  trian: {type: PairedImageDataset, gt_size: 128, batch_size_per_gpu: 4}\n"
        "train: {total_iter: 9, optim_g: {type: Adam}}\nlogger: {save_checkpoint_freq: 9}\n"
    )
    (document,) = read(Source("a.yml", text))
    dialect = recognise(document, load_dialects())
    assert dialect is not None
    (job,) = normalise(document, dialect)
    assert 'BasicSR does not read "trian" in "datasets"; did you mean "train"?' in [
        problem.message for problem in job.problems
    ]


def test_neighbours_that_changed_places_in_a_short_word() -> None:
    """A swap is two of four letters: rnak was no more like rank than like many words."""
    assert nearest("rnak", ["rank", "resolution", "report_to"]) == "rank"
    assert nearest("lr", ["rl", "rank"]) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("sequence_lenght", "sequence_len"),
        ("max_step", "max_steps"),
        ("lora_target_linears", "lora_target_linear"),
        ("load_in_4bits", "load_in_4bit"),
        ("lora_rank", "lora_r"),
        ("lora_rank2", None),
        ("my_own", None),
        ("sequence", None),
        ("load_in_2bit", None),
    ],
)
def test_a_key_that_nothing_reads_is_guessed_at(written, name):
    known = ["sequence_len", "max_steps", "lora_target_linear", "load_in_4bit", "load_in_8bit", "lora_r"]
    assert read_instead(written, known, [written]) == name


def test_a_key_that_could_be_two_is_neither():
    assert read_instead("lora_rank", ["lora_r", "lora_ranks", "lora_rankk"], []) is None
