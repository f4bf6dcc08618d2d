# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which flags make a LoRA on Flux fit which card, by the steps in the wheel."""

from __future__ import annotations

from typing import Final

import pytest

from bench.profiles.build import PROFILES
from bench.profiles.fixed_jobs import jobs, judged
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.judge.fixes.fixer import FEWER
from trainlint.model.finding import Finding

FLAGS: Final = (
    "gradient_checkpointing", "cache_latents", "cache_text_encoder_outputs", "network_train_unet_only",
    "fp8_base", "blocks_to_swap",
)  # fmt: skip


def too_small(card: str, job: str = "kohya flux 512") -> Finding:
    file, text = next((file, text) for name, file, text, _ in jobs() if name == job)
    results = judged(file, text, card, Store(PROFILES, "shipped"), may_trace=False)
    return next(finding for finding in results[0].findings if finding.rule == "vram-budget")


@pytest.mark.rest
@pytest.mark.parametrize(
    ("card", "flags"),
    [
        ("rtx-4060", FLAGS),
        pytest.param("rtx-4090", ("gradient_checkpointing", "fp8_base"), marks=pytest.mark.slow),
        pytest.param(
            "rtx-4060-ti-16gb",
            tuple(name for name in FLAGS if name not in ("cache_latents", "blocks_to_swap")),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "rtx-3060",
            tuple(name for name in FLAGS if name not in ("cache_latents", "fp8_base")),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_fewest_flags_that_make_flux_fit(card: str, flags: tuple[str, ...]) -> None:
    (fix,) = too_small(card).fixes
    assert tuple(name for name in FLAGS if f"add --{name}" in fix.summary) == flags
    assert (FEWER in fix.summary) == (card == "rtx-4060")  # for which the wheel has no step of its own


@pytest.mark.rest
def test_what_all_flags_leave_on_a_card_that_is_too_small() -> None:
    finding = too_small("5GiB")
    assert finding.fixes == ()
    assert finding.notes[0].startswith("all edits together are not enough (needs 5.6")
    assert all(f"--{name}" in finding.notes[0] for name in FLAGS)


@pytest.mark.slow
def test_no_sample_is_cut_where_other_edits_make_a_language_model_fit() -> None:
    """Of an 8B model's QLoRA on a card of 8 GB."""
    (fix,) = too_small("rtx-4060", "llamafactory qlora llama-3-8b 2").fixes
    assert "add enable_liger_kernel: true" in fix.summary
    assert "per_device_train_batch_size: 2 -> 1, gradient_accumulation_steps: 8 -> 16" in fix.summary
    assert "cutoff_len" not in fix.summary


@pytest.mark.rest
def test_the_large_vae_is_cut_no_further_than_it_must() -> None:
    """Where sides between were not stored the smallest of all was advised, 32 pixels."""
    (fix, *_) = too_small("rtx-5090", "vae large").fixes
    assert fix.summary.startswith("image_size: 1024 -> 128 ")
