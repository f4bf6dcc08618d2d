# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's seconds: the work of its kernels, worked out by hand, and what machines add to it."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.calibration import MeasuredRow
from trainlint.estimate.memory.card import Share
from trainlint.estimate.speed import Setup, image_pace, pace_of
from trainlint.estimate.speed.batch_paces import paces_of
from trainlint.estimate.speed.kernel_class import class_of, layout_of, rate_of, step_ops
from trainlint.estimate.speed.own_pace import OwnPace, own_pace
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.step_work import step_work
from trainlint.hardware import load_hardware
from trainlint.tape import HELD, Event, Network, Op, Size, Tape

GPUS = load_hardware()
CARD = GPUS.gpu("rtx-3090")
ONE = Share(8, 8)


def op(kind: str, flops: int = 0, moved: int = 0, **more) -> Op:
    """An operator whose work grows with the batch."""
    return Op(kind, Size(0, flops), Size(0, moved), Size(0), **more)


def tape_of(*ops: Op, devices: int = 1, phase: str = "generator backward") -> Tape:
    """Two steps of these operators in one phase, with a validation after them."""
    marks = ("setup", "step 1", "step 2", "validation", phase)
    once = [(int(Event.MARK), 4), *((int(Event.OP), index) for index in range(len(ops)))]
    events = [(int(Event.MARK), 0), (int(Event.MARK), 1), *once, (int(Event.MARK), 2), *once,
              (int(Event.MARK), 3), *once]  # fmt: skip
    networks = (Network("generator", "Net", 1_000_000, 1_000_000),)
    return Tape("k", {}, (), ops, marks, tuple(events), networks, devices=devices)


def test_one_step_is_counted_and_neither_the_first_nor_the_validation() -> None:
    conv = op("conv", flops=10)
    assert step_ops(tape_of(conv, conv)) == ((conv, 1), (conv, 1))


def test_a_kernel_is_bound_by_its_flops_or_by_its_bytes() -> None:
    flops, moved = 10**12, 10**9
    pace = pace_of(tape_of(op("matmul", flops=flops), op("norm", moved=moved)), ONE, CARD)
    figures = factors()
    assert pace.classes == {
        "matmul": pytest.approx(figures.kernel + figures.classes["matmul"] * 8 * flops / 35.58e12),
        "norm": pytest.approx(figures.kernel + figures.classes["norm"] * 8 * moved / 936e9),
    }
    low, middle, high = pace.seconds
    assert middle == pytest.approx(sum(pace.classes.values()))
    assert high / middle == pytest.approx(middle / low) == pytest.approx(figures.spread["reference"])


def test_micro_batches_that_no_tape_has_take_their_time_and_the_optimizer_takes_its_own_once() -> None:
    """A tape has two of a step's micro-batches, whatever the config accumulates."""
    work = op("matmul", flops=10**12)
    accumulated = dataclasses.replace(tape_of(work, work), step={"accumulate": 2})
    two, eight = (pace_of(accumulated, ONE, CARD, Setup(micro_batches=count)).seconds for count in (2, 8))
    assert eight == pytest.approx([4 * seconds for seconds in two])
    optimizer = dataclasses.replace(tape_of(work, work, phase="generator optimizer"), step={"accumulate": 2})
    assert pace_of(optimizer, ONE, CARD, Setup(micro_batches=8)) == pace_of(optimizer, ONE, CARD)
    whole = tape_of(work)  # a program that was recorded: all that it accumulates is there
    assert pace_of(whole, ONE, CARD, Setup(micro_batches=8)) == pace_of(whole, ONE, CARD)
    shares = [Share(size, size) for size in range(1, 12)]
    several = paces_of(accumulated, shares, CARD, Setup(micro_batches=8))
    assert several[3] == pytest.approx(pace_of(accumulated, shares[3], CARD, Setup(micro_batches=8)).seconds)


@pytest.mark.parametrize(
    ("gpu", "kind", "dtype", "tf32", "rate"),
    [
        ("rtx-3090", "conv", "float16", False, 71.2e12),
        ("rtx-3090", "conv", "float32", False, 35.6e12),  # convolutions use TF32 unless it is switched off
        ("a100-80gb", "matmul", "float32", False, 19.5e12),
        ("a100-80gb", "matmul", "float32", True, 156e12),
        ("t4", "conv", "float32", True, 8.1e12),  # Turing has no TF32
        ("p100", "matmul", "float16", False, 9.53e12),  # no tensor cores: fp32's rate with fp32 sums
        ("rtx-3090", "conv-depthwise", "float16", False, 35.58e12),
        ("rtx-3090", "norm", "float16", False, 35.58e12),
    ],
)
def test_the_rate_is_that_of_the_units_that_a_kernel_can_use(gpu, kind, dtype, tf32, rate) -> None:
    found = rate_of(op(kind, dtype=dtype), GPUS.gpu(gpu), tf32=tf32)
    assert found == pytest.approx(rate, rel=0.02)


