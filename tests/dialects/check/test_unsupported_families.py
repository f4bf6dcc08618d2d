# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Configs of other families are named; what only shares a word with them is not."""

from __future__ import annotations

import pytest

from trainlint.dialects.check.unsupported_families import family_of


@pytest.mark.parametrize(
    ("value", "family"),
    [
        ({"output_dir": "out", "per_device_train_batch_size": 8}, "the Hugging Face Trainer"),
        ({"compute_environment": "LOCAL_MACHINE", "distributed_type": "NO"}, "Hugging Face Accelerate"),
        ({"distributed_type": "MULTI_GPU", "num_processes": 2}, "Hugging Face Accelerate"),
        ({"defaults": ["_self_", {"model": "small"}], "seed": 1}, "Hydra"),
        ({"model": {"_target_": "package.Net", "width": 8}}, "Hydra"),
        ({"hydra": {"run": {"dir": "out"}}}, "Hydra"),
        ({"runtime": {"distribution_strategy": "mirrored", "num_gpus": 2}}, "TensorFlow's Model Garden"),
        (
            {"task": {"train_data": {"global_batch_size": 8}}, "trainer": {"optimizer_config": {}}},
            "TensorFlow's Model Garden",
        ),
        (
            {"generators": {"rdn": {"x": 2}}, "feature_extractor": {}, "session": {"training": {}}},
            "ISR, a TensorFlow trainer",
        ),
        (
            {"networks": {"which_model": "base"}, "solver": {"qat": None, "epochs": 9}},
            "a TensorFlow trainer",
        ),
        ({"batch_size": 8, "train_dataset": {"path": "data/pairs.tfrecord"}}, "a TensorFlow trainer"),
        ({"runtime": {"python": "3.12"}, "task": "build"}, None),
        ({"trainer": {"max_epochs": 9}, "task": {"name": "x"}}, None),  # Lightning
        ({"defaults": [{"scope": {"path": ""}, "values": {"layout": "post"}}]}, None),  # Jekyll
        ({"defaults": {"run": {"shell": "bash"}}}, None),  # GitHub Actions
        ({"base_model": "x", 1: 2}, None),
        ({"defaults": []}, None),
        ([1, 2], None),
        (None, None),
    ],
)
def test_a_family_is_known_by_its_own_keys(value, family) -> None:
    assert family_of(value) == family
