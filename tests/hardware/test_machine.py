# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Cores and RAM with a container's limits, of both versions of control groups."""

from __future__ import annotations

import os

import pytest

from trainlint.hardware import host_machine


@pytest.fixture
def groups(tmp_path, monkeypatch):
    monkeypatch.setattr(host_machine, "OWN_GROUP", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("400000 100000\n", 4), ("350000 100000", 3), ("50000 100000", 1), ("max 100000", 16), ("", 16)],
)
def test_a_quota_of_version_2(groups, quota, expected):
    write(groups / "cpu.max", quota)
    assert host_machine.cores(groups) == expected


def test_the_tightest_of_the_nested_groups_counts(groups):
    write(groups / "own", "0::/user.slice/job\n")
    write(groups / "user.slice" / "cpu.max", "200000 100000")
    write(groups / "user.slice" / "job" / "cpu.max", "600000 100000")
    assert host_machine.cores(groups) == 2


@pytest.mark.parametrize(("quota", "expected"), [("200000", 2), ("-1", 16)])
def test_a_quota_of_version_1(groups, quota, expected):
    write(groups / "cpu" / "cpu.cfs_quota_us", quota)
    write(groups / "cpu" / "cpu.cfs_period_us", "100000")
    assert host_machine.cores(groups) == expected


def test_affinity_limits_too(groups, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert host_machine.cores(groups) == 3


def test_a_container_limits_ram(groups):
    write(groups / "memory.max", "1073741824\n")
    assert host_machine.ram(groups) == 2**30


def test_no_limit_is_the_whole_machine(groups):
    write(groups / "memory.max", "max\n")
    write(groups / "memory" / "memory.limit_in_bytes", "9223372036854771712")
    assert host_machine.ram(groups) == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_shared_memory_where_there_is_none(tmp_path):
    assert host_machine.shm(tmp_path / "none") is None
    assert host_machine.shm(tmp_path) > 0
