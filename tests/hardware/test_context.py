# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The CUDA context: between which bytes it is, and what says so."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from trainlint.errors import UsageError
from trainlint.hardware import load_hardware
from trainlint.hardware.cuda_context import EAGER_MIB, context_on
from trainlint.hardware.gpu_from_table import gpu_of
from trainlint.hardware.hardware_tables import HardwareTable
from trainlint.hardware.memory_seen_by_torch import MIB
from trainlint.model.target import Context

T4 = load_hardware().target("t4")


def test_an_observed_context_says_what_showed_it_and_is_as_sure_as_messages_are():
    found = context_on(T4, T4.gpu, {})
    assert (found.size, found.low, found.high) == (129 * MIB, 99 * MIB, 159 * MIB)
    assert found.basis == "the GPU table: 4 out-of-memory messages, and a post with 135"


def test_a_table_may_state_the_ends():
    gpu = load_hardware().gpu("rtx-3060-12gb")
    assert (gpu.assumed.low, gpu.assumed.size, gpu.assumed.high) == (99 * MIB, 213 * MIB, 327 * MIB)


def test_a_context_by_rate_is_less_sure():
    gpu = load_hardware().gpu("rtx-2060")
    assert gpu.assumed.basis == "a rate per multiprocessor, not observed on this card"
    assert gpu.assumed.low < 0.5 * gpu.context < 1.5 * gpu.context < gpu.assumed.high


def test_what_the_user_measured_is_sure():
    assert context_on(T4, T4.gpu, {"t4": 141}) == Context(141 * MIB, 141 * MIB, 141 * MIB, "your settings")


@pytest.mark.parametrize(
    ("changes", "basis"),
    [
        ({"cuda": "11.3"}, "CUDA 11.3, which loads every kernel at the start"),
        ({"torch": "1.12.1", "cuda": "11.7"}, "torch 1.12.1, which loads every kernel at the start"),
    ],
)
def test_versions_that_load_every_kernel_have_a_larger_one(changes, basis):
    found = context_on(replace(T4, **changes), T4.gpu, {})
    assert (found.low, found.size, found.high) == tuple(mib * MIB for mib in EAGER_MIB)
    assert found.basis == basis


def test_what_the_job_installs_decides_where_the_target_names_no_torch():
    old = "requirements.txt:2: torch==1.9.0"
    found = context_on(replace(T4, eager=old), T4.gpu, {})
    assert found.basis == f"{old}, which loads every kernel at the start"
    assert (found.low, found.high) == (EAGER_MIB[0] * MIB, EAGER_MIB[2] * MIB)
    image = replace(T4, eager=old, torch="2.6.0", cuda="12.4")
    assert context_on(image, T4.gpu, {}) == T4.gpu.assumed


@pytest.mark.parametrize("changes", [{"cuda": "11.7", "torch": "1.13"}, {"cuda": "12.8", "torch": "2.7.1"}])
def test_later_ones_do_not(changes):
    assert context_on(replace(T4, **changes), T4.gpu, {}) == T4.gpu.assumed


def test_this_machines_variable_decides_on_this_machine_alone(monkeypatch):
    monkeypatch.setenv("CUDA_MODULE_LOADING", "EAGER")
    assert context_on(replace(T4, name="local"), T4.gpu, {}).basis.startswith("CUDA_MODULE_LOADING=EAGER")
    assert context_on(T4, T4.gpu, {}) == T4.gpu.assumed


def test_a_figure_outside_its_own_ends_is_refused():
    values = {"names": ["X"], "compute_capability": 8.6, "smi_mib": 9000, "context_mib": 300}
    table = HardwareTable(
        "gpu", "x", "own.toml", {**values, "context_source": "a run", "context_low_mib": 310}
    )
    with pytest.raises(UsageError, match=r"310 MiB is above context_mib, 300 MiB"):
        gpu_of(table)
    own = gpu_of(HardwareTable("gpu", "x", "own.toml", values))
    assert own.assumed == Context(300 * MIB, 300 * MIB, 300 * MIB, "own.toml")
