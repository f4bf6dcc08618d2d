# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Workspaces: what a step takes on the GPU beyond the tensors that torch names.

cuBLAS takes its workspace through the caching allocator at first use and keeps it; cuDNN and a softmax's
backward take one per call and give it back. The size of cuDNN's is a model, fitted on timm's networks
(docs/accuracy.md).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import prod
from typing import Final, NamedTuple

from msgspec import Struct

from trainlint.estimate.replay.allocator import MIB
from trainlint.estimate.replay.course import Order
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.replay.recalled_columns import recalled
from trainlint.expressions.patterns import later
from trainlint.tape import EMPTIED, HELD, IN_TILES, TILE_ROWS, Op, Size
from trainlint.tape.flow import Column, firsts, gradients_first, spread
from trainlint.tape.flow_codes import OF_BIAS, OF_DATA, OF_WEIGHT

CUBLAS: Final = 8_519_680
"""Bytes of a cuBLAS workspace, one per handle and stream: 2 x 4 MiB + 8 x 16 KiB (ATen/cuda/CUDABlas.cpp)."""
CUBLAS_SM90: Final = 32 * MIB
"""The same from Hopper on (CUDABlas.cpp: 32 MiB where the compute capability's major is 9 or more)."""
CUBLASLT: Final = MIB
"""Bytes of a cuBLASLt workspace, taken and given back by every call (ATen/cuda/Blas.cpp: 1024 KiB)."""
HOPPER: Final = 9.0
"""Compute capability of sm_90."""

TILED_FROM: Final = 7.0
ROOMY_SHARED: Final = (8.0, 8.7)
SMALL_AGAIN: Final = 12.0
"""Compute capabilities by shared memory per block: 163 KiB and more on 8.0, 8.7 and from 9.0 to 11.x, 99 on
8.6, 8.9 and 12.x (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""

FLASH_FROM: Final = 8.0
"""Compute capability from which half-precision attention runs as FlashAttention."""

NARROW_FLASH: Final = ((8.6, 8.9), (12.0, 12.1))
"""Compute capabilities that train no wide heads with FlashAttention (trace/cuda/attention.py)."""
WIDE_HEADS: Final = (192, 256)
"""Sizes of heads, above and up to, of which that is so, or may be."""

ATTENTION: Final = "attention"
MATMUL: Final = "matmul"
SOFTMAX: Final = "softmax"
REDUCTION: Final = "reduction"
DENSE: Final = "conv"
GROUPED: Final = "conv-grouped"
DEPTHWISE: Final = "conv-depthwise"
"""Kinds of operators (tape.Op.kind) that cuBLAS, cuDNN or a softmax's backward compute."""
PRODUCTS: Final = (MATMUL, ATTENTION, DENSE, GROUPED, DEPTHWISE)
"""Kinds of operators that a network's last layer may be of."""
FORWARD: Final = "forward "
BACKWARD: Final = "backward-"
BACKWARD_DATA: Final = "backward-data "
BACKWARD_WEIGHT: Final = "backward-weight "
"""What a convolution's key begins with (trace/recording/operator_cost.py)."""
POINTWISE: Final = " k1x1 "
"""What a 1x1 convolution's key contains (trace/recording/operator_cost.py)."""
WEIGHT: Final = later(r" (?:transposed )?k([\dx]+) (\d+)o (\d+)x.* g(\d+)")
"""Finds the kernel, outputs, inputs and groups in a convolution's key."""
MAP: Final = later(r" \d+x([\dx]+) s")
"""Finds the sides of the map that a convolution reads in its key."""
CHANNELS_LAST: Final = " nhwc"
"""How the key of a convolution of channels-last tensors ends (trace/recording/operator_cost.py)."""

ITEMSIZE: Final = {"float16": 2, "bfloat16": 2, "float64": 8}
"""Bytes of an element where it is not 4."""
TRIED_SHARE: Final = 4.0
"""Bytes of a dense convolution's workspace per byte of activations while cudnn.benchmark tries every
algorithm: an upper estimate."""
PARTIAL: Final = 8 * MIB
"""Bytes of the partial sums that cuDNN's first choice for a weight's gradient keeps along with its copies.

A weight is small and its sums run over all pixels, so they are divided over the multiprocessors, which hold a
tile of 128x128 fp32 numbers each: some 7 MiB on the 108 of an A100. That is more than a segment's rounding,
so the workspace is never the data gradient's: VGG16's images take 166 MiB each, of 158 and 169 that two
machines measured (docs/accuracy.md).
"""
ALIGNED: Final = 16
"""Bytes that tensor cores' kernels load at once: maps of other sizes are copied with channels last first."""
BENCHMARK_RESERVE_SHARE: Final = 0.7
"""Bytes that a run with cudnn.benchmark reserves beyond the replay, per byte of activations that the backward
of its largest dense convolution reads and writes.

Which algorithms are fastest on the day decides whether the two gradients of a convolution work in one block
or in two: the same convolution is seen with either. This is the mean, fitted on the runs of GPUMemNet. The
fit is much the same without any one family of networks, and without all dense ones (docs/accuracy.md).
"""


