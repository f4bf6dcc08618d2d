# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the recorder answers from memory is what it records when torch answers."""

from __future__ import annotations

import pytest
import torch

from trainlint.trace.recording.checkpoint_size import saved_bytes
from trainlint.trace.recording.recorder import OperatorCache, Recorder
from trainlint.trace.recording.storage_ledger import ALLOC, FREE, OP, StorageLedger


def meta(*shape, **options):
    return torch.empty(shape, device="meta", **options)


def recorded(run, memory):
    """Return the events of `run`, with bytes and costs in place of indices, and what it returned."""
    ledger = StorageLedger()
    with Recorder(ledger, memory):
        returned = run()
    tape = ledger.close()
    costs = {OP: lambda index: tape.ops[index]}
    sizes = dict.fromkeys((ALLOC, FREE), lambda index: tape.blocks[index].nbytes)
    return [(kind, (costs | sizes)[kind](index)) for kind, index in tape.events], returned


def normalized():
    """Write a vector of the size that is there already, as spectral_norm does."""
    vector, out = meta(64), meta(64)
    result = torch.div(vector, 2.0, out=out)
    assert result is out
    return result


def grown():
    """Write into less room than the result takes."""
    out = meta(0)
    return torch.cat((meta(8, 4), meta(8, 4)), out=out)


def divided_into_half():
    return torch.div(meta(64), 2.0, out=meta(64, dtype=torch.float16))


@pytest.mark.parametrize("run", [normalized, grown, divided_into_half])
def test_out_is_recorded_the_second_time_as_the_first(run):
    memory = OperatorCache()
    (first, one), (second, other) = recorded(run, memory), recorded(run, memory)
    assert first == second
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert sum(kind == OP for kind, _ in first) == 1


def test_out_of_another_size_after_one_that_fitted():
    memory = OperatorCache()
    recorded(normalized, memory)
    _, out = recorded(lambda: torch.div(meta(64), 2.0, out=meta(0)), memory)
    assert out.shape == (64,)


def test_out_that_fits_runs_no_kernel_again(monkeypatch):
    called = []
    call = Recorder._call
    monkeypatch.setattr(
        Recorder, "_call", lambda self, func, *args: called.append(func) or call(self, func, *args)
    )
    memory = OperatorCache()
    for _ in range(3):
        recorded(normalized, memory)
    assert called == [torch.ops.aten.div.out]


def test_out_on_the_cpu_is_written():
    out = torch.zeros(2)
    for value in (2.0, 3.0):
        recorded(lambda value=value: torch.mul(torch.ones(2), value, out=out), OperatorCache())
        assert out.tolist() == [value, value]


@pytest.mark.parametrize(
    "tensor",
    [
        meta(4, 3, 8, 8),
        meta(4, 3, 8, 8).to(memory_format=torch.channels_last),
        meta(4, 3).t(),
        meta(1, 3).expand(4, 3),
    ],
)
@pytest.mark.parametrize("dtype", [None, torch.float16])
def test_a_copy_on_the_host_has_torch_s_layout_the_second_time_too(tensor, dtype):
    expected = torch.empty_like(tensor, dtype=dtype)
    ledger = StorageLedger()
    with Recorder(ledger):
        copies = [tensor.to("cpu", dtype) for _ in range(2)]
    for copy in copies:
        assert (copy.shape, copy.stride(), copy.dtype) == (expected.shape, expected.stride(), expected.dtype)
        assert copy.untyped_storage().nbytes() == expected.untyped_storage().nbytes()
    assert saved_bytes({"a": copies[0]}, "a.pth") == saved_bytes({"a": copies[1]}, "a.pth")
    assert not ledger.tape.blocks
