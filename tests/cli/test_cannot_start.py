# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR configs that cannot start, and names that are nearly right: a folder, linted by the command."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import CONFIG, Command

VAL = """\
  val:
    name: checks
    type: PairedImageDataset
    dataroot_gt: checks/hr
    dataroot_lq: checks/lr
    io_backend: {type: disk}
"""
WITH_VAL = CONFIG.replace("network_g:\n", f"{VAL}network_g:\n", 1) + (
    "val:\n  val_freq: 5000\n  save_img: false\n  metrics:\n"
    "    psnr: {type: calculate_psnr, crop_border: 4}\n"
)


CASES: dict[str, tuple[tuple[str, str], str, str, str]] = {
    # name: (old, new), rule, level, what the message says
    "phase_valid": (("  val:\n", "  valid:\n"), "unknown-key", "fail", "phase is not recognized"),
    "phase_test": (("  val:\n", "  test:\n"), "unknown-key", "fail", "phase is not recognized"),
    "phase_train_b": (("  val:\n", "  train_b:\n"), "unknown-key", "fail", "phase is not recognized"),
    "no_lq": (("    dataroot_lq: photos/lr\n", ""), "missing-key", "fail", '"dataroot_lq"'),
    "no_lq_val": (("    dataroot_lq: checks/lr\n", ""), "missing-key", "fail", '"dataroot_lq"'),
    "no_name_val": (("    name: checks\n", ""), "missing-key", "fail", '"name"'),
    "dataset": (("type: PairedImageDataset", "type: FaceDataset"), "misspelt-name", "warn", '"FaceDataset"'),
    "dataset_case": (("PairedImageDataset", "PairedImageDataSet"), "misspelt-name", "fail", "did you mean"),
    "metric": (("calculate_psnr", "calculate_vmaf"), "misspelt-name", "warn", '"calculate_vmaf"'),
    "metric_case": (("calculate_psnr", "calculate_PSNR"), "misspelt-name", "fail", "did you mean"),
    "scheduler_word": (("gamma: 0.5", "gama: 0.5"), "unknown-argument", "warn", 'did you mean "gamma"'),
    "optimizer_word": (
        ("lr: !!float 2e-4", "lr: !!float 2e-4\n    nesterov: true"),
        "unknown-argument", "fail", 'Adam takes no argument "nesterov"',
    ),
    "betas": (
        ("lr: !!float 2e-4", "lr: !!float 2e-4\n    betas: [0.9, 0.99, 0.999]"),
        "wrong-value", "fail", "a list of 3",
    ),
    "lr_nan": (("lr: !!float 2e-4", "lr: .nan"), "wrong-value", "fail", "is nan"),
    "second": (
        ("    psnr: {type: calculate_psnr, crop_border: 4}\n", "    psnr: ~\n---\nname: again\n"),
        "several-documents", "fail", "a second document starts",
    ),
    "model_case": (("model_type: SRModel", "model_type: SRmodel"), "misspelt-name", "fail", '"SRModel"'),
    "model_letter": (
        ("model_type: SRModel", "model_type: RealESRGAMModel"), "misspelt-name", "warn", '"RealESRGANModel"',
    ),
    "network_case": (("type: MSRResNet", "type: MSRResnet"), "misspelt-name", "fail", '"MSRResNet"'),
    "network_letter": (("type: MSRResNet", "type: MSRResNat"), "misspelt-name", "warn", '"MSRResNet"'),
    "loss_case": (("type: L1Loss", "type: L1loss"), "misspelt-name", "fail", '"L1Loss"'),
    "batch_plural": (
        ("batch_size_per_gpu:", "batch_size_per_gpus:"), "missing-key", "fail", '"batch_size_per_gpus"',
    ),
    "batch_plural_fork": (
        ("batch_size_per_gpu:", "batch_size_per_gpus:"), "unknown-key", "warn", '"batch_size_per_gpu"',
    ),
}  # fmt: skip


def text_of(name: str) -> str:
    old, new = CASES[name][0]
    assert old in WITH_VAL
    text = WITH_VAL.replace(old, new, 1)
    return text.replace("SRModel", "HATModel") if name.endswith("fork") else text


@pytest.fixture(scope="module")
def linted(tmp_path_factory) -> dict[str, dict[str, Any]]:
    command = Command(tmp_path_factory.mktemp("starts"))
    for name in CASES:
        command.write(f"{name}.yml", text_of(name))
    command.write("sound.yml", WITH_VAL)
    results = command.json("-t", "rtx-3060", ".")["results"]
    return {result["path"].removesuffix(".yml"): result for result in results}


def findings(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["rule"], one["level"]) for one in result["findings"]]


def test_a_sound_config_has_none_of_them(linted) -> None:
    assert findings(linted["sound"]) == []


@pytest.mark.parametrize("name", CASES)
def test_it_does_not_pass(linted, name) -> None:
    _, rule, level, said = CASES[name]
    result = linted[name]
    found = [one for one in result["findings"] if one["rule"] == rule]
    assert [one["level"] for one in found] == [level], result["findings"]
    assert said in found[0]["message"]
    assert result["outcome"] == level


@pytest.mark.parametrize("name", ["model_case", "network_case", "batch_plural", "scheduler_word"])
def test_a_slip_is_told_once_at_its_line(linted, name) -> None:
    (finding,) = linted[name]["findings"]
    assert CASES[name][0][1] in text_of(name).splitlines()[finding["line"] - 1]


def test_no_fix_is_offered_that_would_crash(trainlint) -> None:
    cyclic = (
        "type: CosineAnnealingRestartCyclicLR\n    periods: [200000, 100000]\n    restart_weights: [1, 1]\n"
        "    eta_mins: [0.0002, 0.000001]"
    )
    old = "type: MultiStepLR\n    milestones: [200000]\n    gamma: 0.5"
    assert old in CONFIG
    trainlint.write("a.yml", CONFIG.replace(old, cyclic))
    (result,) = trainlint.json("-t", "rtx-3060", "a.yml")["results"]
    named = [one for one in result["findings"] if "CosineAnnealingRestartCyclicLR" in one["message"]]
    assert named
    assert all(one["fixes"] == [] for one in named)