def test_classes_know_the_layout_of_the_images() -> None:
    last = op("conv", key="forward k3 8o 8x4x4 s1 p1 d1 g1 nhwc")
    norm, copy = op("norm"), op("conv", key=HELD)
    assert layout_of([(last, 5), (norm, 5)]) == " nhwc"
    assert layout_of([(last, 1), (norm, 5)]) == ""  # a transformer's patches are embedded by one convolution
    assert [class_of(each, " nhwc") for each in (last, norm, copy)] == ["conv nhwc", "norm nhwc", "memory"]
    assert [class_of(each, "") for each in (norm, op("softmax"))] == ["norm", "memory"]


@pytest.mark.parametrize(
    ("phase", "each"),
    [
        ("generator forward", "forward"),
        ("forward", "forward"),
        ("generator backward", "other"),
        ("EMA", "other"),
    ],
)
def test_small_kernels_wait_for_the_host(phase: str, each: str) -> None:
    """Which takes longer over what Python calls than over what autograd starts, in any precision."""
    for dtype in ("float32", "float16"):
        pace = pace_of(tape_of(*[op("conv", flops=1, dtype=dtype)] * 1000, phase=phase), ONE, CARD)
        assert pace.host_bound
        assert pace.seconds == pytest.approx([1000 * seconds for seconds in getattr(factors(), each)])


def test_the_gpu_waits_for_the_host_in_one_phase_and_not_in_another() -> None:
    """A forward of small kernels and a backward of large ones take the host's time and then the kernels'."""
    small, large = op("conv", flops=1), op("conv", flops=10**12)
    marks = ("step 2", "generator forward", "generator backward")
    forward, backward = [(int(Event.OP), 0)] * 1000, [(int(Event.OP), 1)] * 10
    figures = factors()
    started, ran = 1000 * figures.forward[1], 10 * figures.classes["conv"] * 8 * 10**12 / 35.58e12
    orders = ((1, forward, backward, started + ran), (2, backward, forward, max(started, ran)))
    for first, one, other, seconds in orders:
        begin, middle = (int(Event.MARK), first), (int(Event.MARK), 3 - first)
        events = ((int(Event.MARK), 0), begin, *one, middle, *other)
        if first == 2:  # kernels that were started before keep the GPU busy while the host calls a forward
            events = (*events, (int(Event.MARK), 2))
        tape = Tape("k", {}, (), (small, large), marks, events, ())
        assert pace_of(tape, ONE, CARD).seconds[1] == pytest.approx(seconds, rel=0.02)
        shares = [ONE] * 12
        assert paces_of(tape, shares, CARD)[5] == pytest.approx(pace_of(tape, ONE, CARD).seconds)


def test_a_measured_step_gives_back_the_pace_that_it_was_made_with() -> None:
    """How slow a host is shows in a step that it rules, how slow a card in one that its kernels rule."""
    small, large = op("conv", flops=10**8), op("conv", flops=10**12)
    marks = ("step 2", "generator forward", "generator backward")
    found = []
    for each in (small, large):
        once = (int(Event.OP), 0)
        events = (
            (int(Event.MARK), 0),
            (int(Event.MARK), 1),
            *[once] * 1000,
            (int(Event.MARK), 2),
            *[once] * 1000,
        )
        tape = Tape("k", {}, (), (each,), marks, events, ())
        for own in (OwnPace(host=2.0), OwnPace(kernels=1.3)):
            seconds = pace_of(tape, ONE, CARD, Setup(own=own)).seconds[1]
            work = step_work(tape, ONE.samples, CARD)
            row = MeasuredRow(CARD.name, "k", 8, 8, "ran", True, seconds=seconds, work=work)
            found.append(own_pace([row], CARD))
    assert found[0].host == pytest.approx(2.0)
    assert found[1].host == pytest.approx(1.0, rel=0.1)
    assert (found[2].kernels, found[3].kernels) == (pytest.approx(1.0), pytest.approx(1.3))
    assert found[2].host is found[3].host is found[0].kernels is None


def test_replicas_forwards_are_called_by_one_host() -> None:
    ops = [op("conv", flops=1), op("conv", flops=1, device=1)] * 100
    tape = tape_of(*ops, devices=2, phase="generator forward")
    moved = 2 * 3 * 4 * 1_000_000 / 12e9
    found = pace_of(tape, Share(8, 32, replicas=4), CARD).seconds[1]
    assert found == pytest.approx(400 * factors().forward[1] + moved)


def test_3x3_convolutions_in_fp32_are_quicker_on_cards_without_tf32() -> None:
    keys = (
        " k3x3 64o 64x56x56 s1 p1 d1 g1",
        " k3x3 64o 64x56x56 s2 p1 d1 g1",
        " k1x1 64o 64x56x56 s1 p0 d1 g1",
    )
    kinds = [
        class_of(op("conv", key=f"{direction}{key}"), "")
        for key in keys
        for direction in ("forward", "backward-weight")
    ]
    assert kinds == ["conv winograd"] * 2 + ["conv"] * 4
    assert class_of(op("conv", key=f"forward{keys[0]}", dtype="float16"), "") == "conv"
    figures = factors()
    turing, ampere = GPUS.gpu("rtx-2080-ti"), CARD
    assert figures.of("conv winograd", turing) < figures.of("conv", turing)
    assert figures.of("conv winograd", ampere) == figures.of("conv", ampere)


