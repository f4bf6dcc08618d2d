# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The networks that spandrel builds as their frameworks do: where each is, and what differs in its use.

Each class was read next to the framework's own: xiangzhang-coding/RGT 003d7920,
AVC2-UESTC/CRAFT-SR f4f70681, YingqiLiulll/BasicSR-master f7e80415 (Uformer).
"""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.catalogue.zoo.library_entry import Entry, extra, spandrel

GRL_ONLY = {"fairscale_checkpoint": False, "offload_to_cpu": False}
"""GRL's own checkpointing is fairscale's, which is not modeled."""

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
    "SRFormer": extra("SRFormer", defaults={"upscale": 2}),
    "Restormer": extra("Restormer"),
    "MIRNet_v2": extra("MIRNet2", only={"height": 3, "width": 2, "scale": 1}, ignored=("n_RRG",)),
}  # fmt: skip
"""Architecture's name in its own repository's configs -> the library's class."""

UNTRACEABLE: Mapping[str, str] = {
    "MambaIRUNet": "the fork that trains it (realDenoising) has never been held against a reference",
    "ESC": "its FlexAttention is compiled, and what the compiled kernels keep is not modeled",
}
"""Networks that are known and left out, with the reason."""
