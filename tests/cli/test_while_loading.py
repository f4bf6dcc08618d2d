# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A run that stops while it loads, and whose step would not: one line is no two verdicts."""

from __future__ import annotations

import pytest

from .conftest import unfolded

FLUX = """\
job: extension
config:
  name: mine
  process:
    - type: sd_trainer
      datasets: [{folder_path: images, resolution: [512, 768, 1024], cache_latents_to_disk: true}]
      train:
        {batch_size: 1, steps: 2000, gradient_checkpointing: true, noise_scheduler: flowmatch,
         optimizer: adamw8bit, lr: 0.0001, dtype: bf16, ema_config: {use_ema: true, ema_decay: 0.99}}
      model: {name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true, quantize: true}
      network: {type: lora, linear: 16, linear_alpha: 16}
      save: {dtype: float16, save_every: 250}
"""


@pytest.mark.parametrize("card", ["l4", "rtx-3090"])
def test_the_step_is_said_to_be_the_step_alone_where_loading_fails(trainlint, card) -> None:
    trainlint.write("flux.yaml", FLUX)
    shown = unfolded(trainlint("flux.yaml", "-t", card, "--no-trace").stdout)
    assert "FAIL, tight" not in shown
    assert "FAIL, fits" not in shown
    assert ("FAIL, the step alone" in shown) == (card == "l4")
