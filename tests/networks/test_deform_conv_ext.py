# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What stands in for BasicSR's compiled deformable convolution: the buffers of deform_conv_cuda.cpp."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402 - after the skip

from trainlint.errors import CannotTraceError  # noqa: E402  # after importorskip
from trainlint_zoo.blocks.alignment import unmodulated  # noqa: E402  # after importorskip
from trainlint_zoo.blocks.extensions import OPERATORS, modulated, modulated_back  # noqa: E402  # after importorskip

B, CIN, COUT, H, W, GROUPS = 3, 8, 12, 5, 7, 2
HOW = (3, 3, 1, 1, 1, 1, 1, 1, GROUPS, 1)


class Storages(TorchDispatchMode):
    """The sizes of what is made, views and what is written in place aside."""

    def __init__(self):
        super().__init__()
        self.sizes = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {each.untyped_storage().data_ptr() for each in args if isinstance(each, torch.Tensor)}
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor) and made.untyped_storage().data_ptr() not in given:
            self.sizes.append(made.numel())
        return made


@pytest.fixture
def given():
    shapes = {
        "x": (B, CIN, H, W), "weight": (COUT, CIN // GROUPS, 3, 3), "bias": (COUT,), "offset": (B, 18, H, W),
        "mask": (B, 9, H, W), "made": (B, COUT, H, W), "none": (0,),
    }  # fmt: skip
    return {name: torch.ones(shape) for name, shape in shapes.items()}


def forward(given, with_bias: bool = True) -> None:
    names = ("x", "weight", "bias", "none", "offset", "mask", "made", "none")
    modulated(*(given[name] for name in names), *HOW, with_bias)


@pytest.mark.parametrize("with_bias", [True, False])
def test_forward_makes_ones_and_the_columns_of_one_sample(given, with_bias):
    with Storages() as storages:
        forward(given, with_bias)
    assert storages.sizes == [H * W, CIN * 9 * H * W]
    assert bool((given["made"] == float(with_bias)).all())  # the columns are zeros: nothing is sampled here


def test_backward_makes_the_same_two_and_fills_what_it_is_given(given):
    names = ("x", "weight", "bias", "none", "offset", "mask", "none")
    grads = [torch.zeros_like(given[name]) for name in ("x", "weight", "bias", "offset", "mask")]
    with Storages() as storages:
        modulated_back(*(given[name] for name in names), *grads, given["made"], *HOW, True)
    assert storages.sizes == [H * W, CIN * 9 * H * W]
    assert bool((grads[2] == B * H * W).all())


def test_an_input_that_is_not_contiguous_stops_it_as_it_stops_the_operator(given):
    given["x"] = given["x"].transpose(2, 3)
    with pytest.raises(CannotTraceError, match="contiguous"):
        forward(given)


def plain(given, chunk: int) -> None:
    names = ("x", "weight", "offset", "made", "none", "none")
    unmodulated.forward(*(given[name] for name in names), *HOW, chunk)


@pytest.mark.parametrize("chunk", [1, B])
def test_without_a_mask_a_chunk_of_samples_is_unrolled_and_made_in_its_own_order(given, chunk):
    with Storages() as storages:
        plain(given, chunk)
    assert storages.sizes == [CIN * 9 * chunk * H * W, H * W, B * COUT * H * W]
    assert not given["made"].any()


@pytest.mark.parametrize(("chunk", "copied"), [(1, []), (B, [COUT // GROUPS * B * H * W] * GROUPS)])
def test_its_input_s_gradient_copies_the_gradients_of_several_samples_by_groups(given, chunk, copied):
    grads = [torch.zeros_like(given[name]) for name in ("x", "offset")]
    names = ("x", "offset", "made")
    with Storages() as storages:
        unmodulated.to_input(
            *(given[name] for name in names), *grads, given["weight"], given["none"], *HOW, chunk
        )
    assert storages.sizes == [CIN * 9 * chunk * H * W, *copied]


def to_weight(given, chunk: int) -> None:
    names = ("x", "offset", "made", "weight", "none", "none")
    unmodulated.to_weight(*(given[name] for name in names), *HOW, 1, chunk)


def test_its_weight_s_gradient_copies_those_of_all_samples(given):
    with Storages() as storages:
        to_weight(given, 1)
    assert storages.sizes == [CIN * 9 * H * W, B * COUT * H * W]


def test_its_weight_s_gradient_stops_with_several_samples_at_once_as_the_operator_does(given):
    with pytest.raises(CannotTraceError, match="cannot view those of several samples"):
        to_weight(given, B)


def test_its_weight_has_to_be_contiguous_as_the_operator_asks(given):
    given["weight"] = given["weight"].transpose(2, 3)
    with pytest.raises(CannotTraceError, match="weight has to be contiguous"):
        plain(given, 1)


@pytest.mark.parametrize("name", ["forward", "backward_input", "backward_parameters"])
def test_both_are_found_by_the_names_that_the_module_has(name):
    assert OPERATORS[f"deform_conv_ext.deform_conv_{name}"].__module__ == unmodulated.__name__
    assert OPERATORS["deform_conv_ext.modulated_deform_conv_forward"] is modulated
