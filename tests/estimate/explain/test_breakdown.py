# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest tensors of a peak: what made them, in which shape, and how long they live."""

from __future__ import annotations

import pytest

from tests.estimate.toy_tapes import MIB, Writer, two_steps
from trainlint.estimate.explain.breakdown import Moment, breakdown
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.tensors.convolution_shape import shape_of
from trainlint.estimate.tensors.tensor_maker import makers
from trainlint.tape import Op, Size


def op_of(key, dtype="float32"):
    return Op("conv", Size(0), Size(0), Size(0), key, dtype=dtype)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("forward k3x3 64o 3x32x48 s1 p1 d1 g1", (5, 64, 32, 48)),
        ("forward k7x7 96o 3x224x224 s2 p3 d1 g1", (5, 96, 112, 112)),
        ("forward k5x3 8o 8x40x40 s1 p2x1 d2x1 g8", (5, 8, 36, 40)),
        ("forward k3 16o 4x100 s2 p0 d1 g1", (5, 16, 49)),
        ("backward-data k3x3 64o 3x32x48 s1 p1 d1 g1", (5, 3, 32, 48)),
    ],
)
def test_a_convolutions_key_tells_the_shape(key, shape) -> None:
    count = 1
    for side in shape:
        count *= side
    assert shape_of(op_of(key), 4 * count) == shape
    assert shape_of(op_of(key, "float16"), 2 * count) == shape
    assert shape_of(op_of(key), 4 * count + 4) == ()  # what is not whole samples is something else


def test_a_weights_gradient_has_the_weights_shape() -> None:
    key = "backward-weight k3x3 64o 32x10x10 s1 p1 d1 g4"
    assert shape_of(op_of(key), 64 * 8 * 9 * 4) == (64, 8, 3, 3)
    assert shape_of(op_of(key), 64 * 9 * 4) == ()


def test_no_shape_is_invented() -> None:
    assert shape_of(op_of(""), 4096) == ()
    assert shape_of(op_of("forward transposed k4x4 64o 64x8x8 s2 p1 d1 g1"), 64 * 16 * 16 * 4) == ()


def test_an_operator_is_told_by_what_it_writes_and_when() -> None:
    w = Writer()
    w.mark("step 1")
    weight = w.alloc(0, MIB, kind="parameters")
    w.mark("step 2")
    empty = w.alloc(0, 3 * MIB)  # torch.empty: no kernel of its own
    made = w.alloc(0, 2 * MIB)
    w.op("matmul", MIB, 2 * MIB)
    w.op("elementwise", 2 * MIB, 2 * MIB)  # in place
    norm, mean = w.alloc(0, 5 * MIB), w.alloc(0, 512)
    w.op("norm", MIB, 5 * MIB + 512)
    later = w.alloc(0, 4 * MIB)
    w.free(later)
    w.op("copy", 0, 4 * MIB)
    found = makers(Ledger(w.tape()))
    assert found.get(made).kind == "matmul"
    assert found.get(norm).kind == found.get(mean).kind == "norm"
    assert [found.get(index) for index in (weight, empty, later)] == [None] * 3


def test_the_peak_and_its_largest_tensors() -> None:
    w = two_steps()
    parts = breakdown(Ledger(w.tape()), Samples(4, 4))
    assert (parts.moment.phase, parts.moment.module, parts.moment.backward) == (
        "generator backward", "generator:3", False,
    )  # fmt: skip
    assert parts.moment.op.key == "backward-data k3x3 3"
    assert sum(sum(kinds.values()) for kinds in parts.by_network.values()) == parts.allocated
    state, *_ = parts.largest
    assert (state.kind, state.size, state.freed) == ("optimizer", 80 * MIB, None)
    assert (state.made.phase, state.made.before) == ("generator optimizer", True)
    kept = next(tensor for tensor in parts.largest if tensor.kind == "activations")
    assert (kept.size, kept.per_sample, kept.owner) == (32 * MIB, 8 * MIB, "generator:0")
    assert kept.made == Moment("generator forward")
    assert kept.freed == Moment("generator backward")
