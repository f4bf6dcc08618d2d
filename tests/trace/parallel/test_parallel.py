# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""DataParallel and DistributedDataParallel by hand, on a network of two layers without biases."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.trace.toys import ALLOC, MARK, Step, live_at, replay, rounded, run, step
from trainlint.errors import CannotTraceError
from trainlint.tape import Size
from trainlint.trace.parallel.distributed import BUCKET_BYTES, buckets


def net():
    return nn.Sequential(nn.Linear(8, 16, bias=False), nn.Linear(16, 4, bias=False))


FIRST, SECOND = 16 * 8 * 4, 4 * 16 * 4
TOY = step(net=net)


def sizes(tape, device, kinds=None):
    return {
        (b.size.const, b.size.batch, b.size.total) for b in tape.blocks
        if b.device == device and (kinds is None or b.kind in kinds)
    }  # fmt: skip


def test_what_each_gpu_holds_of_a_data_parallel_step():
    tape = run(TOY, parallel="dp")
    assert tape.devices == 2
    assert tape.affine == "exact"
    first, second = sizes(tape, 0), sizes(tape, 1)
    assert {(0, 0, 32), (0, 0, 16)} <= first  # the batch, the gathered output
    assert (0, 64, 0) in first  # replica 0's hidden layer; its input is a view of the batch
    assert (0, 32, 0) not in first
    assert {(0, 32, 0), (0, 64, 0), (0, 16, 0)} <= second  # replica 1: input copied, hidden, output
    assert not [size for size in second if size[2]]  # nothing there grows with the other replicas' samples


def test_the_parameters_are_sent_in_one_buffer():
    tape = run(TOY, parallel="dp")
    assert sizes(tape, 1, {"parameters"}) == {(FIRST + SECOND, 0, 0)}
    packed = [b for b in tape.blocks if b.device == 0 and b.size.const == FIRST + SECOND]
    # per step: the buffer that is sent; both gradients packed; their sum
    assert len(packed) == 2 * 3


def test_the_gradients_are_views_of_the_sum():
    tape = run(TOY, parallel="dp")
    assert [s for s, k in live_at(tape, "optimizer", 2, occurrence=2) if k == "gradients"] == [FIRST + SECOND]
    assert not [s for s, k in live_at(tape, "optimizer", 2, device=1, occurrence=2) if k == "gradients"]


def test_replicas_hold_nothing_between_steps():
    tape = run(TOY, parallel="dp")
    assert live_at(tape, "step 2", 2, device=1) == []


def test_optimizer_and_loss_are_on_the_first_gpu():
    tape = run(step(net=net, optimizer=("Adam", {})), parallel="dp")
    assert not [b for b in tape.blocks if b.device == 1 and b.kind == "optimizer"]
    assert sum(s for s, k in live_at(tape, "step 2", 2) if k == "optimizer") == 2 * (FIRST + SECOND)


def test_operators_say_where_they_run():
    tape = run(TOY, parallel="dp")
    matmuls = {(op.device, op.flops) for op in tape.ops if op.kind == "matmul"}
    assert {device for device, _ in matmuls} == {0, 1}
    assert {flops for device, flops in matmuls if device == 0} == {
        flops for device, flops in matmuls if device == 1
    }


def test_two_gpus_hold_less_each_than_one_alone():
    alone, shared = run(TOY), run(TOY, parallel="dp")
    peak = replay(alone, 2000)[0]
    assert replay(shared, 1000, 2000)[0] < peak
    assert replay(shared, 1000, 2000, device=1)[0] < replay(shared, 1000, 2000)[0]


def test_buffers_travel_too():
    tape = run(
        step(net=lambda: nn.Sequential(nn.Conv2d(3, 5, 1, bias=False), nn.BatchNorm2d(5)), shape=(3, 4, 4)),
        parallel="dp",
    )
    # running mean and variance in one buffer, the counter (another type) in its own
    assert {(40, 0, 0), (8, 0, 0)} <= sizes(tape, 1, {"parameters"})


class Several(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        y = self.linear(x)
        return {"out": y, "all": [y.mean(), 3]}


def test_nested_outputs_are_gathered():
    class Toy(TOY):
        net = staticmethod(Several)

        def loss(self, y):
            assert y["all"][0].shape == (2,)  # one mean per GPU
            assert y["all"][1] == 3
            return y["out"].sum() + y["all"][0].sum()

    assert run(Toy, parallel="dp").affine == "exact"


def test_a_batch_that_cannot_be_split_is_named():
    class Toy(TOY):
        def loss(self, y):
            return self.model(torch.empty(1, 8, device="meta")).sum()

    with pytest.raises(CannotTraceError, match="cannot be split over GPUs"):
        run(Toy, parallel="dp")


class Repeated(nn.Module):
    reentrant = False

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 8))

    def forward(self, x):
        return checkpoint(self.inner, self.inner(x), use_reentrant=self.reentrant)


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_is_repeated_on_its_own_gpu(reentrant):
    tape = run(step(net=type("Net", (Repeated,), {"reentrant": reentrant})), parallel="dp")
    wide = [b.device for b in tape.blocks if b.size == Size(0, 64 * 4, 0) and b.kind == "activations"]
    assert wide.count(0) == wide.count(1) == 2 * 3 * 2  # two layers' outputs, three times, in two steps


class Penalty(Step):
    """A gradient penalty: the slope of the output at the input, itself differentiated."""

    net = staticmethod(lambda: nn.Sequential(nn.Linear(8, 16, bias=False), nn.Softplus(), nn.Linear(16, 4)))

    def train_step(self, batch):
        x = self.stage.input(batch, 8).requires_grad_()
        self.sgd.zero_grad()
        y = self.model(x)
        slope = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
        loss = slope.pow(2).sum()
        with self.stage.phase("backward"):
            loss.backward()


