# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""gpus.toml itself: every table is complete, plausible and consistent with what is public about its kind."""

from __future__ import annotations

from functools import wraps
from pathlib import Path

import pytest
import tomli

from trainlint.hardware import load_hardware
from trainlint.hardware.memory_seen_by_torch import MIB, context_mib, torch_mib

FILE = Path(__file__).resolve().parents[2] / "gpus.toml"
TABLES = tomli.loads(FILE.read_text(encoding="utf-8"))
GPUS, TARGETS = TABLES["gpu"], TABLES["target"]
HARDWARE = load_hardware()

CAPABILITIES = {
    "Kepler": {3.7},
    "Maxwell": {5.2},
    "Pascal": {6.0, 6.1},
    "Volta": {7.0},
    "Turing": {7.5},
    "Ampere": {8.0, 8.6},
    "Ada": {8.9},
    "Hopper": {9.0},
    "Blackwell": {10.0, 12.0},
}
FIRST_CUDA = {
    3.7: "6.5", 5.2: "6.5", 6.0: "8.0", 6.1: "8.0", 7.0: "9.0", 7.5: "10.0", 8.0: "11.0", 8.6: "11.1",
    8.9: "11.8", 9.0: "11.8", 10.0: "12.8", 12.0: "12.8",
}  # fmt: skip
LAST_CUDA = {3.7: "11.8"} | dict.fromkeys((5.2, 6.0, 6.1, 7.0), "12.9")  # CUDA 13 starts at 7.5

UNRESERVED = ("k80",)
"""Cards whose last driver is older than 510: what it shows is what torch sees."""


def placed(kind, test, name):
    """Run a test of one table; what it finds wrong has the table's line."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    try:
        test(name)
    except (AssertionError, KeyError) as error:
        table = f"[{kind}.{name}]"
        raise AssertionError(f"{FILE.name}:{lines.index(table) + 1}: {table}: {error!r}") from error


def each(kind):
    """Return what runs a test for each table of a kind."""

    def decorate(test):
        @pytest.mark.parametrize("name", TABLES[kind])
        @wraps(test)
        def run(name):
            placed(kind, test, name)

        return run

    return decorate


gpus, targets = each("gpu"), each("target")


def test_what_is_not_plausible_has_its_line():
    def wrong(name):
        raise KeyError("source")

    with pytest.raises(AssertionError, match=r"^gpus\.toml:\d+: \[gpu\.k80\]: KeyError\('source'\)"):
        placed("gpu", wrong, "k80")
    with pytest.raises(
        AssertionError, match=r"^gpus\.toml:\d+: \[gpu\.k80\]: .*sms is 900: expected 8 to 200"
    ):
        placed("gpu", lambda _: within("sms", 900, 8, 200), "k80")


def test_there_are_enough():
    assert len(GPUS) >= 60
    assert len(TARGETS) >= 25


@gpus
def test_a_gpu_is_complete_and_plausible(name):
    raw, gpu = GPUS[name], HARDWARE.gpu(name)
    assert gpu.name == name
    assert raw["source"], "source is empty: expected where the numbers are from"
    assert raw["names"], "names is empty: expected what the driver calls the card"
    sold = raw["memory_gb"] * 1024
    within("memory that torch sees in MiB", gpu.memory / MIB, 0.85 * sold, 1.02 * sold)  # ECC and the driver
    assert gpu.memory < raw["smi_mib"] * MIB or name in UNRESERVED, "torch_mib: expected less than smi_mib"
    within("context_mib", gpu.context / MIB, 99, 750)
    within("sms", gpu.sms, 8, 200)
    within("bandwidth_gbs", gpu.bandwidth / 1e9, 100, 8000)
    within("fp32_tflops", gpu.fp32 / 1e12, 2, 130)


def within(key, value, least, most):
    """Fail with the key's own words where a figure is one that no card has."""
    assert least <= value <= most, f"{key} is {value:g}: expected {least:g} to {most:g}, what such cards have"


@gpus
def test_a_gpus_architecture_fits_its_capability(name):
    raw, gpu = GPUS[name], HARDWARE.gpu(name)
    assert gpu.compute_capability in CAPABILITIES[raw["arch"]]
    assert gpu.cuda_min == FIRST_CUDA[gpu.compute_capability]
    assert gpu.cuda_max == LAST_CUDA.get(gpu.compute_capability)


@gpus
def test_a_gpus_tensor_rates_fit_its_architecture(name):
    gpu = HARDWARE.gpu(name)
    tensor_cores = gpu.compute_capability >= 7 and not name.startswith("gtx-")
    assert (gpu.fp16 > 0) == tensor_cores
    assert (gpu.bf16, gpu.tf32 > 0) == ((gpu.fp16, True) if gpu.compute_capability >= 8 else (0.0, False))
    assert gpu.bf16_native == (gpu.compute_capability >= 8)
    if gpu.tf32:
        assert gpu.fp16 / gpu.tf32 == pytest.approx(2, rel=0.02)
    if (
        tensor_cores
    ):  # dense with fp32 accumulation: 2 to 4 on GeForce, to 8 on others, more on data-centre cards
        most = 4.01 if name.startswith("rtx-") and len(name.split("-")[1]) == 4 else 34
        assert 1.9 <= gpu.fp16 / gpu.fp32 <= most


