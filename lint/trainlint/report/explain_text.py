"""Where a GPU's peak goes, as a table of networks and kinds, and the largest tensors in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.estimate.breakdown import Breakdown
from trainlint.estimate.facts import GpuMemory
from trainlint.report.style import Style, printable
from trainlint.report.units import bytes_text, gib

GIB = 2**30


def render_breakdown(parts: Breakdown, memory: GpuMemory | None, style: Style) -> Iterator[str]:
    """Yield the lines for one GPU; `memory` adds what is not tensors."""
    yield f"peak of live tensors: {gib(parts.allocated)} GiB, in {parts.phase or 'the first step'}"
    yield ""
    yield from _grid(parts, style)
    yield ""
    if memory is not None:
        yield from _process(parts, memory)
        yield ""
    yield f"the {len(parts.largest)} largest tensors at that moment:"
    for tensor in parts.largest:
        made = f"  made in {tensor.phase}" if tensor.phase else ""
        owner = printable(tensor.owner).removesuffix(":") or "(no module)"
        yield f"  {bytes_text(tensor.size):>9}  {tensor.kind:<11}  {owner}{style.paint('dim', made)}"


def _grid(parts: Breakdown, style: Style) -> Iterator[str]:
    """Yield a table: a row for each network, a column for each kind, GiB."""
    totals: dict[str, int] = {}
    for kinds in parts.by_network.values():
        for kind, size in kinds.items():
            totals[kind] = totals.get(kind, 0) + size
    columns = sorted(totals, key=lambda kind: -totals[kind])
    rows = [["GiB", *columns, "total"]]
    for network, kinds in parts.by_network.items():
        cells = [gib(kinds[kind]) if kind in kinds else "-" for kind in columns]
        rows.append([printable(network), *cells, gib(sum(kinds.values()))])
    rows.append(["total", *(gib(totals[kind]) for kind in columns), gib(parts.allocated)])
    for number, line in enumerate(columns_of(rows)):
        yield style.paint("bold", line) if number in (0, len(rows) - 1) else line


def columns_of(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows as aligned columns, the first to the left and the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        first = f"{row[0]:<{widths[0]}}"
        rest = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join((first, *rest)).rstrip()


def _process(parts: Breakdown, memory: GpuMemory) -> Iterator[str]:
    """Say how tensors become what nvidia-smi shows."""
    cached = max(0, memory.expect - memory.context - parts.allocated)
    steps = (
        ("tensors", parts.allocated, "live at the peak"),
        ("cache", cached, "reserved by torch but not in use just then, and cuDNN's and cuBLAS's workspaces"),
        ("context", memory.context, "CUDA's own: kernels and queues"),
        (
            "expect",
            memory.expect,
            f"what nvidia-smi will show, of {gib(memory.capacity)} GiB that torch sees",
        ),
        ("worst", memory.worst, "while cuDNN tries its algorithms"),
        ("least", memory.least, "the smallest card it can run on, flushing the cache where it must"),
    )
    for name, size, meaning in steps:
        yield f"  {name:<8}{gib(size):>7} GiB  {meaning}"
