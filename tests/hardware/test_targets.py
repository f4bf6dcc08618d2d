# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How people name machines and cards, and what they get."""

from __future__ import annotations

import pytest

from trainlint.errors import UsageError
from trainlint.hardware import load_hardware

MIB = 2**20


@pytest.fixture(scope="module")
def hardware():
    return load_hardware()


def test_kaggle_is_two_t4_with_both_session_lengths(hardware):
    kaggle = hardware.target("kaggle-t4x2")
    assert (kaggle.gpu.title, kaggle.gpu_count, kaggle.cpu_cores) == ("Tesla T4", 2, 4)
    assert (kaggle.session_budget_h, kaggle.session_h) == (9, 12)
    assert (kaggle.disk, kaggle.ram) == (20_000_000_000, 33_672_543_601)
    assert (kaggle.gpu.memory, kaggle.gpu.context) == (14_913 * MIB, 129 * MIB)


def test_the_budget_is_the_session_where_nothing_else_is_said(hardware):
    colab = hardware.target("colab-t4")
    assert colab.session_budget_h == colab.session_h == 12


def test_a_gpu_is_a_machine_of_one_card_without_limits(hardware):
    target = hardware.target("rtx-4090")
    assert (target.name, target.gpu.name, target.gpu_count) == ("rtx-4090", "rtx-4090", 1)
    limits = (
        target.cpu_cores,
        target.ram,
        target.shm,
        target.disk,
        target.session_h,
        target.session_budget_h,
    )
    assert limits == (None,) * 6


@pytest.mark.parametrize("name", ["4x:rtx-3090", "4x: RTX 3090", "4X-rtx-3090", "4x 3090"])
def test_several_cards(hardware, name):
    target = hardware.target(name)
    assert (target.name, target.gpu.name, target.gpu_count) == ("4x:rtx-3090", "rtx-3090", 4)


@pytest.mark.parametrize("name", ["48GiB", "48 GiB", "49152MiB", "48.0gib"])
def test_a_size_is_a_card_of_which_no_more_is_known(hardware, name):
    target = hardware.target(name)
    assert (target.name, target.gpu.memory, target.gpu_count) == ("48GiB", 48 * 2**30, 1)
    assert (target.gpu.bandwidth, target.disk, target.session_h) == (0, None, None)
    assert target.gpu.assumed.low < target.gpu.context < target.gpu.assumed.high


def test_what_is_sold_as_a_size_has_less_for_torch(hardware):
    """24 GB of an RTX 4090 are 23.52 GiB to torch: a pass at 24 GiB would not hold there."""
    target = hardware.target("24 GB")
    assert (target.name, target.gpu.memory) == ("24GB", 24095 * 2**20)
    assert target.gpu.memory >= hardware.target("rtx-4090").gpu.memory


def test_several_cards_of_a_size(hardware):
    assert hardware.target("2x:16GiB").gpu_count == 2


@pytest.mark.parametrize(
    "name", ["0GiB", "-3GiB", "1e9GiB", "48KB", "48TiB", "4,8GiB", "...MiB", "4x:9999GiB"]
)
def test_a_size_that_no_card_has(hardware, name):
    with pytest.raises(UsageError, match="expected a size from 1GiB to 1024GiB, as 48GiB or 24576MiB"):
        hardware.target(name)


def test_the_guides_machines(hardware):
    names = ("rtx-4090", "rtx-3060", "2x-titan-rtx", "rtx-5090", "kaggle-t4x2")
    seen = [(hardware.target(name).gpu_count, hardware.target(name).gpu.memory / 2**30) for name in names]
    assert [count for count, _ in seen] == [1, 1, 2, 1, 2]
    assert [round(gib) for _, gib in seen] == [24, 12, 24, 31, 15]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("RTX 4090", "rtx-4090"),
        ("rtx4090", "rtx-4090"),
        ("4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("t4", "t4"),
        ("Tesla T4", "t4"),
        ("A100-SXM4-80GB", "a100-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb-pcie"),
        ("a100 40g", "a100-40gb"),
        ("H100 SXM5", "h100-80gb"),
        ("4060ti 16 GB", "rtx-4060-ti-16gb"),
        ("3060 12GB", "rtx-3060"),
        ("3060", "rtx-3060"),
        ("A6000", "rtx-a6000"),
        ("RTX 6000 Ada", "rtx-6000-ada"),
        ("4090 laptop", "rtx-4090-laptop"),
        ("gtx 1080 ti", "gtx-1080-ti"),
        ("rtx4070tisuper", "rtx-4070-ti-super"),
    ],
)
def test_spellings(hardware, written, name):
    assert hardware.gpu(written).name == name


