# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The self check: small pieces of steps whose bytes are known by hand, before the program's first line.

A hole in the imitation gives no message, only a smaller figure. Each piece goes a way on which tensors were
once not counted: autocast, both kinds of checkpointing, an autograd function of one's own, a thread,
inference mode, TorchScript. n is the bytes of one tensor.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.trace.dry_run.operators.interception import Interceptor
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger

SIDE = 64
MATRIX_BYTES = SIDE * SIDE * 4
SLACK_BYTES = 4096
"""Bytes of numbers that a step may make for itself."""


class Piece(NamedTuple):
    """One piece: its name, what runs, and the bytes between which its peak has to be."""

    name: str
    run: Callable[[], Any]
    least: int
    most: int


class Checked(NamedTuple):
    """What the check expected and saw; `wrong` names the pieces that were not as they should be."""

    expected: int
    seen: int
    wrong: tuple[str, ...]


def check(mode: Interceptor) -> Checked:
    """Run every piece on a ledger of its own."""
    before = mode.ledger
    pieces = _pieces()
    peaks = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for piece in pieces:
                ledger = LiveLedger()
                ledger.owners = before.owners
                mode.ledger = ledger
                piece.run()
                peaks.append(ledger.peak)
    finally:
        mode.ledger = before
    wrong = [
        f"{piece.name} ({peak:,} bytes, expected {piece.least:,})"
        for piece, peak in zip(pieces, peaks)  # noqa: B905 - Python 3.9
        if not piece.least <= peak <= piece.most + SLACK_BYTES
    ]
    return Checked(sum(piece.least for piece in pieces), sum(peaks), tuple(wrong))


def _pieces() -> list[Piece]:
    return [
        Piece(
            "autocast",
            _autocast,
            2 * MATRIX_BYTES + 3 * MATRIX_BYTES // 2,
            2 * MATRIX_BYTES + 3 * MATRIX_BYTES // 2,
        ),  # two inputs, three halves
        Piece("checkpointing", lambda: _checkpointed(reentrant=False), 6 * MATRIX_BYTES, 7 * MATRIX_BYTES),
        Piece(
            "reentrant checkpointing",
            lambda: _checkpointed(reentrant=True),
            6 * MATRIX_BYTES,
            7 * MATRIX_BYTES,
        ),
        Piece("an own autograd function", _own_function, 3 * MATRIX_BYTES, 3 * MATRIX_BYTES),
        Piece("a thread", _thread, 2 * MATRIX_BYTES, 2 * MATRIX_BYTES),
        Piece("inference mode", _inference, 3 * MATRIX_BYTES, 3 * MATRIX_BYTES),
        Piece("TorchScript", _script, 3 * MATRIX_BYTES, 3 * MATRIX_BYTES),
    ]


def _made(*, grad: bool = False) -> Tensor:
    return torch.ones(SIDE, SIDE, device="cuda", requires_grad=grad)


def _autocast() -> None:
    x, weight = _made(), _made(grad=True)
    with torch.autocast("cuda", dtype=torch.float16):
        F.linear(x, weight)


def _three(x: Tensor) -> Tensor:
    return x.exp().sin().exp()


def _checkpointed(*, reentrant: bool) -> None:
    """Keep x and the result; three tensors come again, and then two of a gradient with the cosine between."""
    x = _made(grad=True)
    result: Any = checkpoint(_three, x, use_reentrant=reentrant)
    result.sum().backward()


class _Doubled(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        double = x * 2
        ctx.save_for_backward(double)
        return double + 1

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (double,) = ctx.saved_tensors
        gradient: Tensor = grad * double
        return gradient


def _own_function() -> None:
    _Doubled.apply(_made(grad=True))


def _thread() -> None:
    x, products = _made(), []
    thread = threading.Thread(target=lambda: products.append(x * 2))
    thread.start()
    thread.join()


def _inference() -> None:
    with torch.inference_mode():
        x = _made()
        F.linear(x, x).reshape(-1).sum().item()
        x.to("cuda:0", torch.float32, copy=True).to("cuda").mul(2)


def _scripted(x: Tensor) -> Tensor:
    return (x * 2).add(1.0)


def _script() -> None:
    torch.jit.script(_scripted)(_made())
