# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The small steps that a blueprint is drawn from, of models whose layers are of two types."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.catalogue.base_models import base_model
from trainlint.tape.blueprints.model_shape import drawn_from, has_kind, kind_of

FLASH = {"attention.implementation": "flash_attention_2"}


def _step(name: str, tokens: int = 2048, **changes: Any) -> dict[str, Any]:
    found = base_model(name)
    assert found is not None
    lora = {"adapter.kind": "lora", "adapter.rank": 8, "adapter.targets": ["all-linear"]}
    step = {"recipe": "transformers.SFT", "model.config": dict(found.model.config), "sequence.length": tokens}
    return {**step, **lora, **changes}


@pytest.mark.parametrize("name", ["google/gemma-2-9b", "google/gemma-3-1b-pt", "allenai/Olmo-3-1025-7B"])
def test_small_models_have_layers_of_both_types(name: str) -> None:
    step = _step(name, **FLASH)
    for small in drawn_from(step):
        config = small["model.config"]
        assert set(config["layer_types"]) == {"full_attention", "sliding_attention"}
        assert len(config["layer_types"]) == config["num_hidden_layers"]
        assert kind_of(small) == kind_of(step)


def test_their_width_is_a_multiple_of_their_heads() -> None:
    for small in drawn_from(_step("google/gemma-2-9b", **FLASH)):
        config = small["model.config"]
        assert config["hidden_size"] % config["num_attention_heads"] == 0
        assert config["intermediate_size"] > config["num_attention_heads"] * config["head_dim"]


@pytest.mark.parametrize(
    ("name", "tokens", "changes", "alike"),
    [
        ("google/gemma-3-1b-pt", 2048, {}, False),
        ("google/gemma-3-1b-pt", 512, {}, True),
        ("google/gemma-3-1b-pt", 2048, FLASH, True),
        ("google/gemma-2-9b", 8192, {}, True),  # every layer's scores are written out
    ],
)
def test_layers_of_which_some_get_a_mask_have_no_blueprint(
    name: str, tokens: int, changes: dict[str, Any], alike: bool
) -> None:
    assert has_kind(_step(name, tokens, **changes)) is alike


@pytest.mark.parametrize("tokens", [4096, 8192])
def test_small_models_are_on_the_same_side_of_a_window(tokens: int) -> None:
    step = _step("mistralai/Mistral-7B-v0.1", tokens)
    assert {kind_of(small) for small in drawn_from(step)} == {kind_of(step)}
