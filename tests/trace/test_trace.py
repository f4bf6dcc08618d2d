# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tape over all batches, the pool, batch 1, validation, and what cannot be traced."""

from __future__ import annotations

import gc
import logging

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.recording.merge import BatchPoint, NotAffineError, merge
from trainlint.trace.recording.storage_ledger import Birth, Recording
from trainlint.trace.trace import trace

from .toys import Step, live_at, run, step


def test_two_traces_speak_for_every_batch():
    recipe = step(
        net=lambda: nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU()), shape=(3, 9, 9)
    )
    tape = run(recipe)
    assert tape.affine == "exact"
    assert tape.batches == ()
    for batch in (5, 24):
        alone = run(recipe, batches=(batch,))
        assert alone.batches == (batch,)
        assert [b.size.at(batch, batch, 0) for b in tape.blocks] == [b.size.const for b in alone.blocks]
        assert [(k, i) for k, i in tape.events if k != 2] == [(k, i) for k, i in alone.events if k != 2]


class Rows(nn.Linear):
    def forward(self, x):
        for _ in range(x.shape[0]):  # one tensor per sample
            x = x + 1
        return super().forward(x)


def test_a_loop_over_samples_is_not_affine():
    tape = run(step(net=lambda: Rows(8, 4)))
    assert tape.affine.startswith("not affine")
    assert tape.batches == (2,)


def test_the_pool_and_the_other_gpus_stay_variables_where_the_batch_is_none():
    tape = run(type("Toy", (Pooled,), {"net": staticmethod(lambda: Rows(8, 4))}))
    assert tape.batches == (2,)
    assert {b.size.pool for b in tape.blocks} == {0, 8, 32}
    tape = run(step(net=lambda: Rows(8, 4)), parallel="dp")
    assert tape.batches == (2,)
    assert {b.size.total for b in tape.blocks} == {0, 16, 32}  # the gathered output, the batch


