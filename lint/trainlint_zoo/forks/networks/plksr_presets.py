# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""PLKSR as traiNNer-redux and neosr spell it; by default both train the doubled channel mixer.

Sources: the-database/traiNNer-redux 878651dd, traiNNer/archs/plksr_arch.py (handed the run's scale);
muslll/neosr de9c33cc, neosr/archs/plksr_arch.py (the scale is a default that upscaling_factor replaces).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.forks.networks.plksr import PLKSR

BUILDERS = {
    "trainner-redux:plksr": "redux",
    "neosr:plksr": "neosr",
    "neosr:plksr_tiny": "neosr_tiny",
}


def redux(
    *,
    scale: Positive = 4,
    dim: Positive = 64,
    n_blocks: Positive = 28,
    ccm_type: Literal["CCM", "ICCM", "DCCM"] = "DCCM",
    kernel_size: Positive = 17,
    split_ratio: float = 0.25,
    lk_type: Literal["PLK", "SparsePLK", "RectSparsePLK"] = "PLK",
    use_max_kernel: bool = False,
    sparse_kernels: Sequence[int] = (5, 5, 5, 5),
    sparse_dilations: Sequence[int] = (1, 2, 3, 4),
    with_idt: bool = False,
    use_ea: bool = True,
) -> nn.Module:
    """Return redux's PLKSR."""
    return PLKSR(
        dim=dim, n_blocks=n_blocks, upscaling_factor=scale, ccm_type=ccm_type, kernel_size=kernel_size,
        split_ratio=split_ratio, lk_type=lk_type, use_max_kernel=use_max_kernel,
        sparse_kernels=sparse_kernels, sparse_dilations=sparse_dilations, with_idt=with_idt, use_ea=use_ea,
    )  # fmt: skip


def neosr(
    *,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
    dim: Positive = 64,
    n_blocks: Positive = 28,
    ccm_type: Literal["CCM", "ICCM", "DCCM"] = "DCCM",
    kernel_size: Positive = 17,
    split_ratio: float = 0.25,
    lk_type: Literal["PLK", "SparsePLK", "RectSparsePLK"] = "PLK",
    use_max_kernel: bool = False,
    sparse_kernels: Sequence[int] = (5, 5, 5, 5),
    sparse_dilations: Sequence[int] = (1, 2, 3, 4),
    with_idt: bool = False,
    use_ea: bool = True,
    is_coreml: bool = False,
) -> nn.Module:
    """Return neosr's PLKSR."""
    if is_coreml:
        raise CannotTraceError("PLKSR with is_coreml (a repetition in two steps) is not modeled")
    return redux(
        scale=upscaling_factor or scale, dim=dim, n_blocks=n_blocks, ccm_type=ccm_type,
        kernel_size=kernel_size, split_ratio=split_ratio, lk_type=lk_type, use_max_kernel=use_max_kernel,
        sparse_kernels=sparse_kernels, sparse_dilations=sparse_dilations, with_idt=with_idt, use_ea=use_ea,
    )  # fmt: skip


def neosr_tiny(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's smaller PLKSR, without the gates."""
    return neosr(scale=scale, n_blocks=12, kernel_size=13, use_ea=False, **given)
