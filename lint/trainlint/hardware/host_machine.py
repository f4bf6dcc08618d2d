# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The machine around the GPUs: cores, RAM, /dev/shm and disk, with the limits of its container."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  looked at, never written
UNLIMITED = 2**60  # version 1 writes a huge number where there is no limit


def cores(root: Path = CGROUPS) -> int:
    """Return the cores this process may use: affinity and the container's quota, rounded down."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [quota for folder in _groups(root) if (quota := _quota(folder)) is not None]
    return max(1, int(min([usable, *quotas])))


def ram(root: Path = CGROUPS) -> int | None:
    """Return the bytes of memory this process may use; None where the system does not say."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for folder in _groups(root):
        for name in ("memory.max", "memory/memory.limit_in_bytes"):
            text = _read(folder / name)
            if text.isdigit() and int(text) < UNLIMITED:
                limits.append(int(text))
    return min(limits)


def shm(folder: Path = SHARED_MEMORY) -> int | None:
    """Return the bytes free in /dev/shm, through which DataLoader workers hand over batches."""
    return shutil.disk_usage(folder).free if folder.is_dir() else None


def disk(folder: Path) -> int:
    """Return the bytes free where a run started in `folder` would write."""
    return shutil.disk_usage(folder).free


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of this process's own control group and of those around it (version 2)."""
    own = next((line[3:].lstrip("/") for line in _read(OWN_GROUP).splitlines() if line.startswith("0::")), "")
    inner = root / own
    while inner != root and root in inner.parents:
        yield inner
        inner = inner.parent
    yield root


def _quota(folder: Path) -> float | None:
    """Return the cores that a control group grants, of either version; None without a limit."""
    parts = _read(folder / "cpu.max").split()
    if len(parts) != 2:  # noqa: PLR2004  "quota period"
        parts = [_read(folder / "cpu" / name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")]
    quota, period = parts
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