class Square(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        return y @ y.t()  # batch x batch


def test_sizes_that_bend_are_found_at_the_third_batch():
    assert run(step(net=lambda: Square(8, 4)), verify=False).affine == "exact"
    tape = run(step(net=lambda: Square(8, 4)))
    assert tape.affine.startswith("not affine")
    assert "generator" in tape.affine


class OwnKernels(nn.Conv2d):
    def forward(self, x):
        b, c, h, w = x.shape
        kernels = super().forward(x).mean((2, 3)).view(b * c, 1, 3, 3)  # each sample's own
        return F.conv2d(x.reshape(1, b * c, h, w), kernels, padding=1, groups=b * c).view(b, c, h, w)


def test_kernels_of_each_sample_s_own_are_one_operator_at_every_batch():
    recipe = step(net=lambda: OwnKernels(3, 27, 1), shape=(3, 9, 9))
    tape, alone = run(recipe), run(recipe, batches=(5,))
    assert tape.affine == "exact"
    found = [op for op in tape.ops if op.kind == "conv-depthwise"]
    assert found
    assert {op.key for op in found} >= {"forward k3x3 3o 3x9x9 s1 p1 d1 g3"}  # of one sample
    work = [op.flops.at(5, 5, 0) for op in found]
    assert work == [op.flops.const for op in alone.ops if op.kind == "conv-depthwise"]


class Pooled(Step):
    """Real-ESRGAN's queue: half-batch writes, shuffled copies."""

    def train_step(self, batch):
        if not hasattr(self, "queue"):
            self.queue = self.stage.pool(8)
        order = torch.empty(len(self.queue), dtype=torch.int64, device="meta")
        self.queue = self.queue[order]
        self.taken = self.queue[:batch].clone()
        self.rest = self.queue[batch:].clone()
        super().train_step(batch)


def test_the_pool_is_a_variable():
    tape = run(Pooled)
    assert tape.affine == "exact"
    sizes = {(b.size.const, b.size.batch, b.size.pool) for b in tape.blocks if b.size.pool}
    assert sizes == {(0, 0, 32), (0, 0, 8), (0, -32, 32)}  # the queue, its order, what is left over
    assert {b.kind for b in tape.blocks if b.size.pool == 32 and not b.size.batch} >= {"queue"}


def test_the_pool_is_a_variable_at_a_single_batch_too():
    tape = run(Pooled, batches=(1,))
    assert {(b.size.const, b.size.batch, b.size.pool) for b in tape.blocks if b.size.pool} == {
        (0, 0, 32), (0, 0, 8), (-32, 0, 32),
    }  # fmt: skip


class Contiguous(nn.Linear):
    def forward(self, x):
        return super().forward(x.t().contiguous().t())  # one row is contiguous either way


def test_batch_one_is_traced_on_its_own_where_it_differs():
    recipe = step(net=lambda: Contiguous(8, 4))
    tape, single = run(recipe), run(recipe, batches=(1,))
    assert single.batches == (1,)
    assert len(single.blocks) == len(tape.blocks) - 2  # no copy of the input, in neither step


def test_the_validation_follows_its_mark():
    tape = run(validation=(50, 1))
    assert tape.marks[-1] == "validation"
    last = max(i for i, event in enumerate(tape.events) if event[0] == 3)
    born = [tape.blocks[i].size for kind, i in tape.events[last:] if kind == 0]
    assert [(size.const, size.batch) for size in born] == [(50 * 8 * 4, 0), (50 * 4 * 4, 0)]


class Reads(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        if (y > 0).any():
            y = y * (1 + y.mean().item())
        return y


class Warns(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        if y.abs().mean() > 50:
            logging.getLogger(__name__).debug("offsets of %f", y.mean().item())
        return y


def test_a_value_that_changes_nothing_leaves_a_note():
    """BasicSR's deformable convolutions warn so."""
    tape = run(step(net=lambda: nn.Sequential(Warns(8, 4))))
    assert tape.notes[0] == '"generator:0" reads a value on the CPU: taken as True'


class Repeats(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        for _ in range(int(y.max().item())):
            y = torch.tanh(y)
        return y


class Shortens(nn.Linear):
    def forward(self, x):
        return super().forward(x[:, : int(x.max().item())])


@pytest.mark.parametrize(
    ("module", "what"),
    [(Reads, "its memory depends"), (Repeats, "its memory depends"), (Shortens, "cannot go on without it")],
)
def test_a_value_that_decides_is_refused(module, what):
    with pytest.raises(CannotTraceError, match=f'"generator:0" reads the value of a tensor .*{what}') as info:
        run(step(net=lambda: nn.Sequential(module(8, 4))), batches=(200, 201))
    assert "_local_scalar_dense" in info.value.reason


class Hoards(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        self.__dict__.setdefault("seen", []).append(y.detach())
        return y


class Caches(nn.Linear):
    def forward(self, x):
        if "table" not in self.__dict__:
            self.__dict__["table"] = torch.zeros(1000, 4, device=x.device)
        self.__dict__["last"] = super().forward(x)
        return self.last + self.table[: len(x)]


def test_memory_that_is_never_freed_is_no_number():
    with pytest.raises(CannotTraceError, match=r'"generator:0" keeps what it makes: after every step 0.0015'):
        run(step(net=lambda: nn.Sequential(Hoards(8, 4))), batches=(100, 101))
    assert run(step(net=lambda: nn.Sequential(Caches(8, 4))), batches=(100, 101)).affine == "exact"


class Picks(nn.Linear):
    def forward(self, x):
        return super().forward(x[x.sum(1) > 0])


class NonZero(nn.Linear):
    def forward(self, x):
        return super().forward(x) + torch.nonzero(x).shape[0]


class Host(nn.Linear):
    def forward(self, x):
        return super().forward(torch.from_numpy(x.cpu().numpy()))


class Shapes(nn.Linear):
    def forward(self, x):
        return super().forward(x.view(3, -1, 7))


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (Picks, ('"generator:0"', '"aten::index"', "depends on the data")),
        (NonZero, ('"generator:0"', '"aten::nonzero"', "depends on the data")),
        (Host, ('"generator:0"', "numpy")),
        (Shapes, ('"generator:0"', "shape")),
    ],
)
def test_what_cannot_be_traced_is_named(module, words):
    with pytest.raises(CannotTraceError) as caught:
        run(step(net=lambda: nn.Sequential(module(8, 4))))
    for word in words:
        assert word in str(caught.value)


def test_an_operator_without_a_shape_function_is_named():
    library = torch.library.Library("trainlint_toys", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")

    class Twice(nn.Linear):
        def forward(self, x):
            return super().forward(torch.ops.trainlint_toys.twice(x))

    with pytest.raises(CannotTraceError, match='"generator:1" uses "trainlint_toys::twice"'):
        run(step(net=lambda: nn.Sequential(nn.Linear(8, 8), Twice(8, 4))))


def test_unknown_recipe_and_mode():
    with pytest.raises(CannotTraceError, match=r'"nobody\.Knows"'):
        trace({"recipe": "nobody.Knows"})
    with pytest.raises(CannotTraceError, match='"fsdp"'):
        run(parallel="fsdp")


def test_the_garbage_collector_is_as_before():
    assert gc.isenabled()
    run()
    assert gc.isenabled()


def test_attributes_of_the_last_step_live_on():
    class Keeps(Step):
        def loss(self, y):
            self.output = y
            return y.sum()

    assert (3 * 4 * 4, "activations") in live_at(run(Keeps), "step 2", 3)


def _recording(sizes):
    tape = Recording()
    for index, size in enumerate(sizes):
        tape.blocks.append(Birth(size, "activations", "", 0, 0))
        tape.events.append((0, index))
    return tape


def test_merging_solves_for_each_variable():
    points = [BatchPoint(2, 7, 10), BatchPoint(3, 7, 10), BatchPoint(2, 8, 10 + 2**37)]
    sizes = [5 + 11 * p.batch + 13 * p.total + 17 * p.pool for p in points]
    merged = merge(points, [_recording([size]) for size in sizes], parallel=True, pool=True)
    size = merged.blocks[0].size
    assert (size.const, size.batch, size.total, size.pool) == (5, 11, 13, 17)


def test_merging_refuses_what_is_not_whole():
    with pytest.raises(NotAffineError):
        merge(
            [BatchPoint(2, 0, 0), BatchPoint(4, 0, 0)],
            [_recording([1]), _recording([2])],
            parallel=False,
            pool=False,
        )
    with pytest.raises(NotAffineError):
        merge(
            [BatchPoint(2, 0, 0), BatchPoint(4, 0, 0)],
            [_recording([1]), _recording([1, 1])],
            parallel=False,
            pool=False,
        )
