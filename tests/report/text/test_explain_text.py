# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `explain` prints of a hand-written peak, read as prose once and held since."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.estimate.toy_tapes import MIB, Writer
from tests.report.test_text import same_as_snapshot
from trainlint.estimate.explain.breakdown import LiveTensor, Moment, breakdown
from trainlint.estimate.memory.card import Card
from trainlint.estimate.memory.execution import gpu_memory
from trainlint.estimate.memory.overhead import overhead
from trainlint.estimate.memory.workload import Workload
from trainlint.estimate.replay.footprint import footprint
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.estimate.replay.workspace import CUBLAS, Libraries
from trainlint.model.facts import Image
from trainlint.report.memory.memory_table import rounded
from trainlint.report.memory.moment_text import moment_words, tensor_words
from trainlint.report.style import Style
from trainlint.report.text.explain_text import render_breakdown, title_of
from trainlint.tape import Op, Size

GIB = 1024 * MIB
CARD = Card(12 * GIB, 300 * MIB, 8.6, Libraries(CUBLAS, benchmark=True))
CONVOLUTION = "forward k3x3 64o 64x256x256 s1 p1 d1 g1"
SAMPLES = Samples(12, 12)


def gan():
    """Return a tape of two steps of a GAN: generator, discriminator and a loss network."""
    w = Writer()
    w.mark("setup")
    w.alloc(60 * MIB, kind="parameters", owner="generator:body.0.conv1.weight")
    w.alloc(70 * MIB, kind="ema", owner="generator (EMA):body.0.conv1.weight")
    w.alloc(18 * MIB, kind="parameters", owner="discriminator:conv0.weight")
    w.alloc(76 * MIB, kind="losses", owner="perceptual:vgg.conv1_1.weight")
    w.alloc(1024, kind="buffers", owner="discriminator:conv0.weight_u")
    state = None
    for number in (1, 2):
        w.mark(f"step {number}")
        batch = w.alloc(0, 192 * 1024, kind="inputs", owner="")
        w.mark("generator forward")
        kept = [w.alloc(0, 16 * MIB, owner="generator:body.0.conv1")]
        w.op("conv", 16 * MIB, 16 * MIB, CONVOLUTION)
        kept.append(w.alloc(0, 16 * MIB, owner="generator:"))
        w.op("elementwise", 32 * MIB, 16 * MIB)
        w.mark("losses")
        kept.append(w.alloc(0, 32 * MIB, owner="perceptual:vgg.conv1_1"))
        w.op("conv", 16 * MIB, 32 * MIB, CONVOLUTION)
        w.mark("generator backward")
        back = w.alloc(0, 32 * MIB, kind="other", owner="perceptual:vgg.conv1_1")
        inner = w.alloc(0, 16 * MIB, kind="other", owner="generator:body.0.conv1")
        w.op("conv", 32 * MIB, 16 * MIB, f"backward-data{CONVOLUTION.removeprefix('forward')}")
        w.op("softmax", 32 * MIB, 32 * MIB)
        gradient = w.alloc(60 * MIB, kind="gradients", owner="generator:body.0.conv1.weight")
        w.free(*kept, back, inner)
        w.mark("discriminator step")
        w.free(w.alloc(0, 8 * MIB, owner="discriminator:conv0"))
        w.mark("generator optimizer")
        state = state or w.alloc(120 * MIB, kind="optimizer", owner="generator:optimizer")
        w.free(gradient, batch)
    w.mark("validation")
    w.free(w.alloc(3 * GIB, owner="generator:body.0.conv1"))
    return w.tape()


def workload(tape, *, validation=False, **more):
    book = ledger(tape, validation=validation)
    memory = gpu_memory(footprint(book, SAMPLES, CARD.libraries), CARD)
    return Workload(tape, book, SAMPLES, memory, overhead(book, SAMPLES, CARD), **more)


def page(told):
    return "\n".join((title_of(told), *render_breakdown(breakdown(told.book, SAMPLES), told, Style()))) + "\n"


def test_a_page_of_training_and_one_of_validation() -> None:
    tape = gan()
    image = Image(339, 510, "DIV2K has images of 2040x1356, x4")
    text = f"{page(workload(tape))}\n{page(workload(tape, validation=True, image=image))}"
    same_as_snapshot("explain.txt", text)


def test_what_is_beyond_the_tensors_sums_to_nvidia_smis_figure() -> None:
    told = workload(gan())
    assert sum(told.overhead.values()) == told.memory.expect - told.memory.allocated
    assert told.overhead["cudnn_workspace"] > 0
    assert min(told.overhead.values()) >= 0


@given(st.dictionaries(st.text("abc"), st.integers(0, 10**12), min_size=1), st.integers(1, 10**9))
def test_rounded_figures_sum_to_the_rounded_sum(sizes, step) -> None:
    whole = round(sum(sizes.values()) / step)
    steps = rounded(sizes, step, whole)
    assert sum(steps.values()) == whole
    assert all(abs(steps[name] - sizes[name] / step) <= 1 for name in sizes)


def test_a_peak_in_a_backward_pass_of_a_step_that_is_named_otherwise() -> None:
    op = Op("conv", Size(0), Size(0), Size(0), "backward-weight k3x3 64o 3x32x32 s1 p1 d1 g1")
    moment = Moment("discriminator step", "discriminator:conv0", op, backward=True)
    assert moment_words(moment) == (
        "in the discriminator's step, in a backward pass, at discriminator:conv0"
        " (gradient of a 3x3 convolution's weight)"
    )


def test_a_tensor_that_outlives_its_step() -> None:
    made = Moment("generator forward", before=True)
    tensor = LiveTensor(1, "kept_results", "generator:", made, Moment("losses"), None, per_sample=3 << 20)
    assert tensor_words(tensor) == (
        "3.0 MiB per sample; made in the generator's forward pass of the step before, freed in the losses"
    )
