# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a process has beyond its tensors, on stored steps: parts that sum to nvidia-smi's figure."""

from __future__ import annotations

import pytest

from tests.estimate.toy_tapes import MIB, Writer, two_steps
from tests.sampling import sampled
from trainlint.estimate.memory.card import Card
from trainlint.estimate.memory.execution import gpu_memory
from trainlint.estimate.memory.overhead import overhead
from trainlint.estimate.replay.footprint import footprint_on, reserved
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.replay.workspace import CUBLAS, libraries, unshared
from trainlint.estimate.tapes.stored_profiles import shipped_folder
from trainlint.report.memory.kind_text import MEANINGS
from trainlint.tape.encoding import decode

GIB = 1024 * MIB
CARDS = [
    Card(15 * GIB, 130 * MIB, 7.5, libraries(7.5, benchmark=True)),
    Card(80 * GIB, 500 * MIB, 9.0, libraries(9.0, benchmark=False, expandable=True)),
]
SAMPLES = Samples(4, 4)
PATHS = sorted(shipped_folder().glob("*.tape"))[::13]


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("path", sampled(PATHS, 8), ids=lambda path: path.stem[:6])
def test_the_parts_sum_to_what_nvidia_smi_shows(path, card) -> None:
    tape = decode(path.read_bytes())
    batch = (tape.batches or (4,))[0]
    samples = Samples(batch, batch * tape.devices, 24)
    book = Ledger(tape)
    gpu = gpu_memory(footprint_on(book, samples, card.libraries, card.capacity - card.context), card)
    parts = overhead(book, samples, card)
    assert sum(parts.values()) == gpu.expect - gpu.allocated
    assert min(parts.values()) >= 0
    assert set(parts) == {"cublas_workspace", "cudnn_workspace", "cache", "context"} <= set(MEANINGS)
    assert parts["context"] == card.context


def product_in(phase):
    """Return a ledger whose only matrix product runs in one phase of the step."""
    w = Writer()
    w.mark("setup")
    for number in (1, 2):
        w.mark(f"step {number}")
        w.mark("generator forward")
        if phase == "forward":
            w.op("matmul", MIB, MIB)
        kept = w.alloc(0, 30 * MIB)
        w.mark("generator optimizer")
        w.free(kept)
    if phase == "never":
        w.op("elementwise", MIB, MIB)
    return Ledger(w.tape())


@pytest.mark.parametrize(("phase", "handles"), [("forward", 1), ("never", 0)])
def test_a_cublas_workspace_is_there_once_a_product_ran(phase, handles) -> None:
    assert overhead(product_in(phase), SAMPLES, CARDS[0])["cublas_workspace"] == handles * CUBLAS


def test_cudnns_part_is_what_it_makes_torch_reserve() -> None:
    book, card = Ledger(two_steps().tape()), CARDS[0]
    assert overhead(product_in("never"), SAMPLES, card)["cudnn_workspace"] == 0
    more = overhead(book, SAMPLES, card)
    need = [reserved(book, SAMPLES, card.libraries, cudnn=cudnn) for cudnn in (True, False)]
    second = unshared(book, SAMPLES, card.libraries)
    assert more["cudnn_workspace"] - second == need[0] - need[1] > 0