@pytest.mark.parametrize(
    ("groups", "quick"),
    [(2, False), (8, False), (32, True), (48, False), (64, True), (72, False), (192, True)],
)
def test_groups_of_channels_last_tensors_are_quick_by_32(groups: int, quick: bool) -> None:
    key = f"backward-input k3x3 256o 256x14x14 s1 p1 d1 g{groups} nhwc"
    kind = class_of(op("conv-grouped", key=key, dtype="float16"), " nhwc")
    assert kind == ("conv-grouped 32 nhwc" if quick else "conv-grouped nhwc")
    contiguous = op("conv-grouped", key=key.removesuffix(" nhwc"), dtype="float16")
    assert class_of(contiguous, "") == "conv-grouped"
    figures = factors()
    assert figures.of(kind, CARD) < figures.of("conv-grouped nhwc", CARD) or not quick


def test_replicas_share_one_host_and_move_weights_over_the_link() -> None:
    both = [op("conv", flops=10**11), op("conv", flops=10**11, device=1)]
    two, four = (pace_of(tape_of(*both, devices=2), Share(8, 8 * n, replicas=n), CARD) for n in (2, 4))
    one = pace_of(tape_of(both[0]), ONE, CARD)
    moved = 2 * 4 * 1_000_000 / 12e9
    assert two.seconds[1] == pytest.approx(one.seconds[1] + moved)
    assert four.seconds[1] == pytest.approx(one.seconds[1] + 3 * moved)


def test_an_all_reduce_may_hide_behind_the_backward_pass() -> None:
    tape = tape_of(op("conv", flops=10**11))
    plain, launched = (pace_of(tape, Share(8, 8, processes=n), CARD) for n in (1, 2))
    assert launched.seconds[0] == plain.seconds[0]
    assert launched.seconds[2] == pytest.approx(plain.seconds[2] + 4 * 1_000_000 / factors().link[0])


def test_torch_compile_widens_the_range_downwards() -> None:
    tape = tape_of(op("conv", flops=10**12))
    plain, compiled = (pace_of(tape, ONE, CARD, Setup(compiled=each)) for each in (False, True))
    assert compiled.seconds[0] == pytest.approx(plain.seconds[0] / 1.51)
    assert compiled.seconds[2] == plain.seconds[2]


def test_without_cudnns_trials_convolutions_take_longer_and_the_range_is_wider() -> None:
    """And nothing else does: a product of matrices has no trials."""
    tape, other = (tape_of(op(kind, flops=10**12)) for kind in ("conv", "matmul"))
    tuned, plain = (pace_of(tape, ONE, CARD, Setup(tuned=each)).seconds for each in (True, False))
    least, usual, most = factors().untuned
    assert plain == pytest.approx((least * tuned[0], usual * tuned[1], most * tuned[2]))
    assert pace_of(other, ONE, CARD, Setup(tuned=False)) == pace_of(other, ONE, CARD)
    shares = [Share(batch, batch) for batch in range(1, 12)]
    assert paces_of(tape, shares, CARD, Setup(tuned=False)) == [
        pytest.approx(pace_of(tape, share, CARD, Setup(tuned=False)).seconds) for share in shares
    ]


def test_a_card_that_nobody_measured_has_a_wider_range() -> None:
    tape = tape_of(op("conv", flops=10**12))
    widths = []
    for name in ("rtx-3090", "t4", "rtx-4090"):
        low, _, high = pace_of(tape, ONE, GPUS.gpu(name)).seconds
        widths.append(high / low)
    assert widths == sorted(widths)
    assert widths[0] < widths[1]


def test_a_card_of_unknown_rates_is_not_timed() -> None:
    with pytest.raises(CannotTraceError, match="rates of the"):
        pace_of(tape_of(op("conv", flops=1)), ONE, replace(CARD, bandwidth=0.0))


def test_every_card_with_figures_of_its_own_exists() -> None:
    names = {gpu.name for gpu in GPUS.gpus()}
    assert set(factors().cards) <= names
    assert factors().reference in names


def test_a_validation_image_is_timed_apart() -> None:
    conv, image = op("conv", flops=10**9), Op("conv", Size(10**12), Size(0), Size(0))
    marks = ("setup", "step 1", "step 2", "validation")
    events = [(int(Event.MARK), 2), (int(Event.OP), 0), (int(Event.MARK), 3), (int(Event.OP), 1)]
    tape = Tape("k", {}, (), (conv, image), marks, tuple(events), (), devices=1)
    paced = image_pace(tape, ONE, CARD)
    found = paced.seconds()
    assert found is not None
    assert found[1] == pytest.approx(
        factors().kernel + factors().classes["conv"] * 10**12 / 35.6e12, rel=0.02
    )
    assert found[0] < found[1] < found[2]
    assert found[1] - paced.seconds(10)[1] == pytest.approx(0.9 * factors().kernel)
    assert pace_of(tape, ONE, CARD).classes["conv"] < found[1]
    assert image_pace(dataclasses.replace(tape, events=tuple(events[:2]), marks=marks[:3]), ONE, CARD) is None
