# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the host takes for a step's parts: forward, backward, optimizer, DistributedDataParallel's hooks.

    python -m bench host_costs

Tiny tensors on one thread of a CPU, where kernels are little: what is left is Python, torch's dispatch and
autograd. Seconds are the thread's own, so that other work on the machine is not in them. An optimizer's
operators that CUDA computes many tensors at a time are left out of its time (on a CPU they are loops).
Writes bench/data/host_costs.csv; the median of several rounds each.
"""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor, distributed, nn
from torch.multiprocessing import get_context
from torch.multiprocessing.spawn import spawn
from torch.utils._python_dispatch import TorchDispatchMode

from bench import ROOT
from bench.commands import parser_of

FILE: Final = ROOT / "bench" / "data" / "host_costs.csv"
COLUMNS: Final = ("network", "part", "tensors", "operators", "microseconds")
ROUNDS: Final = 40
WARMUP_STEPS: Final = 5
DEPTH: Final = 16
OPTIMIZERS: Final[dict[str, Callable[..., torch.optim.Optimizer]]] = {
    "SGD": lambda parameters, **how: torch.optim.SGD(parameters, 1e-3, momentum=0.9, **how),
    "AdamW": lambda parameters, **how: torch.optim.AdamW(parameters, 1e-3, **how),
}
IMPLEMENTATIONS: Final[dict[str, dict[str, bool]]] = {
    "foreach": {"foreach": True},
    "fused": {"fused": True},
    "for-loop": {"foreach": False},
}
FUSED_FUNCTIONS: Final = [
    name for name in dir(torch) if name.startswith(("_foreach_", "_fused_adam", "_fused_sgd"))
]
PROCESSES: Final = 2


class Residual(nn.Module):
    """Convolutions with norms and activations, as ResNets have them."""

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(4) for _ in range(2))
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """Add what its layers make of the input."""
        out = x
        for conv, norm in zip(self.convs, self.norms, strict=True):
            out = self.act(norm(conv(out)))
        return out + x


class Attention(nn.Module):
    """A transformer's layer, its attention written out."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(8), nn.LayerNorm(8)
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Tensor) -> Tensor:
        """Add what attention and the layers after it make of the input."""
        query, key, value = self.qkv(self.first(x)).chunk(3, -1)
        x = x + self.out((query @ key.mT).softmax(-1) @ value)
        after: Tensor = self.down(F.gelu(self.up(self.second(x))))
        return x + after


NETWORKS: Final[dict[str, tuple[type[nn.Module], tuple[int, ...]]]] = {
    "residual": (Residual, (2, 4, 4, 4)),
    "attention": (Attention, (2, 4, 8)),
}


class Counted(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's has no types
    """Counts the operators that make or change a tensor: what would be kernels."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self.count += not (func.is_view or name in ("detach", "empty", "empty_like", "_unsafe_view"))
        return func(*args, **kwargs or {})


@contextmanager
def left_out() -> Iterator[None]:
    """Leave out the operators on many tensors, but those on the numbers of steps, which are the CPU's."""
    kept = {name: getattr(torch, name) for name in FUSED_FUNCTIONS}

    def stub(plain: Callable[..., Any]) -> Callable[..., Any]:
        def run(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            own = isinstance(tensors, (list, tuple)) and all(each.dim() == 0 for each in tensors)
            return plain(tensors, *args, **kwargs) if own else tensors

        return run

    for name, plain in kept.items():
        setattr(torch, name, stub(plain))
    try:
        yield
    finally:
        for name, plain in kept.items():
            setattr(torch, name, plain)


def timed(steps: list[Callable[[], Any]]) -> list[float]:
    """Return the microseconds of calls that follow each other."""
    rounds: list[list[float]] = []
    for _ in range(WARMUP_STEPS + ROUNDS):
        at = [thread_time()]
        for step in steps:
            step()
            at.append(thread_time())
        rounds.append([1e6 * (end - start) for start, end in pairwise(at)])
    return [median(each) for each in zip(*rounds[WARMUP_STEPS:], strict=True)]


def counted(steps: list[Callable[[], Any]]) -> list[int]:
    """Return the operators of calls that follow each other."""
    counts = []
    for step in steps:
        with Counted() as mode:  # type: ignore[no-untyped-call]  # torch's has no types
            step()
        counts.append(mode.count)
    return counts


def built(name: str) -> tuple[nn.Module, Tensor]:
    """Return a network of several layers, and its input."""
    layer, shape = NETWORKS[name]
    return nn.Sequential(*(layer() for _ in range(DEPTH))), torch.randn(shape)


def passes(network: nn.Module, given: Tensor) -> list[Callable[[], Any]]:
    """Return a forward and its backward, and what lets go of the gradients."""
    made: list[Tensor] = []

    def forward() -> None:
        made[:] = [network(given)]

    def backward() -> None:
        made[0].backward(torch.ones_like(made[0]))  # type: ignore[no-untyped-call]  # torch's has no types

    return [forward, backward, lambda: network.zero_grad(set_to_none=True)]


def parts(name: str) -> Iterator[dict[str, object]]:
    """Yield a network's forward and backward, and each optimizer in each way."""
    network, given = built(name)
    steps, tensors = passes(network, given), len(list(network.parameters()))
    pairs = zip(("forward", "backward"), counted(steps)[:2], timed(steps)[:2], strict=True)
    for part, operators, taken in pairs:
        yield row(name, part, 0 if part == "forward" else tensors, operators, taken)
    for kind, optimizer in OPTIMIZERS.items():
        for how, option in IMPLEMENTATIONS.items():
            network, given = built(name)
            forward, backward, _ = passes(network, given)
            forward()
            backward()
            step = optimizer(network.parameters(), **option).step
            step()
            (operators,) = counted([step])
            if how == "for-loop":
                (taken,) = timed([step])
            else:
                with left_out():
                    (taken,) = timed([step])
            yield row(name, f"{kind} {how}", tensors, operators, taken)


def row(name: str, part: str, tensors: int, operators: int, taken: float) -> dict[str, object]:
    """Return a line of the table."""
    return dict(zip(COLUMNS, (name, part, tensors, operators, f"{taken:.1f}"), strict=True))


def hooks(rank: int, name: str, store: str, found: Any) -> None:
    """Time a network's passes in one of two processes, with DistributedDataParallel and without."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=PROCESSES)
    network, given = built(name)
    tensors, buffers = len(list(network.parameters())), len(list(network.buffers()))
    alone = timed(passes(network, given))
    with_hooks = timed(passes(nn.parallel.DistributedDataParallel(network), given))
    distributed.barrier()
    distributed.destroy_process_group()
    if not rank:
        more = [late - soon for late, soon in zip(with_hooks, alone, strict=True)]
        launches = {"forward": buffers + bool(buffers), "backward": 2 * tensors + 1}
        for (part, operators), taken in zip(launches.items(), more, strict=False):
            found.put(row(name, f"ddp {part}", tensors, operators, taken))


def of_two_processes(name: str) -> Iterator[dict[str, object]]:
    """Yield what DistributedDataParallel adds to a forward and a backward."""
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        found = context.SimpleQueue()
        spawn(hooks, (name, str(Path(folder) / "store"), found), PROCESSES)  # type: ignore[no-untyped-call]  # torch's has no types
        while not found.empty():
            yield found.get()


def main() -> None:
    """Measure, and write the table."""
    parser_of(__doc__).parse_args()
    torch.set_num_threads(1)
    lines = [line for name in NETWORKS for line in (*parts(name), *of_two_processes(name))]
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
