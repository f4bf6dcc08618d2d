"""The networks that spandrel builds as their frameworks do: where each stands, and what differs in its use.

Each class was read beside the framework's own: xiangzhang-coding/RGT 003d7920,
AVC2-UESTC/CRAFT-SR f4f70681, YingqiLiulll/BasicSR-master f7e80415 (Uformer).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a library keeps a network, and what the framework does otherwise."""

    module: str
    name: str
    defaults: Mapping[str, Any] = field(default_factory=dict)  # the framework's, by the library's names
    renamed: Mapping[str, str] = field(default_factory=dict)  # the framework's name -> the library's
    spelled: Mapping[str, str] = field(
        default_factory=dict
    )  # the framework's word for a value -> the library's
    required: tuple[str, ...] = ()  # arguments to which the framework gives no default
    ignored: tuple[str, ...] = ()  # accepted by the framework and never used
    only: Mapping[str, Any] = field(
        default_factory=dict
    )  # what the library's class stands for: name -> value
    open: bool = False  # the framework's constructor swallows every other keyword


def spandrel(folder: str, name: str = "", **rest: Any) -> Entry:
    """Return an entry of spandrel (MIT-licensed architectures)."""
    return Entry(f"spandrel.architectures.{folder}", name or folder, **rest)


def extra(name: str, **rest: Any) -> Entry:
    """Return an entry of spandrel_extra_arches."""
    return Entry(f"spandrel_extra_arches.architectures.{name}", name, **rest)


GRL_ONLY = {"fairscale_checkpoint": False, "offload_to_cpu": False}
"""GRL's own checkpointing is fairscale's, which is not modelled."""

PUBLISHED: Mapping[str, Entry] = {
    "RGT": spandrel("RGT", defaults={"upscale": 2}, open=True),
    "SPAN": spandrel("SPAN", required=("num_in_ch", "num_out_ch")),
    # CRAFT names no window_size: the constructor swallows it
    "CRAFT": spandrel(
        "CRAFT",
        defaults={"upscale": 2, "embed_dim": 96, "depths": (6,) * 4, "num_heads": (6,) * 4},
        ignored=("window_size", "upsampler", "img_size"),
        open=True,
    ),
    "SCUNet": spandrel("SCUNet"),
    "Uformer": spandrel("Uformer", open=True),
    "GRL": spandrel("GRL", only=GRL_ONLY),
    "MIRNet_v2": extra("MIRNet2", only={"height": 3, "width": 2, "scale": 1}, ignored=("n_RRG",)),
}  # fmt: skip
"""Architecture's name in its own repository's configs -> the library's class."""

UNTRACEABLE: Mapping[str, str] = {
    "MambaIRUNet": "the fork that trains it (realDenoising) has never been held against a reference",
    "ESC": "its FlexAttention is compiled, and what the compiled kernels keep is not modelled",
}
"""Networks that are known and left out, with the reason."""
