# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an edit changes: whether what is learned (samples a step, crops, schedule, losses), and the memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from operator import lt
from typing import Any

from trainlint.catalogue.zoo.recipes import place
from trainlint.config.value_by_path import dig
from trainlint.errors import CannotTraceError
from trainlint.estimate.run.duration import samples_seen
from trainlint.judge.rule import Rule
from trainlint.judge.rule_values import fact_values
from trainlint.model.document import Path
from trainlint.model.facts import Facts, Sessions
from trainlint.model.spec import TrainSpec
from trainlint.model.units import count_between, gib, gib_between, sessions_between

MEMORY = "memory"

LENGTH = "sequence.length"
HUNDREDTH = 0.01

VALIDATION = "facts.memory.validation.least"

SAFE_FIELDS = frozenset(
    f"spec.{name}"
    for name in (
        *("checkpoint.every", "checkpoint.every_epochs", "checkpoint.keep", "checkpointing", "compile"),
        *("workers.per_gpu", "workers.per_process", "workers.total", "pin_memory", "channels_last"),
        *("cudnn_benchmark", "validation.every", "validation.tile", "validation.overlap"),
        *("validation.save_images",),
    )
)
"""Fields that decide how a step is computed, saved or looked at, and not what it learns from."""

SAFE_KEYS = frozenset(
    {
        *("checkpointing", "grad_checkpointing", "use_chk", "use_checkpoint", "use_checkpointing"),
        *("gradient_checkpointing", "disable_gradient_checkpointing", "use_checkpoint_attn"),
        *("channels_last", "use_channels_last", "tile"),
        *("enable_liger_kernel", "plugins", "liger_fused_linear_cross_entropy", "sdpa"),
    }
)
"""The same of trainers' own keys: activations that are computed twice, how tensors lie in memory, neosr's
tile at validation, kernels that give the same loss or the same attention."""

SAME_SAMPLES = (
    frozenset({"spec.batch.per_gpu", "spec.accumulate"}),
    frozenset({"spec.batch.per_process", "spec.accumulate"}),
)
"""Set together by rules that keep their product: a smaller batch, accumulated to the same one."""


def is_safe(fields: AbstractSet[str]) -> bool:
    """Return whether an edit of these fields is safe; one of a misspelled key or value sets none of them."""
    rest = next((fields - same for same in SAME_SAMPLES if fields >= same), fields)
    return all(name in SAFE_FIELDS or _is_safe_key(name) for name in rest)


def _is_safe_key(name: str) -> bool:
    return name.startswith("doc.") and name.rpartition(".")[2] in SAFE_KEYS


LENGTH_FIELDS = ("duration.iterations", "duration.epochs", "schedule.milestones", "schedule.periods")
"""Fields that say how long is learned, and where the learning rate comes down."""


def shortens(before: TrainSpec, after: TrainSpec) -> bool:
    """Return whether an edit lowers iterations, epochs or milestones that the user wrote."""
    return any(
        _is_less(before[name], after.get(name))
        for name in LENGTH_FIELDS
        if name in before and before.fields[name].origin != "default"
    )


def is_shortening(fields: AbstractSet[str], values: Mapping[Path, Any], written: Any) -> bool:
    """Return whether all that edits of these fields do to a document is to lower how long it trains."""
    return fields <= {f"spec.{name}" for name in LENGTH_FIELDS} and any(
        _is_less(dig(written, path), value) for path, value in values.items()
    )


def _is_less(old: Any, new: Any) -> bool:
    if isinstance(old, list | tuple):
        new = new if isinstance(new, list | tuple) else ()
        return len(new) < len(old) or any(map(lt, sorted(new), sorted(old)))
    return isinstance(old, int | float) and (not isinstance(new, int | float) or new < old)


def is_known(fields: AbstractSet[str], before: TrainSpec, after: TrainSpec) -> bool:
    """Return whether what a rule's edit of these fields makes is known without a tape of it.

    It is not where the network is another one, which may not know its new arguments, nor where it is unknown
    the training step. A command that trains what an option file says has no step of its own.
    """
    if not fields or is_safe(fields) or not after.get("recipe"):
        return True
    try:
        place(str(after["recipe"]))
    except CannotTraceError:
        return False
    names = {name for name in (*before, *after) if name == "scale" or name.startswith("networks.")}
    return all(before.get(name) == after.get(name) for name in names)


def fewer_samples(before: TrainSpec, after: TrainSpec) -> str:
    """Say how many samples an edited run learns from, where it is fewer; "" where it is not, or not known."""
    old, new = samples_seen(before), samples_seen(after)
    return f"sees {new:,} samples instead of {old:,}" if old and new is not None and new < old else ""


def samples_cut(looked: Mapping[str, Any], before: TrainSpec, after: TrainSpec) -> str:
    """Say which share of the samples is longer than an edit leaves; "" where none was counted (--data).

    What a template puts around a sample's words is not counted, so that more may be.
    """
    length, tokens = after.get(LENGTH), looked.get("tokens")
    if not tokens or not isinstance(length, int) or length >= before.get(LENGTH, 0):
        return ""
    share = 1 - bisect_right(tokens, length) / len(tokens)
    some = len(tokens) < looked["texts"]
    if not share:
        return f"no sample{' of those looked at' if some else ''} is longer by its own words"
    written = f"{share:.0%}" if share >= HUNDREDTH else f"{share:.1%}"
    return f"{'about ' if some else ''}{written} of {looked['texts']:,} samples are longer by their own words"


def sessions_saved(before: Facts | None, after: Facts | None) -> str:
    """Say how many sessions an edit saves; "" where it saves none, or that is not known."""
    old, new = (_sessions(facts) for facts in (before, after))
    if None in (*old, *new) or (new[1] or 0) >= (old[1] or 0):
        return ""
    return f"{sessions_between(new)} instead of {count_between(old)}"


def _sessions(facts: Facts | None) -> Sessions:
    time = facts.time if facts is not None else None
    return (None, None, None) if time is None or time.sessions is None else time.sessions


def workload_of(rule: Rule) -> str:
    """Name the part of a run whose memory a rule is about."""
    return "validation" if VALIDATION in rule.requires else "training"


def saving(rule: Rule, before: Facts | None, after: Facts | None) -> str:
    """Say what a job needs after an edit (the least to what is expected) and how much less the least is.

    "" of a rule that is not about memory.
    """
    if MEMORY not in rule.families:
        return ""
    old, new = fact_values(before), fact_values(after)
    least = VALIDATION if workload_of(rule) == "validation" else "facts.memory.least"
    if least not in old or least not in new:
        return ""
    expect = f"{least.removesuffix('least')}expect"
    less = old[least] - new[least]
    need = f"needs {gib_between(new[least], new[expect])} GiB"
    return need + (f", {gib(less)} less" if less > 0 else "")


def tensors_saved(before: Facts | None, after: Facts | None) -> int | None:
    """Return how many bytes less of tensors a job has at its peak after an edit; None where nobody knows."""
    old, new = (None if facts is None or facts.memory is None else facts.memory for facts in (before, after))
    return None if old is None or new is None else old.gpus[0].allocated - new.gpus[0].allocated