@gpus
def test_a_gpus_own_memory_stays_near_the_rule(name):
    """An exception is a card whose error correction changes what nvidia-smi shows."""
    raw = GPUS[name]
    if "torch_mib" in raw and name != "p40" and name not in UNRESERVED:
        assert raw["torch_mib"] == pytest.approx(torch_mib(raw["smi_mib"]), rel=0.01)


@gpus
def test_a_gpus_own_context_stays_near_the_rule(name):
    """The rule stands for cards nobody measured, so it must hold for those somebody did."""
    raw = GPUS[name]
    if "context_mib" in raw and name != "rtx-3060":  # there the two messages are 99 and 327
        by_rule = context_mib(raw["compute_capability"], raw["sms"])
        assert raw["context_mib"] == pytest.approx(by_rule, rel=0.15)
        assert raw["context_source"]


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("rtx-5090", 12.0),
        ("rtx-5070-laptop", 12.0),
        ("rtx-pro-6000-blackwell", 12.0),
        ("b200", 10.0),
        ("p100", 6.0),
        ("p40", 6.1),
        ("a10g", 8.6),
        ("a30", 8.0),
        ("gh200", 9.0),
        ("l40s", 8.9),
    ],
)
def test_capabilities_that_are_often_wrong(name, capability):
    assert HARDWARE.gpu(name).compute_capability == capability


@pytest.mark.parametrize(
    ("name", "tflops"),
    [
        ("rtx-2080-ti", 53.8),
        ("rtx-3090", 71.2),
        ("rtx-4090", 165.2),
        ("rtx-5090", 209.5),
        ("a10g", 70),
        ("a10", 125),
    ],
)
def test_tensor_rates_that_are_often_sparse_or_fp16_accumulate(name, tflops):
    assert HARDWARE.gpu(name).fp16 == tflops * 1e12


@pytest.mark.parametrize("name", ["t4", "l4", "rtx-3060", "rtx-4090"])
def test_capacity_is_not_above_the_least_that_torch_ever_saw(name):
    least = {"t4": 14913, "l4": 22563, "rtx-3060": 11910, "rtx-4090": 24081}[name]
    assert 0.99 * least <= HARDWARE.gpu(name).memory / MIB <= least


def test_cards_of_one_name_differ_in_memory():
    sizes: dict[str, list[float]] = {}
    for raw in GPUS.values():
        for name in raw["names"]:
            sizes.setdefault(name, []).append(raw["memory_gb"])
    shared = {name: size for name, size in sizes.items() if len(size) > 1}
    assert {"NVIDIA GeForce RTX 3080", "NVIDIA GeForce RTX 4060 Ti", "NVIDIA GeForce RTX 5060 Ti"} <= set(
        shared
    )
    assert all(len(set(size)) == len(size) for size in shared.values())


@gpus
def test_a_drivers_name_leads_back_to_its_card(name):
    for title in GPUS[name]["names"]:
        assert name in {gpu.name for gpu in HARDWARE.gpus_named(title)}


@targets
def test_a_target_is_complete_and_plausible(name):
    raw, target = TARGETS[name], HARDWARE.target(name)
    assert target.name == name
    assert raw["source"]
    assert "gpu" not in raw or raw["gpu"] in GPUS
    assert 0 <= target.gpu_count <= 8
    assert target.cpu_cores is None or 2 <= target.cpu_cores <= 256
    assert target.ram is None or 8 * 2**30 <= target.ram <= 2**41
    assert target.disk is None or 5e9 <= target.disk <= 4e13
    if target.session_h is not None:
        assert 4 <= target.session_budget_h <= target.session_h <= 24


def test_kaggle_has_both_session_numbers():
    kaggle = [raw for name, raw in TARGETS.items() if name.startswith("kaggle-")]
    assert len(kaggle) >= 3
    assert {(raw["session_budget_h"], raw["session_h"], raw["disk_gb"]) for raw in kaggle} == {(9, 12, 20)}


def test_kaggles_p100_is_broken_and_no_other_machine_is():
    assert [name for name, raw in TARGETS.items() if "broken" in raw] == ["kaggle-p100"]


@pytest.mark.parametrize(
    "name",
    ["2x-titan-rtx", "kaggle-t4x2", "kaggle-p100", "colab-t4", "colab-l4", "colab-a100",
     "aws-g4dn-xlarge", "aws-g5-xlarge", "aws-g6-xlarge", "aws-p4d-24xlarge", "aws-p5-48xlarge",
     "gcp-a2-highgpu-1g", "azure-nc24ads-a100-v4", "lambda-1x-a10", "runpod-rtx-4090"],
)  # fmt: skip
def test_machines_people_ask_for(name):
    assert name in TARGETS


def test_no_target_hides_a_gpu_of_the_same_name():
    assert not set(TARGETS) & set(GPUS)
