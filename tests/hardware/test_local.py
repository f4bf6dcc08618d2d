# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--target local` from what drivers of several ages print, without a GPU in the test machine."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from trainlint.errors import UsageError
from trainlint.hardware import installed_cards, load_hardware, local_target
from trainlint.hardware.installed_cards import QUERIES, GpuCard, parse_smi, visible

MIB = 2**20
T4 = GpuCard("GPU-aaaa1111", "Tesla T4", 15360, "580.65.06", 447, 7.5)
RTX = GpuCard("GPU-bbbb2222", "NVIDIA GeForce RTX 3080", 12288, "535.183.01", 236, 8.6)


@pytest.fixture(scope="module")
def hardware():
    return load_hardware()


@pytest.fixture(autouse=True)
def linux(monkeypatch):
    monkeypatch.setattr(local_target, "is_windows", lambda: False)


def test_a_new_drivers_lines():
    text = "GPU-a, Tesla T4, 15360 MiB, 580.65.06, 447 MiB, 7.5\nGPU-b, NVIDIA L4, 23034, 535.1, [N/A], 8.9\n"
    first, second = parse_smi(text, QUERIES[0])
    assert first == GpuCard("GPU-a", "Tesla T4", 15360, "580.65.06", 447, 7.5)
    assert (second.total, second.reserved, second.compute_capability) == (23034, None, 8.9)


def test_an_old_drivers_lines():
    (card,) = parse_smi("GPU-a, Tesla T4, 15109 MiB, 470.82.01\n", QUERIES[1])
    assert (card.total, card.reserved, card.compute_capability) == (15109, None, None)


@pytest.mark.parametrize(
    "text", ["", "No devices were found\n", "GPU-a, Tesla T4\n", "GPU-a, T4, [N/A], 580\n"]
)
def test_lines_that_are_no_cards(text):
    assert parse_smi(text, QUERIES[1]) == ()


@pytest.mark.parametrize(
    ("card", "seen"),
    [
        (T4, 15360 - 447),  # what NVML calls reserved
        (GpuCard("", "Tesla T4", 15360, "580.65.06"), 14920),  # 15360 - 370 - 69.12 by rule
        (GpuCard("", "Tesla T4", 15109, "470.82.01"), 15109),  # already without it
        (GpuCard("", "Tesla T4", 15360, "510.47"), 14920),
    ],
)
def test_torch_sees_what_the_driver_leaves(card, seen):
    assert card.seen(windows=False) == seen
    assert card.seen(windows=True) == card.total


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, [T4, RTX]),
        ("1", [RTX]),
        ("1,0", [RTX, T4]),
        ("", []),
        ("-1", []),
        ("0,-1,1", [T4]),
        ("2,0", []),
        ("GPU-bbbb", [RTX]),
        ("GPU-", []),
    ],
)
def test_cuda_visible_devices(wanted, expected):
    assert list(visible([T4, RTX], wanted)) == expected


def test_nvidia_smi_is_asked_again_without_what_an_old_driver_refuses():
    asked = []

    def run(command, **_):
        asked.append(command[1])
        old = "reserved" in command[1]
        text = "" if old else "GPU-a, Tesla K80, 11441 MiB, 418.67\n"
        return SimpleNamespace(returncode=2 if old else 0, stdout=text)

    assert [card.name for card in installed_cards._from_smi(run, "nvidia-smi")] == ["Tesla K80"]
    assert len(asked) == 2


@pytest.mark.parametrize(
    "error", [FileNotFoundError("nvidia-smi"), subprocess.TimeoutExpired("nvidia-smi", 20)]
)
def test_no_or_a_hanging_nvidia_smi_is_no_gpu(error):
    def run(*_, **__):
        raise error

    assert installed_cards._from_smi(run, "nvidia-smi") == ()


def test_nvml_with_bytes_and_without_the_second_memory_version():
    class NVMLError(Exception):
        pass

    def memory(_handle, version=None):
        if version is not None:
            raise NVMLError
        return SimpleNamespace(total=15109 * MIB)

    nvml = SimpleNamespace(
        NVMLError=NVMLError,
        nvmlMemory_v2=2,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetMemoryInfo=memory,
        nvmlDeviceGetCudaComputeCapability=lambda _: (7, 5),
        nvmlDeviceGetUUID=lambda _: b"GPU-a",
        nvmlDeviceGetName=lambda _: b"Tesla T4",
        nvmlSystemGetDriverVersion=lambda: b"470.82.01",
    )
    assert installed_cards._nvml_card(nvml, 0) == GpuCard("GPU-a", "Tesla T4", 15109, "470.82.01", None, 7.5)


def test_a_known_card_keeps_its_rates_and_takes_the_drivers_memory(hardware):
    target = local_target.local_target(hardware.gpus_named, lambda: [T4, T4])
    assert (target.name, target.gpu.name, target.gpu_count) == ("local", "t4", 2)
    assert target.gpu.memory == 14913 * MIB
    assert target.gpu.context == 129 * MIB
    assert target.cpu_cores >= 1
    assert target.disk > 0
    assert (target.session_h, target.note) == (None, "")


def test_a_name_with_two_memory_sizes_is_told_by_memory(hardware):
    assert local_target.gpu_of_card(hardware.gpus_named, RTX).name == "rtx-3080-12gb"
    smaller = GpuCard("", RTX.name, 10240, RTX.driver, 230, 8.6)
    assert local_target.gpu_of_card(hardware.gpus_named, smaller).name == "rtx-3080-10gb"


def test_of_unlike_cards_the_smallest_decides(hardware):
    target = local_target.local_target(hardware.gpus_named, lambda: [T4, RTX])
    assert (target.gpu.name, target.gpu_count) == ("rtx-3080-12gb", 2)
    assert "Tesla T4" in target.note


def test_an_unknown_card_is_described_by_its_driver(hardware):
    gpu = local_target.gpu_of_card(
        hardware.gpus_named, GpuCard("", "NVIDIA Titan Z9", 65536, "600.1", 700, 13.0)
    )
    assert (gpu.memory, gpu.context) == ((65536 - 700) * MIB, 594 * MIB)
    assert (gpu.bf16_native, gpu.bandwidth, gpu.sms) == (True, 0.0, 0)


def test_an_unknown_card_of_unknown_capability_asks_for_a_table(hardware):
    with pytest.raises(UsageError, match=r"NVIDIA Titan Z9.*\[gpu\.NAME\]"):
        local_target.gpu_of_card(hardware.gpus_named, GpuCard("", "NVIDIA Titan Z9", 65536, "600.1"))


def test_no_gpu_is_said_plainly(hardware):
    with pytest.raises(UsageError, match='target "local": no NVIDIA GPU found'):
        local_target.local_target(hardware.gpus_named, list)
