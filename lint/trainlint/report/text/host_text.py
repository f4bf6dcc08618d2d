# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run takes of the machine around the GPU, in one line."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.facts import HostNeeds
from trainlint.model.target import Target
from trainlint.model.units import gib


def host_words(host: HostNeeds, target: Target | None) -> Iterator[str]:
    """Yield the line: workers and cores, and the most that they take of RAM, where that is known."""
    plural = "" if host.worker_processes == 1 else "s"
    words = f"the host: {host.worker_processes} DataLoader worker{plural}"
    if host.validation_workers:
        words += f" and {host.validation_workers} of validation"
    if target is not None and target.cpu_cores is not None:
        words += f" on {target.cpu_cores} cores"
    if host.ram is not None and host.shm is not None:
        words += f"; up to {gib(host.ram)} GiB of RAM, {gib(host.shm)} of it waiting in /dev/shm"
        words += f", {gib(host.pinned)} pinned" if host.pinned else ""
    if host.loading:
        words += f", {gib(host.loading)} of it while the weights are loaded"
    if host.mapped is not None:
        words += f"; a database of {gib(host.mapped)} GiB is read through the page cache on top"
    yield words
