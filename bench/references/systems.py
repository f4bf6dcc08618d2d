# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Hold the guides' systems to the figures of their original code: peaks and bytes saved per sample, in GB.

    python -m bench systems

Needs torch. Reference: the original model code of each project, traced through two full steps with CUDA's
dropout masks and fused attention imitated; tensor bytes only (no context, no workspaces). Prints a Markdown
table. Two differences are known: zoom23 saves one (tokens + 1, width) tensor more per layer, because CUDA's
attention kernel returns a layout that MultiheadAttention must copy (the reference's stand-in did not: see
off_cuda.py, and the table's last column); and the reference counts autocast's copies of the weights into one
sample (VAE 256 fp16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.commands import parser_of
from bench.references.off_cuda import off_cuda
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import TRACED_BATCHES, trace

GB = 1e9
TOLERANCE = 0.02
"""The share within which a figure should be."""


def zoom23(side: int, patch: int = 16, width: int = 512, layers: int = 6) -> dict[str, Any]:
    """Return the step of the multispectral autoencoder at a side in pixels."""
    args = {"img_size": side, "patch_size": patch, "embed_dim": width, "num_heads": 8, "num_layers": layers}
    return {
        "recipe": "zoom23", "dialect": "zoom23", "crop.hr": side,
        "networks.generator.arch": "MultispectralAutoencoder", "networks.generator.args": args,
    }  # fmt: skip


def vae(side: int, precision: str) -> dict[str, Any]:
    """Return the step of the VAE at a side in pixels."""
    return {
        "recipe": "vae", "dialect": "vae", "crop.hr": side, "precision": precision,
        "networks.generator.arch": "VAE", "networks.generator.args": {},
    }  # fmt: skip


def glfcr(crop: int, operator: str) -> dict[str, Any]:
    """Return the step of GLF-CR at a crop in pixels, with its kernel in CUDA or in Python."""
    return {
        "recipe": "glfcr", "dialect": "glfcr", "crop.hr": crop, "networks.generator.arch": "RDN_residual_CR",
        "networks.generator.args": {"crop": crop, "operator": operator},
    }  # fmt: skip


PEAKS: tuple[tuple[dict[str, Any], dict[int, float]], ...] = (
    (zoom23(256), {8: 0.84, 16: 1.37}),
    (zoom23(512), {8: 2.80, 16: 5.15}),
    (zoom23(768), {2: 2.33, 4: 3.80}),
    (zoom23(1024), {1: 3.11, 2: 4.81}),
    (vae(256, "fp32"), {1: 7.3}),
    (vae(256, "fp16"), {1: 7.1, 4: 25.3}),
    (vae(512, "fp32"), {1: 64.8}),
    (vae(512, "fp16"), {1: 63.2, 4: 249.5}),
    (vae(1024, "fp16"), {16: 13870}),
    (glfcr(128, "cuda"), {1: 2.75, 2: 5.29, 4: 10.39}),
    (glfcr(128, "python"), {1: 2.98, 2: 5.75, 4: 11.31}),
    (glfcr(256, "cuda"), {1: 10.43}),
    (glfcr(256, "python"), {1: 11.35}),
)
"""Step -> {batch: peak of one GPU}."""

SAVED: tuple[tuple[dict[str, Any], float], ...] = (
    (zoom23(256), 0.0633),
    (zoom23(512), 0.2775),
    (zoom23(768), 0.7184),
    (zoom23(1024), 1.5119),
    (zoom23(512, patch=32), 0.0680),
    (zoom23(512, width=384), 0.2182),
    (zoom23(512, width=768, layers=8), 0.5064),
    (vae(256, "fp32"), 6.10),
    (vae(256, "fp16"), 6.22),
    (vae(512, "fp32"), 41.3),
    (vae(512, "fp16"), 49.8),
    (vae(768, "fp32"), 156),
    (vae(768, "fp16"), 207),
    (vae(1024, "fp32"), 436),
    (vae(1024, "fp16"), 605),
    (vae(2048, "fp16"), 8912),
    (glfcr(96, "cuda"), 1.396),
    (glfcr(96, "python"), 1.523),
    (glfcr(128, "cuda"), 2.482),
    (glfcr(128, "python"), 2.707),
    (glfcr(192, "cuda"), 5.583),
    (glfcr(256, "python"), 10.828),
)
"""Step -> bytes that one sample keeps for backward."""


def name(step: dict[str, Any]) -> str:
    """Name a system by its recipe, side, precision and arguments."""
    args = step["networks.generator.args"]
    rest = [str(value) for key, value in args.items() if key not in {"img_size", "crop", "num_heads"}]
    return " ".join([step["recipe"], str(step["crop.hr"]), step.get("precision", "fp32"), *rest])


def rows() -> Iterator[tuple[str, str, float, float, float | None]]:
    """Yield (system, figure, reference, traced, traced as the reference ran where that differs)."""
    for step, expected in PEAKS:
        for batch, reference in expected.items():
            found = both(partial(peak, step, batch), reference)
            yield name(step), f"peak, batch {batch}", reference, *found
    for step, reference in SAVED:
        yield name(step), "saved per sample", reference, *both(partial(saved, step), reference)


def both(figure: Callable[[], float], reference: float) -> tuple[float, float | None]:
    """Return a figure, and where it is outside the target the figure without what the reference left out."""
    found = figure()
    if abs(found / reference - 1) <= TOLERANCE:
        return found, None
    with off_cuda():
        return found, figure()


def peak(step: dict[str, Any], batch: int) -> float:
    """Return a step's peak on one GPU, in GB."""
    tape = trace(step, verify=False, batches=(1,) if batch == 1 else TRACED_BATCHES)
    return ledger(tape).peak(Samples(batch, batch)).allocated / GB


def saved(step: dict[str, Any]) -> float:
    """Return what one sample keeps for the backward pass, in GB."""
    return ledger(trace(step, verify=False)).saved_per_sample / GB


def main() -> None:
    """Print the table."""
    parser_of(__doc__).parse_args()
    print("| system | figure | reference GB | traced GB | error | as the reference ran |")
    print("|---|---|---|---|---|---|")
    for system, figure, reference, traced, plain in rows():
        errors = [f"{100 * (gb / reference - 1):+.1f} %" if gb is not None else "" for gb in (traced, plain)]
        print(f"| {system} | {figure} | {reference:g} | {traced:.4g} | {errors[0]} | {errors[1]} |")
