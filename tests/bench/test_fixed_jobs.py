# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which flags make a LoRA on Flux fit which card, by the steps in the wheel."""

from __future__ import annotations

from typing import Final

import pytest

from bench.profiles.build import PROFILES
from bench.profiles.fixed_jobs import jobs, judged
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.model.finding import Finding

FLAGS: Final = (
    "gradient_checkpointing", "cache_latents", "cache_text_encoder_outputs", "network_train_unet_only",
    "fp8_base",
)  # fmt: skip


def too_small(card: str) -> Finding:
    file, text = next((file, text) for name, file, text, _ in jobs() if name == "kohya flux 512")
    (result,) = judged(file, text, card, Store(PROFILES, "shipped"), may_trace=False)
    return next(finding for finding in result.findings if finding.rule == "vram-budget")


@pytest.mark.rest
@pytest.mark.parametrize(
    ("card", "flags"),
    [
        ("rtx-4090", ("gradient_checkpointing", "fp8_base")),
        ("rtx-4060-ti-16gb", tuple(name for name in FLAGS if name != "cache_latents")),
    ],
)
def test_the_fewest_flags_that_make_flux_fit(card: str, flags: tuple[str, ...]) -> None:
    (fix,) = too_small(card).fixes
    assert tuple(name for name in FLAGS if f"add --{name}" in fix.summary) == flags
    assert len(fix.edits) >= 1


@pytest.mark.rest
def test_what_all_flags_leave_on_a_card_that_is_too_small() -> None:
    finding = too_small("rtx-3060")
    assert finding.fixes == ()
    assert finding.notes[0].startswith("all edits together are not enough (needs 13.7")
    assert all(f"--{name}" in finding.notes[0] for name in FLAGS)