class Libraries(Struct, frozen=True):
    """How a run uses the libraries: bytes of a cuBLAS workspace, and whether cuDNN tries its algorithms.

    `expandable`: the caching allocator runs with PYTORCH_ALLOC_CONF=expandable_segments:True. `tiles`: rows
    of the tiles in which memory-efficient attention sums the query's gradient (tape.TILES; 0: it does not).
    """

    cublas: int
    benchmark: bool
    expandable: bool = False
    tiles: int = TILE_ROWS[0]


def libraries(compute_capability: float, *, benchmark: bool, expandable: bool = False) -> Libraries:
    """Return what a GPU of this compute capability (7.5) takes."""
    cublas = CUBLAS_SM90 if compute_capability >= HOPPER else CUBLAS
    return Libraries(cublas, benchmark, expandable, tiles_of(compute_capability))


def tiles_of(compute_capability: float) -> int:
    """Return the rows of memory-efficient attention's largest tiles on a GPU, 0 where it has none.

    Source: mem_eff_attention/kernels/generate_kernels.py (128 rows where the shared memory holds them, not on
    sm_75 and sm_86) and kernel_backward.h (kEnableSplitKeys: from sm_70 on).
    """
    if compute_capability < TILED_FROM:
        return 0
    return TILE_ROWS[compute_capability in ROOMY_SHARED or HOPPER <= compute_capability < SMALL_AGAIN]


def has_wide_heads(op: Op) -> bool:
    """Say whether an operator is the forward of FlashAttention with WIDE_HEADS.

    A third of what it reads is a query in half precision; besides as much it writes a sum of four bytes for
    each row of every head, so that the two say how many numbers a row has: a whole one. Attention to a text
    reads and writes other shares.
    """
    if op.kind != ATTENTION or op.dtype not in ITEMSIZE:
        return False
    read, written = (size.batch or size.const for size in (op.read, op.written))
    query, other = divmod(read, 3)
    sums = written - query
    above, most = WIDE_HEADS
    return not other and sums > 0 and not 2 * query % sums and above < 2 * query // sums <= most


@kept
def first_matmuls(ledger: Ledger) -> tuple[int, ...]:
    """Return where each cuBLAS handle is first used: in the forward, and in the backward's own thread."""
    first: dict[bool, int] = {}
    for position, _, backward in ledger.operators(lambda op: op if op.kind == MATMUL else None):
        first.setdefault(backward, position)
        if len(first) > 1:
            break
    return tuple(sorted(first.values()))


class Asked(NamedTuple):
    """What a step asks of the libraries that differs between cards: cuBLAS's workspaces, tiles."""

    cublas: bool
    tiles: bool

    def of(self, libraries: Libraries) -> Libraries:
        """Return libraries without what is not asked for: many cards have the same then."""
        cublas, tiles = libraries.cublas if self.cublas else 0, libraries.tiles if self.tiles else 0
        return Libraries(cublas, libraries.benchmark, libraries.expandable, tiles)


@kept
def asked_of(ledger: Ledger) -> Asked:
    """Return what one GPU's step asks of the libraries."""
    tiled = any(op.key in IN_TILES.values() for op in ledger.ops.distinct.values())
    return Asked(bool(first_matmuls(ledger)), tiled)


def used(ledger: Ledger, libraries: Libraries) -> Libraries:
    """Return what one GPU's step uses of the libraries."""
    return asked_of(ledger).of(libraries)


@kept
def flushes(ledger: Ledger) -> tuple[int, ...]:
    """Return where cudnn.benchmark empties the cache: at each newly seen (convolution's shape, direction)."""
    keys: dict[str, int] = {}
    rows = {row: op.key for row, op in _convolutions(ledger).items() if _in_cudnn(op)}
    numbers = ledger.ops.order.by_row({row: keys.setdefault(key, len(keys)) for row, key in rows.items()})
    return _first_of_each(ledger.ops.order, in_order(ledger), numbers)


@kept
def emptied(ledger: Ledger) -> Column:
    """Return where the program itself empties the cache."""
    ops = ledger.ops
    return spread(ops.positions, ops.of(row for row, op in ops.distinct.items() if op.key == EMPTIED))


