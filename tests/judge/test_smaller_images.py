# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the largest bucket fits, the smallest needs no step of its own."""

from __future__ import annotations

import pytest

from trainlint.api import check

SDXL = (
    "accelerate launch sdxl_train_network.py --pretrained_model_name_or_path a.safetensors"
    " --resolution 1024 --network_module networks.lora --network_dim 32 --network_alpha 16 --sdpa"
    " --mixed_precision fp16 --optimizer_type AdamW8bit --cache_latents --gradient_checkpointing"
    " --cache_text_encoder_outputs --network_train_unet_only --output_dir o --max_train_steps 500"
)


@pytest.mark.parametrize(
    ("batch", "verdicts"), [(1, ["pass"]), (64, ["warn", "not-judged"])], ids=["the largest fits", "not"]
)
def test_the_largest_bucket_decides(tmp_path, monkeypatch, batch, verdicts) -> None:
    """Without torch a file with buckets was not judged, as its smallest bucket is not stored."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text(f"{SDXL} --enable_bucket --train_batch_size {batch}\n", "utf-8")
    results = check("train.sh", "colab-t4", trace=False).results
    assert [result.verdicts["memory"] for result in results] == verdicts
