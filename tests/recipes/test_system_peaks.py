# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The guides' systems: peaks and saved bytes of the original code, on meta (live bytes, rounded to 512).

Reference values were made by tracing each project's own model code through two full steps, with CUDA's
dropout masks and fused attention imitated; they are given in GB (1e9 bytes) to three or four digits.
"""

from __future__ import annotations

from functools import cache

import pytest

from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace

GB = 1e9
CLOSE = 0.01


def zoom23(side):
    args = {"img_size": side, "patch_size": 16, "embed_dim": 512, "num_heads": 8, "num_layers": 6}
    return {
        "recipe": "zoom23", "dialect": "zoom23", "crop.hr": side,
        "networks.generator.arch": "MultispectralAutoencoder", "networks.generator.args": args,
    }  # fmt: skip


def vae(side, precision):
    return {
        "recipe": "vae", "dialect": "vae", "crop.hr": side, "precision": precision,
        "networks.generator.arch": "VAE", "networks.generator.args": {},
    }  # fmt: skip


def glfcr(operator, crop=128, recipe="glfcr"):
    return {
        "recipe": recipe, "dialect": "glfcr", "crop.hr": crop, "networks.generator.arch": "RDN_residual_CR",
        "networks.generator.args": {"crop": crop, "operator": operator},
    }  # fmt: skip


CASES = {
    "zoom23-256": zoom23(256),
    "zoom23-512": zoom23(512),
    "zoom23-512-dp": zoom23(512) | {"parallel": "dp"},
    "vae-256": vae(256, "fp32"),
    "vae-256-amp": vae(256, "fp16"),
    "glfcr-cuda": glfcr("cuda"),
    "glfcr-python": glfcr("python"),
    "glfcr-python-dp": glfcr("python") | {"parallel": "dp"},
    "glfcr-96": glfcr("cuda", 96),
    "upstream": glfcr("cuda", recipe="glfcr.upstream"),
}


@cache
def taped(name, batches=()):
    return trace(CASES[name], verify=False, **({"batches": batches} if batches else {}))


def peak(name, batch, total=None):
    found = ledger(taped(name, (1,)) if batch == 1 else taped(name))
    return found.peak(Samples(batch, total or batch)).allocated / GB


@pytest.mark.parametrize(
    ("name", "batch", "expected"),
    [
        ("vae-256", 1, 7.30), ("vae-256-amp", 1, 7.1), ("vae-256-amp", 4, 25.3),
        ("glfcr-cuda", 1, 2.75), ("glfcr-cuda", 2, 5.29), ("glfcr-cuda", 4, 10.39),
        ("glfcr-python", 2, 5.75), ("glfcr-python", 4, 11.31),
    ],
)  # fmt: skip
def test_peak(name, batch, expected):
    assert peak(name, batch) == pytest.approx(expected, rel=CLOSE)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vae-256", 6.10),
        ("glfcr-cuda", 2.482),
        ("glfcr-python", 2.707),
        pytest.param("glfcr-96", 1.396, marks=pytest.mark.slow),
    ],
)
def test_bytes_saved_for_backward(name, expected):
    assert ledger(taped(name)).saved_per_sample / GB == pytest.approx(expected, rel=CLOSE)


def test_mixed_precision_saves_nothing_in_the_vae():
    halves = (
        2 * (68_700_243 + 1_735_488) / GB
    )  # autocast's copies of all weights, which the reference counts in
    saved = ledger(taped("vae-256-amp")).saved_per_sample / GB
    assert saved + halves == pytest.approx(6.22, rel=CLOSE)


def copies(side, batch):
    """The heads' output, laid out for the projection: one (tokens + 1, 512) copy per layer and sample.

    The reference's stand-in for fused attention returned it contiguous in MultiheadAttention's own order, so
    that `.contiguous()` copied nothing; CUDA's kernel returns (batch, heads, tokens, width) and it does copy.
    """
    return 6 * batch * ((side // 16) ** 2 + 1) * 512 * 4 / GB


@pytest.mark.parametrize(
    ("side", "batch", "expected"), [(256, 8, 0.84), (256, 16, 1.37), (512, 8, 2.80), (512, 16, 5.15)]
)
def test_peak_of_the_autoencoder(side, batch, expected):
    found = peak(f"zoom23-{side}", batch)
    assert found == pytest.approx(expected, rel=0.035)
    assert (found - copies(side, batch)) * (1 - CLOSE) <= expected <= found


@pytest.mark.parametrize(("side", "expected"), [(256, 63.3), (512, 277.5)])
def test_bytes_saved_by_the_autoencoder(side, expected):
    found = ledger(taped(f"zoom23-{side}")).saved_per_sample / 1e6
    assert found - copies(side, 1) * 1e3 == pytest.approx(expected, rel=CLOSE)


@pytest.mark.slow
def test_the_first_of_two_gpus_carries_optimizer_gather_and_loss():
    first, second = (
        ledger(taped("zoom23-512-dp"), gpu).peak(Samples(8, 16)).allocated / GB for gpu in (0, 1)
    )
    alone = peak("zoom23-512", 8)
    assert alone < first < alone * 1.03
    assert second < alone
    assert peak("glfcr-python-dp", 2, 4) == pytest.approx(5.75, rel=CLOSE)


def test_files_of_a_save():
    def sizes(name):
        return {file.name: round(file.size / 1e6) for file in taped(name).files}

    assert sizes("zoom23-512") == {"latest_checkpoint.pth": 456, "best_checkpoint.pth": 456}
    assert sizes("vae-256") == {"checkpoint_epoch_N.pt": 825}
    assert sizes("glfcr-cuda") == {"checkpoint_epoch_N.pth": 193}
    assert sizes("upstream") == {"N_net_CR.pth": 73}