@recalled
def _first_of_each(order: Order, positions: Column, numbers: Column) -> tuple[int, ...]:
    """Return where the first operator of each number is, from the numbers by row."""
    return tuple(dict.fromkeys(firsts(order.rows, positions, numbers)))


@kept
def in_order(ledger: Ledger) -> Column:
    """Return where the operators run, that of a convolution's input's gradient before the others' memory.

    A tape has one moment for them. On a GPU the weight's gradient is allocated when the input's has been
    computed, and the bias' at last (aten/src/ATen/native/cudnn/ConvShared.cpp, cudnn_convolution_backward;
    Convolution.cpp, convolution_backward): it may lie where the first workspace was.
    """
    roles = {row: role for row, op in ledger.ops.distinct.items() if (role := _role_of(op))}
    return _data_first(ledger.ops.order, ledger.program, ledger.ops.order.by_row(roles, 0))


def _role_of(op: Op) -> int:
    """Say which of a convolution's gradients an operator computes; 0 for none."""
    if op.kind == REDUCTION:
        return OF_BIAS
    if op.key.startswith(BACKWARD_DATA):
        return OF_DATA
    return OF_WEIGHT if op.key.startswith(BACKWARD_WEIGHT) else 0


@recalled
def _data_first(order: Order, program: Column, roles: Column) -> Column:
    """Return the operators' positions, those of an input's gradient before the memory of the others."""
    return gradients_first(order.positions, order.rows, program, roles)


class Use(NamedTuple):
    """A workspace: before which event of the ledger's program it is taken, and its bytes."""

    position: int
    size: Size


class Uses(Struct, frozen=True):
    """The workspaces of convolutions: (row of the tape's, bytes) of those that have one, where each runs."""

    rows: tuple[tuple[int, Size], ...]
    where: Column


@kept
def _convolutions(ledger: Ledger) -> Mapping[int, Op]:
    """Return the convolutions by row: most of what is asked of operators is asked of these."""
    return {row: op for row, op in ledger.ops.distinct.items() if op.kind in (DENSE, GROUPED, DEPTHWISE)}


def uses(ledger: Ledger, size: Callable[[Op], Size | None], where: Column | None = None) -> Uses:
    """Return the workspaces of the convolutions that have one; `where` are others than their positions."""
    rows = ((row, taken) for row, op in _convolutions(ledger).items() if (taken := size(op)) is not None)
    return Uses(tuple(rows), ledger.ops.positions if where is None else where)


class Hold(NamedTuple):
    """A copy that outlives other events: where it is taken and where given back, its bytes.

    `brief`: nothing happens while the operator's copies lie there.
    """

    position: int
    until: int
    size: Size
    brief: bool = False


@kept
def copies(ledger: Ledger, tiles: int) -> tuple[Hold, ...]:
    """Return what operators copy before they run, each until it has run; `tiles` as in Libraries."""
    ops, taken = ledger.ops, (HELD, IN_TILES.get(tiles))
    copying = {row for row, op in ops.distinct.items() if op.key.startswith(HELD)}
    pending: dict[int, list[int]] = {}  # by the operator that runs with them
    user = -1
    for position in ops.of(row for row in copying if ops.distinct[row].key in taken):
        if user < position:
            user = next(
                (later for later in range(position + 1, len(ops)) if ops.rows[later] not in copying), -1
            )
        if user < 0:
            break
        pending.setdefault(user, []).append(position)
    holds: list[Hold] = []
    for user, held in pending.items():
        until = ops.positions[user]
        brief = ops.positions[held[0]] == until  # the operator allocates nothing
        holds += (
            Hold(ops.positions[index], until, ops.distinct[ops.rows[index]].written, brief) for index in held
        )
    return tuple(holds)


@kept
def products(ledger: Ledger) -> tuple[Use, ...]:
    """Return the product of gradient and output that every softmax's backward makes first.

    Source: aten/src/ATen/native/cuda/SoftMax.cu, softmax_backward_cuda_out. The backward of a loss's
    log_softmax makes none (log_softmax_backward_cuda_out). It is of the same kind on a tape, but comes before
    any product of its backward, as its input is the network's output: over a vocabulary that is gigabytes.
    """
    ops = ledger.ops
    softmaxes, computed = (
        ops.of(row for row, op in ops.distinct.items() if op.kind in kinds)
        for kinds in ((SOFTMAX,), PRODUCTS)
    )

    def is_inside(index: int) -> bool:
        before = bisect_left(computed, index)
        return before > 0 and bool(ops.backward[computed[before - 1]])

    return tuple(
        Use(ops.positions[index], ops.distinct[ops.rows[index]].written)
        for index in softmaxes
        if ops.backward[index] and is_inside(index)
    )


