# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--target local`: the machine that trainlint runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from trainlint.errors import UsageError
from trainlint.hardware import host_machine
from trainlint.hardware.installed_cards import GpuCard, cards, is_windows
from trainlint.hardware.memory_seen_by_torch import MIB
from trainlint.hardware.unlisted_card import unlisted
from trainlint.model.target import Gpu, Target

Named = Callable[[str], Sequence[Gpu]]
"""Finds the GPUs that a name can mean."""


def local_target(named: Named, find: Callable[[], Sequence[GpuCard]] = cards) -> Target:
    """Describe this machine; of unlike cards the one with least memory represents all, as it decides.

    Raises UsageError without an NVIDIA GPU.
    """
    cards = find()
    if not cards:
        raise UsageError(
            'target "local": no NVIDIA GPU found on this machine (NVML, nvidia-smi, CUDA_VISIBLE_DEVICES);'
            ' name another target, "trainlint targets" lists them'
        )
    gpus = [gpu_of_card(named, card) for card in cards]
    smallest = min(gpus, key=lambda gpu: gpu.memory - gpu.context)
    unlike = sorted({gpu.title for gpu in gpus} - {smallest.title})
    return Target(
        name="local",
        gpu=smallest,
        gpu_count=len(gpus),
        cpu_cores=host_machine.cores(),
        ram=host_machine.ram(),
        shm=host_machine.shm(),
        disk=host_machine.disk(Path.cwd()),
        source="read from this machine",
        note=f"also has {', '.join(unlike)}; judged by its smallest card" if unlike else "",
    )


def gpu_of_card(named: Named, card: GpuCard) -> Gpu:
    """Return the described GPU with the memory this driver leaves, or a bare one for an unknown card.

    Raises UsageError for an undescribed card whose compute capability the driver hides.
    """
    seen = card.seen(windows=is_windows()) * MIB
    known = named(card.name)
    if known:
        nearest = min(known, key=lambda gpu: abs(gpu.memory - seen))
        return replace(
            nearest, memory=seen, source=f"memory: this machine's driver {card.driver}; {nearest.source}"
        )
    if card.compute_capability is None:
        raise UsageError(
            f'target "local": "{card.name}" is in no table, its compute capability unknown to its driver;'
            " describe it in a [gpu.NAME] table of your own"
        )
    return unlisted(
        card.name,
        card.name,
        seen,
        card.compute_capability,
        source=f"this machine's driver {card.driver}",
        basis="the largest seen on a card for desktops, this one is in no table",
    )
