# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory in words: whose figures they are, what decides, and the largest batch in the config's own unit."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.report.report_samples import GIB, gpu, kaggle
from trainlint.judge.message_template import UNITS
from trainlint.model.facts import CropStage, Image, LargestBatch, Library, Limits, Memory, NamedTensor
from trainlint.model.units import bytes_text, gib, seconds
from trainlint.report.memory.memory_text import memory_block, memory_line
from trainlint.report.style import Style


def lines(memory):
    return list(memory_block(memory, kaggle(), Style(verbose=True)))


def one(*, train, test=None, **more):
    """Return the memory of a run on one GPU of 14.56 GiB whose training and validation need this much."""
    phase = "validation" if test is not None and test > train else "train"
    image = Image(512, 512, "the size given") if test is not None else None
    return Memory(
        gpus=(gpu(train - 0.5, train, train + 0.5, train + 1),),
        parts={"activations": int((train - 0.5) * GIB)},
        saved_per_sample=GIB,
        peak_phase=phase,
        validation=None if test is None else gpu(test - 0.3, test, test, test),
        image=image,
        **more,
    )


def test_only_what_decides_is_shown_unless_asked_for_more() -> None:
    short = NamedTensor(GIB // 2, "activations", "perceptual:conv1_2")
    (_, *rest), every = (
        list(memory_block(replace(failing_two_gpus(), short=short), kaggle(), Style(verbose=verbose)))
        for verbose in (False, True)
    )
    assert rest == [
        "  GiB     training",
        "  least      20.00  the smallest card it can run on",
        "  expect     20.50  what nvidia-smi will show",
        "  out of memory at the latest where perceptual:conv1_2 asks for 512 MiB",
        "  a batch of 3 per GPU is the limit, and tight",
    ]
    assert any("the same on each of the 2 GPUs" in line for line in every)
    assert any("training's tensors" in line for line in every)


def test_cudnn_is_shown_where_only_it_fills_the_card() -> None:
    (_, *rest) = memory_block(one(train=14), kaggle(), Style())
    assert [line.split()[0] for line in rest[1:-1]] == ["least", "expect", "worst"]


def test_the_image_is_named_where_validation_decides() -> None:
    image = "  validation is of 512x512 (the size given)"
    assert image in list(memory_block(one(train=8, test=20), kaggle(), Style()))
    assert image not in list(memory_block(one(train=20, test=8), kaggle(), Style()))


def failing_two_gpus() -> Memory:
    memory = one(train=20, limits=Limits(largest_batch=3))
    return replace(memory, gpus=memory.gpus * 2)


def test_validation_that_decides_is_told_apart_from_training() -> None:
    short = NamedTensor(128 * GIB, "forward_temporaries", "generator:body.0.attention")
    memory = one(
        train=8, test=640, validation_parts={"forward_temporaries": 639 * GIB, "inputs": GIB},
        validation_short=short, validation_largest=replace(short, size=256 * GIB),
        short=NamedTensor(1, "activations", "generator:never"), limits=Limits(largest_batch=2),
    )  # fmt: skip
    head, *rest = lines(memory)
    assert head.endswith("training fits, validation does not fit in the 14.56 GiB that torch sees there")
    assert rest == [
        "  GiB      training  validation",
        "  least        8.00      640.00  the smallest card it can run on",
        "  expect       8.50      640.00  what nvidia-smi will show",
        "  worst        9.00      640.00  99 of 100 measured runs took no more",
        "  tensors      7.50      639.70  alive at the peak",
        "  out of memory at the latest where generator:body.0.attention asks for 128.00 GiB",
        "  the largest tensor takes 256.00 GiB (forward temporaries, generator:body.0.attention)",
        "  validation is of 512x512 (the size given)",
        "  training's tensors: activations 7.50",
        "  validation's tensors by kind: forward temporaries 639.00, input batch 1.00",
        "  a batch of 2 per GPU is the limit, and tight",
    ]  # fmt: skip
    assert memory_line(memory) == "memory at least 640.00 of 14.56 GiB at validation"


def test_where_neither_fits_both_are_named() -> None:
    assert "validation does not fit in the 14.56 GiB that torch sees there, nor does training" in lines(
        one(train=15, test=20)
    )[0]  # fmt: skip
    assert "training does not fit" in lines(one(train=20, test=15))[0]


def test_stages_have_a_column_each() -> None:
    stages = (CropStage(1, 128, 8, gpu(9, 10, 11, 12)), CropStage(2, 256, 2, gpu(19, 20, 21, 22)))
    text = "\n".join(lines(replace(one(train=20), stages=stages)))
    assert "stage 2 does not fit" in text
    assert "  GiB      stage 1  stage 2\n  least      10.00    20.00  the smallest card" in text
    assert "stages, with samples per GPU: 1 crop 128, batch 8; 2 crop 256, batch 2" in text
    assert "stage 2's tensors: activations" in text


@pytest.mark.parametrize(
    ("batch", "gpus", "text"),
    [
        (None, 1, "a batch of 30 per GPU is the limit, 27 is safe"),
        (LargestBatch("batch_size", 30, 30), 1, "batch_size 30 is the limit, 27 is safe"),
        (
            LargestBatch("batch_size_per_gpu", 15, 60), 2,
            "batch_size_per_gpu 15 is the limit (60 samples a step, up to 30 on each of 2 GPUs), 27 is safe",
        ),
        (
            LargestBatch("batch_size_per_gpu", 7, 28), 1,
            "batch_size_per_gpu 7 is the limit (28 samples a step, all on one GPU), 27 is safe",
        ),
        (
            LargestBatch("batch_size_per_gpu", 0, 0), 1,
            "not even batch_size_per_gpu 1 fits: it puts more than 30 samples on one GPU",
        ),
    ],
)  # fmt: skip
def test_the_largest_batch_is_what_the_user_would_write(batch, gpus, text) -> None:
    memory = one(train=15, limits=Limits(batch=batch, largest_batch=30, safe_batch=27))
    assert lines(replace(memory, gpus=memory.gpus * gpus))[-1] == f"  {text}"


def test_processes_that_all_need_the_same_are_not_listed() -> None:
    memory = one(train=15)
    text = "\n".join(lines(replace(memory, gpus=memory.gpus * 8)))
    assert "the same on each of the 8 GPUs" in text
    assert "GPU 7" not in text


def test_a_process_that_wants_more_than_the_card_takes_all_of_it() -> None:
    wanted = one(train=14)
    wanted = replace(wanted, gpus=(replace(wanted.gpus[0], expect=16 * GIB, worst=17 * GIB),))
    (expect,) = (line for line in lines(wanted) if line.split()[:1] == ["expect"])
    assert expect.endswith("what nvidia-smi would show of a larger card; of this one it takes all")
    (expect,) = (line for line in lines(one(train=20)) if line.split()[:1] == ["expect"])
    assert expect.endswith("what nvidia-smi will show")  # it stops before that


@pytest.mark.parametrize(
    ("size", "short", "long"),
    [
        (14.56 * GIB, "14.56", "14.56 GiB"),
        (19057.27 * GIB, "19,057", "19,057 GiB"),
        (999 * GIB, "999.00", "999.00 GiB"),
    ],
)
def test_sizes_beyond_any_gpu_are_rounded(size, short, long) -> None:
    assert (gib(size), bytes_text(size), UNITS["GiB"](size)) == (short, long, long)


def test_the_library_that_decided_is_named_with_what_the_files_ask_for():
    memory = one(train=8, library=Library("timm", "1.0.31"))
    assert memory_line(memory) == "memory 8.00 to 8.50 of 14.56 GiB, with timm 1.0.31"
    asked = Library("timm", "1.0.31", "requirements.txt pins timm 1.0.9", agrees=False)
    said = ", with timm 1.0.31 (though requirements.txt pins timm 1.0.9)"
    assert memory_line(one(train=8, library=asked)).endswith(said)
    assert said in lines(one(train=80, library=asked))[0]


def test_a_step_of_days_is_said_in_days():
    assert [seconds(one) for one in (0.0421, 0.42, 3599, 7200, 14_355_797)] == [
        "42 ms", "0.42 s", "3599.00 s", "2.0 h", "166 days",
    ]  # fmt: skip
