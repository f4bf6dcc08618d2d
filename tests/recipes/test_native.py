# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step of trainlint's own dialect, in bytes that can be counted by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import networks_of
from trainlint.trace.trace import trace

pytestmark = pytest.mark.quick

WIDTH = 256
MATRIX = WIDTH * WIDTH * 4
ROW = WIDTH * 4


class Plain(nn.Module):
    """One matrix without a bias."""

    def __init__(self, out=WIDTH):
        super().__init__()
        self.layer = nn.Linear(WIDTH, out, bias=False)

    def forward(self, x):
        return self.layer(x)


class Pair(Plain):
    def forward(self, x):
        return x, x


class Switched(Plain):
    switched = False

    def set_grad_checkpointing(self):
        Switched.switched = True


class Attending(Plain):
    """Four tokens that attend to each other, in four heads."""

    def forward(self, x):
        tokens = self.layer(x).reshape(-1, 4, 4, WIDTH // 16)
        return nn.functional.scaled_dot_product_attention(tokens, tokens, tokens).reshape(x.shape)


NETS = {"a:Attending": Attending, "a:Plain": Plain, "a:Pair": Pair, "a:Switched": Switched}


def made(arch="a:Plain", **more):
    step = {
        "recipe": "trainlint", "dialect": "trainlint", "networks.generator.arch": arch,
        "options": {"input": [WIDTH]}, "losses": [{"role": "loss", "type": "mse"}],
        "optimizers": [{"role": "generator", "type": "SGD"}],
    }  # fmt: skip
    with networks_of(lambda _, name, args: NETS[name](**args) if name in NETS else None):
        return trace(step | more, verify=False)


def peak(tape, batch=512, **kinds):
    found = ledger(tape)
    moment = found.peak(Samples(batch, batch))
    parts = found.parts(Samples(batch, batch), moment, lambda block: block.kind)
    return parts if kinds else moment.allocated


def test_state_of_the_optimizer_and_the_average():
    plain = peak(made())
    adam = peak(made(optimizers=[{"role": "generator", "type": "Adam"}]))
    assert adam - plain == pytest.approx(2 * MATRIX, abs=2048)  # and a step counter
    assert peak(made(ema=1)) - plain == pytest.approx(MATRIX, abs=2048)


def test_what_a_sample_keeps():
    tape = made()
    # input, target, output and the output's gradient: four rows per sample when the loss is differentiated
    assert peak(tape, 1024) - peak(tape, 512) == pytest.approx(512 * 4 * ROW, rel=0.01)


def test_mixed_precision_halves_the_output():
    parts = peak(made(precision="bf16"), parts=True)
    whole = peak(made(), parts=True)
    assert parts["inputs"] == whole["inputs"]
    assert peak(made(precision="fp16")) < peak(made()) + 2 * 512 * ROW


def test_class_numbers_are_small_targets():
    cross = made(
        losses=[{"role": "loss", "type": "cross-entropy"}], **{"networks.generator.args": {"out": 10}}
    )
    inputs = peak(cross, parts=True)["inputs"]
    assert inputs == 2 * 512 * ROW + 512 * 8  # the next batch is loaded while the last one is alive


def test_accumulation_keeps_gradients_while_the_next_micro_batch_runs():
    assert peak(made(accumulate=2)) - peak(made()) == pytest.approx(MATRIX, abs=2048)


def test_several_inputs_and_a_written_target():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(WIDTH))

        def forward(self, a, b):
            return (a + b) * self.scale

    NETS["a:Sum"] = Sum
    tape = made("a:Sum", options={"input": [[WIDTH], [WIDTH]], "target": [WIDTH]})
    assert peak(tape, parts=True)["inputs"] == 3 * 512 * ROW


def losses(*kinds):
    return [{"role": "loss", "type": kind} for kind in kinds]


class Heads(nn.Module):
    """Two heads on one matrix; the second is asked for as often as the first."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Plain(), Plain()

    def forward(self, x):
        return {"first": self.first(x), "second": self.second(x)}


def test_each_output_has_a_loss_and_a_target_of_its_own():
    NETS["a:Heads"] = Heads
    both = made("a:Heads", losses=losses("mse", "mse"))
    one = made("a:Heads", losses=losses("mse", "none"))
    assert peak(both, 1) - peak(one, 1) == pytest.approx(MATRIX, rel=0.1)  # the second one's gradient
    written = {"input": [WIDTH], "target": [[WIDTH], [WIDTH]]}
    assert peak(made("a:Heads", losses=losses("mse", "mse"), options=written)) == peak(both)


def test_a_loss_that_the_network_returns_needs_no_target():
    class Own(Plain):
        def forward(self, x):
            return {"loss": self.layer(x).square().mean(), "logits": x}

    NETS["a:Own"] = Own
    assert peak(made("a:Own"), parts=True)["inputs"] < peak(made(), parts=True)["inputs"]


def test_a_validation_of_several_samples():
    class Pixels(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Conv2d(3, 3, 1)

        def forward(self, x):
            return self.layer(x)

    NETS["a:Pixels"] = Pixels
    image = {"input": [3, 32, 32]}
    validation = {"validation.height": 64, "validation.width": 96}
    one = made("a:Pixels", options=image, **validation)
    four = made("a:Pixels", options={**image, "validation_batch": 4}, **validation)
    assert four != one
    assert len(four.events) == len(one.events)


def test_checkpoint_holds_what_was_asked_for():
    small, large = (sum(file.size for file in made(ema=ema).files) for ema in (0, 1))
    assert large - small == pytest.approx(MATRIX, rel=0.02)


def test_gradient_checkpointing_needs_a_switch():
    made("a:Switched", checkpointing=True)
    assert Switched.switched
    with pytest.raises(CannotTraceError, match="set_grad_checkpointing"):
        made(checkpointing=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arch": "a:Pair"}, 'returns 2 tensors, and "loss" names 1'),
        ({"losses": 3 * [{"role": "loss", "type": "mse"}]}, 'returns 1 tensors, and "loss" names 3'),
        ({"losses": [{"role": "loss", "type": "none"}]}, "no output has a loss"),
        ({"options": {}}, "input"),
        ({"losses": [{"role": "loss", "type": "focal"}]}, "focal"),
        ({"optimizers": [{"role": "generator", "type": "Lion"}]}, "Lion"),
    ],
)
def test_what_cannot_be_traced_says_why(change, words):
    with pytest.raises(CannotTraceError, match=words):
        made(**change)


def test_libraries_by_prefix():
    pytest.importorskip("torchvision")
    options = {"input": [3, 32, 32]}
    loss = [{"role": "loss", "type": "cross-entropy"}]
    tape = made("torchvision/resnet18", options=options, losses=loss)
    assert tape.networks[0].parameters == 11_689_512
    with pytest.raises(BadArgumentsError, match="resnet19"):
        made("torchvision/resnet19", options=options)


def test_attention_written_out_keeps_its_matrix():
    kinds = [
        {op.kind for op in made("a:Attending", options={"input": [WIDTH], **options}).ops}
        for options in ({}, {"fused_attention": False})
    ]
    assert ("attention" in kinds[0], "softmax" in kinds[0]) == (True, False)
    assert ("attention" in kinds[1], "softmax" in kinds[1]) == (False, True)
