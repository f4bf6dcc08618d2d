# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The values behind the names of rules: of a target, an estimate, and the lines that install torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from trainlint.model.document import Install
from trainlint.model.facts import Facts, GpuMemory, Memory
from trainlint.model.target import NVIDIA, Target
from trainlint.postponed import Postponed

OF_LIMITS: Final = ("largest_batch", "largest_open", "safe_batch", "uneven")
"""What is worked out where an expression reads it: the most work of all, and for messages mostly."""


def install_values(installs: Sequence[Install]) -> dict[str, Any]:
    """Return `install.*` for the lines of a file that install torch; nothing where there are none."""
    values = [
        {
            "text": line.text,
            "oldest": list(line.oldest or ()),
            "newest": list(line.newest or ()),
            "cuda": line.cuda,
            "redirected": line.redirected,
        }
        for line in installs
    ]
    return {"install.torch": values} if values else {}


def target_values(target: Target | None) -> dict[str, Any]:
    """Return `target.*` for a machine, without the limits it does not have."""
    if target is None:
        return {}
    values: dict[str, Any] = {
        name: getattr(target, name)
        for name in (
            "name",
            "gpu_count",
            "cpu_cores",
            "ram",
            "shm",
            "disk",
            "session_h",
            "session_budget_h",
            "weekly_h",
            "sessions",
            "torch",
            "cuda",
            "broken",
        )
    }
    values["gpu"] = None
    if target.gpu is not None:
        values |= {
            "gpu": target.gpu.title,
            "gpu_memory": target.gpu.memory,
            "compute_capability": target.gpu.compute_capability,
            "bf16_native": target.gpu.bf16_native,
        }
        if target.gpu.vendor != NVIDIA:  # CUDA's numbers say nothing of it
            values |= {"compute_capability": None, "bf16_native": None}
    return _present("target", values)


def fact_values(facts: Facts | None) -> dict[str, Any]:
    """Return `facts.*`, without what could not be worked out."""
    if facts is None:
        return {}
    values: dict[str, Any] = {} if facts.memory is None else _memory(facts.memory)
    if facts.model is not None:
        values |= {
            "memory.certain": facts.model.total,
            "memory.certain_weights": facts.model.weights,
            "memory.certain_words": facts.model.words,
        }
    if facts.time is not None:
        low, middle, high = facts.time.total_hours or (None, None, None)
        save_low, save, save_high = facts.time.save_hours or (None, None, None)
        values |= {
            "time.step_seconds": facts.time.step_seconds[1],
            "time.session_steps": facts.time.session_steps,
            "time.behind": facts.time.behind,
            "time.step_high": facts.time.step_seconds[2],
            "time.session_steps_most": facts.time.session_steps_most,
            "time.data_seconds": facts.time.data_seconds,
            "time.loading_hours": facts.time.loading_hours[2] if facts.time.loading_hours else None,
            "time.hours_low": low,
            "time.hours": middle,
            "time.hours_high": high,
            "time.sessions_low": facts.time.sessions[0] if facts.time.sessions else None,
            "time.sessions_high": facts.time.sessions[2] if facts.time.sessions else None,
            "time.basis": facts.time.basis,
            "time.last_checkpoint": _middle(facts.time.last_checkpoint),
            "time.lost_hours": _middle(facts.time.lost_hours),
            "time.save_low": save_low,
            "time.save": save,
            "time.save_high": save_high,
        }
        if (loading := facts.time.loading) is not None:
            values |= {
                "time.loading_low": loading.seconds[0],
                "time.loading": loading.seconds[1],
                "time.loading_high": loading.seconds[2],
                "time.loading_basis": loading.basis,
                "time.loading_assumed": loading.assumed,
            }
    for family, names in (("disk", ("per_checkpoint", "checkpoints", "total", "least")),
                          ("host", ("worker_processes", "ram", "shm", "validation_workers", "pinned",
                                    "mapped"))):  # fmt: skip
        part = getattr(facts, family)
        values |= {f"{family}.{name}": getattr(part, name) for name in names if part is not None}
    if facts.disk is not None and facts.disk.images is not None:
        values["disk.images_least"], values["disk.images_most"] = facts.disk.images
    return _present("facts", values)


def _memory(memory: Memory) -> dict[str, Any]:
    """Take the fullest GPU and the largest stage: what decides whether training runs."""
    peaks: list[GpuMemory] = [*memory.gpus, *(stage.memory for stage in memory.stages)]
    values: dict[str, Any] = {
        f"memory.{name}": max(getattr(peak, name) for peak in peaks)
        for name in ("allocated", "least", "expect", "worst", "context")
        if peaks
    }
    values |= {
        "memory.capacity": min((peak.capacity for peak in peaks), default=None),
        "memory.saved_per_sample": memory.saved_per_sample,
        **{f"memory.{name}": Postponed(partial(getattr, memory, name)) for name in OF_LIMITS},
        "memory.peak_phase": memory.peak_phase,
        "memory.uncounted": ", ".join(term.what for term in memory.open) or None,
    }
    if memory.context is not None:
        low, high, basis = memory.context.low, memory.context.high, memory.context.basis
        values |= {"memory.context_low": low, "memory.context_high": high, "memory.context_basis": basis}
    short = [peak.expandable for peak in peaks if peak.least > peak.capacity]
    if short and None not in short:
        values["memory.expandable"] = max(filter(None, short))
    if broken := [peak.unbroken for peak in peaks if peak.unbroken]:
        values["memory.unbroken"] = max(broken)
    if memory.stages:
        largest = max(memory.stages, key=lambda stage: stage.memory.least)
        values |= {
            "memory.stage": largest.number,
            "memory.stage_crop": largest.crop,
            "memory.stage_batch": largest.batch,
        }
    if memory.validation is not None:
        values["memory.validation.least"] = memory.validation.least
        values["memory.validation.expect"] = memory.validation.expect
        values["memory.validation.worst"] = memory.validation.worst
    for prefix, piece in (("memory", memory.largest), ("memory.validation", memory.validation_largest)):
        if piece is not None:
            values[f"{prefix}.largest_tensor"] = piece.size
            values[f"{prefix}.largest_at"] = piece.owner.partition(":")[2]
            values[f"{prefix}.others"] = piece.others or None
    if memory.image is not None:
        values |= {
            f"memory.validation.{name}": getattr(memory.image, name)
            for name in ("height", "width", "tile", "basis")
        }
    return values


def _middle(values: tuple[float, float, float] | None) -> float | None:
    return None if values is None else values[1]


def _present(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in values.items() if value is not None}