def test_second_derivatives_run_on_each_gpu():
    alone, shared = run(Penalty), run(Penalty, parallel="dp")
    assert shared.affine == "exact"
    n = 100

    def alive(tape, device):
        found = Counter(size for size, _ in live_at(tape, "backward", n, device=device, occurrence=2))
        return {size // (4 * n): count for size, count in found.items() if size >= 4 * 4 * n}

    # width: tensors. 16: hidden, activated, the gradients of both; 8: input and slope; 4: the output
    assert alive(alone, 0) == {16: 4, 8: 2, 4: 1}
    assert alive(shared, 0) == {16: 4, 8: 2, 4: 1}  # the gathered slope and output
    assert alive(shared, 1) == {16: 4, 8: 1, 4: 1}  # its input and the gradient that was scattered


class Mean(nn.Linear):
    def __init__(self):
        super().__init__(8, 4)

    def forward(self, x):
        return super().forward(x).mean()


def test_single_numbers_are_not_differentiated_twice():
    class Toy(Penalty):
        net = Mean

    with pytest.raises(CannotTraceError, match="second derivatives of numbers"):
        run(Toy, parallel="dp")


class Latent(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        latent = self.first(x)
        return self.second(latent), latent


def test_what_was_gathered_did_not_make_what_was_gathered_beside_it():
    class Toy(step(net=Latent)):
        def loss(self, y):
            out, latent = y
            return torch.autograd.grad(out.sum(), latent, create_graph=True)[0].pow(2).sum()

    run(Toy)
    with pytest.raises(CannotTraceError, match="appears to not have been used in the graph"):
        run(Toy, parallel="dp")


def test_ddp_keeps_buckets_beside_the_gradients():
    tape = run(TOY, parallel="ddp")
    assert tape.devices == 1
    now = live_at(tape, "optimizer", 5, occurrence=2)
    assert [s for s, k in now if k == "gradients"] == [FIRST + SECOND, FIRST, SECOND]
    assert replay(tape, 1000)[0] - replay(run(TOY), 1000)[0] == rounded(FIRST + SECOND)


def test_ddp_buckets_are_25_mib_after_a_first_of_1_mib():
    params = [torch.empty(2**18, device="meta") for _ in range(30)]  # 1 MiB each
    groups = buckets(params)
    assert [len(group) for group in groups] == [1, 25, 4]
    assert sum(p.numel() * 4 for p in groups[1]) == BUCKET_BYTES


def test_ddp_sends_the_buffers_before_a_forward():
    tape = run(
        step(net=lambda: nn.Sequential(nn.Conv2d(3, 5, 1), nn.BatchNorm2d(5)), shape=(3, 4, 4)),
        parallel="ddp",
    )
    assert [b for b in tape.blocks if b.size.const == 40 and b.size.batch == 0]


def test_ddp_buckets_hold_one_type():
    params = [torch.empty(2**18, dtype=t, device="meta") for t in (torch.float32, torch.float16) * 3]
    assert [[p.dtype for p in group] for group in buckets(params)] == [
        [torch.float32], [torch.float16] * 2, [torch.float32] * 2, [torch.float16],
    ]  # fmt: skip


UNUSED = {"find_unused_parameters": True}


def test_ddp_fills_its_buckets_as_gradients_come_or_else_as_parameters_stand():
    large, small = 2**18 * 4, 2**17 * 4
    net = lambda: nn.Sequential(nn.Linear(8, 2**15, bias=False), nn.Linear(2**15, 4, bias=False))  # noqa: E731  # called by its name below

    def made(options):
        tape = run(step(net=net), parallel="ddp", options=options)
        return [b.size.const for b in tape.blocks if b.owner == "generator:DDP buckets"]

    assert made({}) == [small + large]  # the last layer's gradient comes first, and does not fill a bucket
    assert made(UNUSED) == [large, small]


def test_ddp_copies_the_output_where_it_looks_for_unused_parameters():
    class Toy(step(net=lambda: nn.Sequential(nn.Linear(8, 4, bias=False), nn.Tanh()))):
        def loss(self, y):
            return y["out"].pow(2).sum() if isinstance(y, dict) else y.pow(2).sum()

    def outputs(options):
        now = live_at(run(Toy, parallel="ddp", options=options), "backward", 1000, occurrence=2)
        return now.count((4 * 4 * 1000, "activations"))

    assert outputs({}) == 1  # tanh and the square keep the same tensor
    assert outputs(UNUSED) == 2

    class Nested(Toy):
        net = Outputs

    assert run(Nested, parallel="ddp", options=UNUSED).affine == "exact"


class Outputs(nn.Linear):
    def __init__(self):
        super().__init__(8, 4)

    def forward(self, x):
        return {"out": super().forward(x), "given": x, "number": 3}


def test_ddp_sends_the_buffers_before_the_first_image_only():
    class Toy(step(net=lambda: nn.Sequential(nn.Conv2d(3, 5, 1), nn.BatchNorm2d(5)), shape=(3, 4, 4))):
        def validate(self, height, width):
            for _ in range(width):
                super().validate(height, width)

    tape = run(Toy, parallel="ddp", batches=(2,), validation=(2, 3))
    start = tape.events.index((MARK, tape.marks.index("validation")))
    born = [tape.blocks[i].size.const for event, i in tape.events[start:] if event == ALLOC]
    assert born.count(2 * 5 * 4) == 1  # the means and variances, flat
