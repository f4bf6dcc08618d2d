# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Own code that speaks to the GPU is traced as on one; what only the imitation refuses is no verdict."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import networks_of
from trainlint.trace.building.refusal import constructed
from trainlint.trace.cuda import seen_device
from trainlint.trace.trace import trace

WIDTH = 64


class Own(nn.Module):
    """Two layers with a word between them; `says` is what own code does there."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.last(self.says(self.first(x)))

    def says(self, x):
        return x


class AutocastOff(Own):
    def says(self, x):
        with torch.autocast(device_type=x.device.type, enabled=False):
            assert not torch.is_autocast_enabled()
            return x.float() * 2


class OldAutocast(Own):
    def says(self, x):
        with torch.cuda.amp.autocast(enabled=False):
            return x.float() * 2


class AsksAutocast(Own):
    def says(self, x):
        kind = x.device.type
        assert torch.is_autocast_enabled(kind) == torch.is_autocast_enabled()
        return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x.float()


class OldFunction(torch.autograd.Function):
    @staticmethod
    @torch.cuda.amp.custom_fwd
    def forward(ctx, x):
        assert x.is_cuda
        return x * 2

    @staticmethod
    @torch.cuda.amp.custom_bwd
    def backward(ctx, gradient):
        assert gradient.is_cuda
        return gradient * torch.full((1,), 2.0, device=gradient.device)


class NewFunction(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x):
        assert x.dtype == torch.float32
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, gradient):
        return gradient * 2


class Functions(Own):
    def says(self, x):
        return NewFunction.apply(OldFunction.apply(x))


class Asks(Own):
    def says(self, x):
        assert x.is_cuda
        assert x.device == torch.device("cuda", torch.cuda.current_device())
        assert x.get_device() == 0
        assert torch.cuda.is_available()
        assert not torch.zeros(1, device="cpu").is_cuda
        return x


class Makes(Own):
    def says(self, x):
        rows = torch.arange(WIDTH, device="cuda", dtype=x.dtype) + torch.zeros(WIDTH).cuda()
        rows = rows + torch.ones(WIDTH).to("cuda") + torch.ones(WIDTH).to(device=x.device, dtype=x.dtype)
        rows = rows + torch.zeros_like(rows, device="cuda:0") + x.new_ones(WIDTH, device="cuda")
        return x + rows + torch.randn(1, generator=torch.Generator(device=x.device), device=x.device)


class Guards(Own):
    def says(self, x):
        torch.cuda.synchronize()
        with torch.cuda.device(x.device), torch.cuda.device_of(x), torch.device("cuda"):
            return x + torch.zeros(1)


class BuiltThere(Own):
    def __init__(self) -> None:
        super().__init__()
        there = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.scale = nn.Parameter(torch.ones(WIDTH, device=there))
        self.middle = nn.Linear(WIDTH, WIDTH, device="cuda")
        self.register_buffer("steps", torch.linspace(0, 1, WIDTH).cuda())
        self.to("cuda").cuda()

    def says(self, x):
        return self.middle(x) * self.scale + self.steps


class Checkpointed(Own):
    def says(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)

    def inner(self, x):
        assert x.is_cuda
        return torch.relu(x) * torch.ones(1, device=x.device)


class Scripted(Own):
    def says(self, x):
        return torch.jit.script(shifted)(x)


def shifted(x: torch.Tensor) -> torch.Tensor:
    return x + torch.zeros(1, dtype=x.dtype, device=x.device)


class NeedsAutocast(Own):
    def __init__(self) -> None:
        super().__init__()
        self.halves = nn.Parameter(torch.ones(WIDTH, WIDTH, dtype=torch.float16))

    def says(self, x):
        return torch.einsum("bi,ij->bj", x, self.halves)


class NoMeta(Own):
    def says(self, x):
        if x.is_meta:
            raise ValueError("tensors need values here")
        return x


class NewCard(Own):
    def says(self, x):
        if torch.cuda.get_device_capability(x.device)[0] < 9:
            raise ValueError("this card is too old")
        return x


class TwoCards(Own):
    def __init__(self) -> None:
        super().__init__()
        if torch.cuda.device_count() < 2:
            raise ValueError("expected two of them")


class Wrong(Own):
    def says(self, x):
        return torch.cat([x, x], dim=-1)


class Picky(Own):
    def says(self, x):
        assert x.shape[-1] % 7 == 0, "the width must be a multiple of 7"
        return x


def traced(kind: type[Own], precision: str = "fp32"):
    step = {
        "recipe": "trainlint", "dialect": "trainlint", "networks.generator.arch": "own:Net",
        "options": {"input": [WIDTH]}, "losses": [{"role": "loss", "type": "mse"}], "precision": precision,
        "optimizers": [{"role": "generator", "type": "AdamW"}],
    }  # fmt: skip
    with networks_of(lambda _, name, args: constructed(name, kind, **args)):
        return trace(step, verify=False)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize(
    "kind",
    [
        AutocastOff,
        OldAutocast,
        AsksAutocast,
        Functions,
        Asks,
        Makes,
        Guards,
        BuiltThere,
        Checkpointed,
        Scripted,
    ],
)
def test_an_idiom_of_the_gpu_is_traced(kind, precision):
    assert traced(kind, precision).events


def test_what_is_moved_to_the_gpu_takes_memory_there():
    def live(kind):
        return ledger(traced(kind)).peak(Samples(2, 2)).allocated

    assert live(BuiltThere) >= live(Own) + 4 * 4 * WIDTH * WIDTH  # weights, gradients and AdamW's two states


def test_weights_in_half_precision_are_taken_under_autocast():
    assert traced(NeedsAutocast, "bf16").events
    with pytest.raises(BadArgumentsError, match="does not take this input"):
        traced(NeedsAutocast)


@pytest.mark.parametrize("kind", [Wrong, Picky])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_what_a_gpu_refuses_too_stays_a_refusal(kind, precision):
    with pytest.raises(BadArgumentsError, match="does not take this input") as told:
        traced(kind, precision)
    assert told.value.about == "options.input"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (NoMeta, "does not take this input where a GPU is imitated: tensors need values here$"),
        (NewCard, r"this card is too old \(its code asks torch.cuda.get_device_capability\(\), which is not"),
        (TwoCards, r"own:Net cannot be built here: .* \(its code asks torch.cuda.device_count\(\)"),
    ],
)
def test_what_only_the_imitation_refuses_is_not_judged(kind, reason):
    with pytest.raises(CannotTraceError, match=reason) as told:
        traced(kind)
    assert not isinstance(told.value, BadArgumentsError)


def test_torch_and_what_comes_after_see_the_truth():
    before = torch.zeros, torch.Tensor.device, torch.cuda.is_available, torch.Generator
    with seen_device.gpu("flash"):
        kept = torch.zeros
        assert nn.Parameter(torch.zeros(1, device="cuda")).device == torch.device("cuda", 0)
        assert torch.optim.Adam([nn.Parameter(torch.zeros(1, device="meta"))], foreach=True)
    assert before == (torch.zeros, torch.Tensor.device, torch.cuda.is_available, torch.Generator)
    assert kept(1).device.type == "cpu"
    assert torch.zeros(1, device="meta").device.type == "meta"