@pytest.mark.parametrize(
    ("written", "candidates"),
    [
        ("RTX 3080", ["rtx-3080-10gb", "rtx-3080-12gb"]),
        ("4060 Ti", ["rtx-4060-ti-8gb", "rtx-4060-ti-16gb"]),
        ("a100", ["a100-40gb-pcie", "a100-40gb", "a100-80gb-pcie", "a100-80gb"]),
        ("h100", ["h100-80gb-pcie", "h100-80gb", "h100-nvl"]),
        ("RTX 6000", ["quadro-rtx-6000", "rtx-6000-ada", "rtx-pro-6000-blackwell"]),
    ],
)
def test_ambiguous_names_list_the_candidates(hardware, written, candidates):
    assert [gpu.name for gpu in hardware.gpus_named(written)] == candidates
    with pytest.raises(UsageError) as raised:
        hardware.gpu(written)
    assert all(f'"{name}"' in str(raised.value) for name in candidates)


@pytest.mark.parametrize(
    ("written", "taken"),
    [("rtx-3080", "rtx-3080-10gb"), ("h100", "h100-80gb-pcie"), ("a100", "a100-40gb-pcie"),
     ("4x:a100", "4x:a100-40gb-pcie")],
)  # fmt: skip
def test_a_name_of_several_cards_means_the_one_with_the_least_memory_and_says_so(hardware, written, taken):
    target = hardware.target(written)
    assert target.name == taken
    assert (
        f"is taken as {taken.rpartition(':')[2]}, the one with the least memory (others: " in target.assumed
    )


def test_a_name_of_several_chips_means_none(hardware):
    with pytest.raises(UsageError, match='"RTX 6000" is ambiguous'):
        hardware.target("RTX 6000")


@pytest.mark.parametrize("written", ["2x4090", "2x 4090", "2 x rtx4090", "2x:rtx-4090"])
def test_a_number_of_cards_is_read_in_any_spelling(hardware, written):
    target = hardware.target(written)
    assert (target.name, target.gpu_count, target.assumed) == ("2x:rtx-4090", 2, "")


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("kagle-t4x2", "kaggle-t4x2"),
        ("kaggle", "kaggle-p100"),
        ("rtx-4095", "rtx-4090"),
        ("titan", "titan-rtx"),
    ],
)
def test_unknown_names_list_near_ones(hardware, written, near):
    with pytest.raises(UsageError, match=f'unknown target "{written}".*"{near}"'):
        hardware.target(written)


@pytest.mark.parametrize("written", ["", "  ", "-", "nonsense"])
def test_names_near_nothing_say_where_the_list_is(hardware, written):
    with pytest.raises(UsageError, match="trainlint targets"):
        hardware.target(written)


@pytest.mark.parametrize("written", ["0x:t4", "2000x:t4", "99999999999999999999x:t4"])
def test_a_silly_number_of_gpus_is_refused(hardware, written):
    with pytest.raises(UsageError, match="expected 1 to 1024"):
        hardware.target(written)


def test_several_of_an_unknown_gpu_names_the_gpu(hardware):
    with pytest.raises(UsageError, match=r'unknown GPU "rtx-3099".*"rtx-3090"'):
        hardware.target("4x:rtx-3099")


def test_every_listed_name_is_a_target(hardware):
    names = hardware.names()
    assert names[0] == "local"
    assert len(set(names)) == len(names)
    for name in names[1:]:
        assert hardware.target(name).name == name


@pytest.mark.parametrize(
    ("written", "vendor"),
    [
        ("mi300x", "AMD"),
        ("rx-7900-xtx", "AMD"),
        ("m3-max", "Apple"),
        ("mps", "Apple"),
        ("arc-a770", "Intel"),
        ("tpu-v3", "Google"),
        ("TPU v5e", "Google"),
        ("ascend910b", "Huawei"),
        ("npu", "Huawei"),
    ],
)
def test_another_vendors_card_is_said_to_be_unmodelled_and_what_is_judged_all_the_same(
    hardware, written, vendor
):
    said = rf'"{written}" \({vendor}\) is not modelled: its allocator and kernels are not known; without'
    with pytest.raises(UsageError, match=said):
        hardware.target(written)