@kept
def weights(ledger: Ledger) -> Uses:
    """Return cuDNN's workspace of every forward convolution that has one: its weight with channels last."""
    return uses(ledger, lambda op: _weight(op) if op.key.startswith(FORWARD) and _has_workspace(op) else None)


def _weight(op: Op) -> Size | None:
    """Return the bytes of a convolution's weight; None where it has none."""
    shape = WEIGHT.search(op.key)
    if shape is None:
        return None
    kernel, outputs, inputs, groups = shape.groups()
    elements = int(outputs) * int(inputs) // int(groups) * prod(map(int, kernel.split("x")))
    return Size(elements * ITEMSIZE.get(op.dtype, 4)) if elements else None


@kept
def layouts(ledger: Ledger, *, benchmark: bool) -> Uses:
    """Return cuDNN's workspace of every backward convolution that has one: what it reads and writes again.

    cuDNN's tensor-core kernels want channels last, and other tensors are copied: both activations and the
    weight. (In the forward the weight only: with a copy of an activation the figures are no better.) Without
    cudnn.benchmark a weight's gradient keeps PARTIAL sums as well; with it `unshared` has the mean.
    """
    size = _moved if benchmark else _with_partial_sums
    return uses(ledger, lambda op: size(op) if _is_gradient(op) else None, in_order(ledger))


def _with_partial_sums(op: Op) -> Size:
    """Return what an operator reads and writes, and a weight's partial sums."""
    size = _moved(op)
    if not op.key.startswith(BACKWARD_WEIGHT) or POINTWISE in op.key:
        return size
    return Size(size.const + PARTIAL, size.batch, size.total, size.pool)


def _moved(op: Op) -> Size:
    """Return what an operator reads and writes."""
    read, written = op.read, op.written
    return Size(
        read.const + written.const,
        read.batch + written.batch,
        read.total + written.total,
        read.pool + written.pool,
    )


def largest_gradient(ledger: Ledger, samples: Samples) -> int:
    """Return the bytes of activations that the backward of the largest dense convolution reads and writes."""
    return max(samples.rounded(_gradients(ledger)), default=0)


@kept
def _gradients(ledger: Ledger) -> frozenset[Size]:
    """Return the activations that the backward of the dense convolutions moves, each distinct size once."""
    gradient_uses = uses(
        ledger, lambda op: ledger.moved(op) if op.kind == DENSE and _is_gradient(op) else None
    )
    return frozenset(size for _, size in gradient_uses.rows)


def _is_gradient(op: Op) -> bool:
    """Say whether an operator is the backward of a convolution that cuDNN runs with a workspace."""
    return op.key.startswith(BACKWARD) and _has_workspace(op)


def unshared(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return what cudnn.benchmark's choices make torch reserve beyond the replay, in the mean."""
    return round(BENCHMARK_RESERVE_SHARE * largest_gradient(ledger, samples)) if libraries.benchmark else 0


def spike(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return what cudnn.benchmark takes beyond the steady workspaces while it tries every algorithm."""
    largest = max(samples.rounded(_tried(ledger)), default=0)
    return round((TRIED_SHARE - 1) * largest) if libraries.benchmark else 0


@kept
def _tried(ledger: Ledger) -> frozenset[Size]:
    """Return what the dense convolutions move, each distinct size once."""
    tried = uses(ledger, lambda op: _moved(op) if op.kind == DENSE and _has_workspace(op) else None)
    return frozenset(size for _, size in tried.rows)


def _in_cudnn(op: Op) -> bool:
    """Return whether cuDNN computes a convolution: a depthwise one only of channels-last tensors.

    Others are PyTorch's own kernel's (aten/src/ATen/native/Convolution.cpp, ConvParams::use_cudnn_depthwise);
    in fp16 cuDNN takes some of those too, by their shape, which is left out here.
    """
    return op.kind in (DENSE, GROUPED) or (op.kind == DEPTHWISE and op.key.endswith(CHANNELS_LAST))


def _has_workspace(op: Op) -> bool:
    """Say whether an operator is a convolution that cuDNN runs with a workspace.

    1x1 is a matrix product, which needs none where its map's rows are ALIGNED.
    """
    if op.kind not in (DENSE, GROUPED) or op.key.endswith(CHANNELS_LAST):
        return False
    return POINTWISE not in op.key or (op.kind == DENSE and not _is_aligned(op))


def _is_aligned(op: Op) -> bool:
    """Say whether the map that a convolution reads has a whole number of loads; half precision has copies."""
    sides = MAP.search(op.key)
    if sides is None or op.dtype in ITEMSIZE:
        return True
    return prod(map(int, sides[1].split("x"))) * 4 % ALIGNED == 0
